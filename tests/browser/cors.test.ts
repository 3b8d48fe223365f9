import { beforeAll, expect, test } from '@jest/globals';
import type { TestApplication } from '../harness/applications.ts';
import { connect } from '../harness/oauth.ts';
import { signUpVerified } from '../harness/people.ts';
import { running } from '../harness/running.ts';
import { startUpstream } from '../harness/upstream.ts';
import { setStage } from './stage.ts';

/** Access of pages of other origins to the API, in Chromium. */

const stage = setStage();
const site = running(() =>
  startUpstream((_req, res) => {
    res.setHeader('Content-Type', 'text/html; charset=utf-8');
    res.end('<!doctype html><html lang="en"><title>Tool</title>');
  }),
);
let application: TestApplication;
let token: string;
let key: string;
beforeAll(async () => {
  const { platform } = stage;
  const owner = await signUpVerified(platform);
  const scopes = ['business:read', 'orders:read', 'orders:write'];
  const { businessId } = platform;
  application = await platform.createApplication({ businessId, scopes, allowedOrigins: [allowed()] });
  token = (await connect(platform, owner.browser, application)).accessToken;
  key = (await platform.createKey()).keyString;
});

/** One site under two names: two origins. */
const allowed = () => `http://localhost:${site.port}`;
const other = () => `http://127.0.0.1:${site.port}`;

interface Read {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | null>>;
  readonly body: unknown;
}

/** A page of an origin that calls the API; what it could read, or `blocked`. */
async function pageOf(origin: string) {
  const { page } = await stage.open(origin);
  return async (path: string, options: Readonly<Record<string, unknown>> = {}, bearer = token) => {
    const given = {
      url: `${stage.platform.publicUrl}${path}`,
      options: {
        ...options,
        headers: { ...(bearer && { Authorization: `Bearer ${bearer}` }), ...Object(options.headers) },
      },
      names: ['RateLimit', 'X-RateLimit-Remaining', 'X-Request-Id', 'ETag', 'Location', 'Set-Cookie'],
    };
    const script = `(async ({ url, options, names }) => {
      try {
        const response = await fetch(url, options);
        const headers = Object.fromEntries(names.map((name) => [name, response.headers.get(name)]));
        const text = await response.text();
        return { status: response.status, headers, body: text && JSON.parse(text) };
      } catch (error) {
        return String(error);
      }
    })(${JSON.stringify(given)})`;
    return page.evaluate<Read | string>(script);
  };
}
const blocked = 'TypeError: Failed to fetch';

test('a page from an allowed origin can read, write and see the remaining limit', async () => {
  const fetchApi = await pageOf(allowed());
  const me = await fetchApi('/v2/businesses/me');
  expect(me).toEqual({
    status: 200,
    headers: {
      RateLimit: expect.stringMatching(/^"hour";r=9999;t=\d+$/),
      'X-RateLimit-Remaining': '9999',
      'X-Request-Id': expect.any(String),
      ETag: expect.any(String),
      Location: null,
      'Set-Cookie': null,
    },
    body: expect.objectContaining({ account_holder: 'Analytical Engines' }),
  });
  const created = await fetchApi('/v2/order', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'once' },
    body: JSON.stringify({
      currency: 'EUR',
      line_items: [{ name: 'Tea', quantity: 1, unit_amount: 450 }],
      customer: { name: 'Ada' },
    }),
  });
  expect(created).toMatchObject({ status: 201 });
  const { ETag, Location } = typeof created === 'string' ? {} : created.headers;
  const change = { method: 'PATCH', body: '{"status":"paid"}' };
  const headers = { 'Content-Type': 'application/json', 'If-Match': ETag };
  const statuses = [
    await fetchApi(String(Location), { ...change, headers }),
    await fetchApi(String(Location), { ...change, headers }),
    await fetchApi(String(Location), { headers: { 'If-None-Match': ETag } }),
    await fetchApi('/v2/businesses/me', {}, 'at_nonsense'),
    await fetchApi('/v2/nothing'),
  ].map((read) => (typeof read === 'string' ? read : read.status));
  expect(statuses).toEqual([200, 412, 200, 401, 404]);
});

test('a response in the browser cache is revalidated, and not shown after access was revoked', async () => {
  const fetchApi = await pageOf(allowed());
  const first = await fetchApi('/v2/businesses/me');
  expect(await fetchApi('/v2/businesses/me')).toMatchObject({ status: 200, body: Object(first).body });
  expect(await fetchApi('/v2/businesses/me', {}, 'at_nonsense')).toMatchObject({ status: 401 });
});

test('a page from another origin cannot read any response', async () => {
  const fetchApi = await pageOf(other());
  expect(await fetchApi('/v2/businesses/me')).toBe(blocked);
  expect(await fetchApi('/v2/businesses/me', {}, 'at_nonsense')).toBe(blocked);
  expect(await fetchApi('/v2/businesses/me', {}, '')).toBe(blocked);
  expect(await fetchApi('/v2/order', { method: 'POST', body: '{}' })).toBe(blocked);
});

test('no page can read a response to an API key, to cookies, or of the token endpoint', async () => {
  const fetchApi = await pageOf(allowed());
  expect(await fetchApi('/v2/businesses/me', {}, key)).toBe(blocked);
  expect(await fetchApi('/v2/businesses/me', { credentials: 'include' })).toBe(blocked);
  expect(await fetchApi('/v2/oauth/token', { method: 'POST', body: 'grant_type=refresh_token' }, '')).toBe(
    blocked,
  );
});

test('pages from any origin can read the OpenAPI document and the metadata', async () => {
  const fetchApi = await pageOf(other());
  expect(await fetchApi('/docs/openapi.json', {}, '')).toMatchObject({
    status: 200,
    body: { openapi: '3.1.0' },
  });
  const path = '/.well-known/oauth-authorization-server';
  expect(await fetchApi(path, { headers: { 'X-Client': 'a' } }, '')).toMatchObject({ status: 200 });
});

test('a page from a removed origin cannot read the next response', async () => {
  const fetchApi = await pageOf(allowed());
  expect(await fetchApi('/v2/businesses/me')).toMatchObject({ status: 200 });
  await stage.platform.updateApplication(application, { allowedOrigins: [] });
  expect(await fetchApi('/v2/businesses/me')).toBe(blocked);
});
