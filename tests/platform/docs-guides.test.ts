import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import type { TestApplication } from '../harness/applications.ts';
import { decode } from '../harness/browser.ts';
import { openDashboard } from '../harness/dashboard.ts';
import { documentationPages as pages } from '../harness/documentation-pages.ts';
import { connect } from '../harness/oauth.ts';
import { signUpVerified, type TestPerson } from '../harness/people.ts';
import { rawRequest } from '../harness/raw-request.ts';
import { parseResponses } from '../harness/raw-responses.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/** The documentation at /docs, as integrators get it from the gateway. */

const platform = running(sharedPlatform);
let owner: TestPerson;
let application: TestApplication;
const texts = new Map<string, string>();
beforeAll(async () => {
  owner = await signUpVerified(platform);
  application = await platform.createApplication({ businessId: owner.businessId });
  for (const page of pages) texts.set(page, (await get(page)).text);
});

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  platform.request(0, 'GET', path, { headers });
const textOf = (page: string) => texts.get(page) ?? '';
const idsOf = (page: string) => new Set([...textOf(page).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
const hrefsOf = (page: string) =>
  [...textOf(page).matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, href = '']) => decode(href));

describe.each(pages)('%s', (page) => {
  test('is a public page, without a session', async () => {
    const { status, headers, text } = await get(page);
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers['set-cookie']).toBeUndefined();
    expect(text).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(text).toMatch(/<a class="skip" href="#content">/);
    expect(text.match(/<h1>/g)).toHaveLength(1);
    expect(text).not.toContain('api.example.com');
  });

  test('is also found with a trailing slash', async () => {
    const { status, headers } = await get(`${page}/?from=search`);
    expect([status, headers.location]).toEqual([308, `${page}?from=search`]);
  });

  test('loads only from the platform, and has no inline script', async () => {
    const { headers, text } = await get(page);
    const policy = String(headers['content-security-policy']);
    expect(policy).toMatch(/^default-src 'none'; style-src 'self'; /);
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(policy).toContain("; script-src 'self'; connect-src 'self'");
    expect(text).not.toMatch(/<style| style=| on[a-z]+="|<script>/i);
    const loaded = [...text.matchAll(/<(?:link|script|img) [^>]*(?:href|src)="([^"]+)"/g)].map(
      ([, path]) => path,
    );
    for (const path of loaded) expect([path, (await get(String(path))).status]).toEqual([path, 200]);
  });

  test('has no broken link', async () => {
    const links = hrefsOf(page).filter((href) => !/^https:\/\/(github.com|www.rfc-editor.org)\//.test(href));
    for (const href of links)
      expect([href, await isThere(new URL(href, `${platform.publicUrl}${page}`))]).toEqual([href, true]);
  });

  test('links to every other page', () => {
    expect(hrefsOf(page)).toEqual(expect.arrayContaining([...pages]));
  });

  test('is revalidated with a response without a body', async () => {
    const { headers } = await get(page);
    const again = await get(page, { 'If-None-Match': String(headers.etag) });
    expect([headers['cache-control'], again.status, again.text]).toEqual(['no-cache', 304, '']);
  });
});

/** Whether an address belongs to the platform and exists; in the documentation, also its anchor; of emails, that for questions. */
async function isThere({ protocol, origin, pathname, hash }: URL): Promise<boolean> {
  if (protocol === 'mailto:') return pathname === 'support@127.0.0.1';
  if (origin !== platform.publicUrl) return false;
  if (hash !== '') return idsOf(pathname).has(hash.slice(1));
  return [200, 303].includes((await get(pathname)).status);
}

const securityHeaders = {
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

test.each(['/docs', '/docs/reference', '/docs/openapi.json', '/docs/openapi.yaml'])(
  '%s has the security headers, and no body for HEAD',
  async (path) => {
    const [full, head] = [await get(path), await platform.request(0, 'HEAD', path)];
    for (const { headers } of [full, head]) {
      expect(headers).toMatchObject(securityHeaders);
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    }
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(full.text)));
  },
);

test('an unknown page gets 404 with links to other pages', async () => {
  const { status, headers, text } = await get('/docs/nothing', { 'If-None-Match': '*' });
  expect([status, headers['cache-control'], headers.etag]).toEqual([404, 'no-store', undefined]);
  expect(text).toContain('<h1>Page not found</h1>');
  expect(text).toContain('href="/docs/errors"');
});

test('the OpenAPI document is the same as JSON and as YAML', async () => {
  const [json, yaml] = [await get('/docs/openapi.json'), await get('/docs/openapi.yaml')];
  expect(yaml.headers['content-type']).toBe('application/yaml');
  expect(parse(yaml.text)).toEqual(json.json());
  expect(yaml.text).not.toContain('api.example.com');
});

test('every link of the OpenAPI document leads to an existing section', async () => {
  const { text } = await get('/docs/openapi.json');
  const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => new URL(link));
  expect(links.length).toBeGreaterThan(10);
  for (const link of links) expect([link.href, await isThere(link)]).toEqual([link.href, true]);
});

describe('the content that pages load', () => {
  const assetPath = /(?<=")\/docs\/assets\/[^"]+(?=")/g;
  const assets = () => [...new Set(textOf('/docs/reference').match(assetPath))];

  test('is compressed, and cached permanently under a name that changes with the content', async () => {
    expect(assets()).toHaveLength(8);
    for (const path of assets()) {
      const plain = await get(path);
      expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(plain.headers['content-encoding']).toBeUndefined();
      const packed = await Promise.all(
        ['gzip', 'br', 'gzip, deflate, br'].map((coding) => fetchPacked(path, coding)),
      );
      expect(packed.map(({ coding }) => coding)).toEqual(['gzip', 'br', 'br']);
      for (const { text, vary } of packed)
        expect([vary, text === plain.text]).toEqual(['Accept-Encoding', true]);
    }
  });

  test('is small when compressed: scripts with the search and its index have at most 60 kB', async () => {
    const sizes = await Promise.all(assets().map((path) => fetchPacked(path, 'br')));
    expect(sizes.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(60_000);
  });

  test('is the same on every page', () => {
    for (const page of pages) expect(textOf(page).match(assetPath)).toEqual(textOf('/docs').match(assetPath));
  });

  test.each(['/docs/nothing', '/docs/assets/tabs.js', '/docs/assets/../openapi.json', '/docs/errors//'])(
    'has no file at %s',
    async (path) => {
      expect([400, 404]).toContain((await get(path)).status);
    },
  );
});

/** The response as sent, and its decompressed text. */
async function fetchPacked(path: string, accepted: string) {
  const port = platform.gatewayPorts[0] ?? 0;
  const head = `GET ${path} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: ${accepted}\r\nConnection: close\r\n\r\n`;
  const [response] = parseResponses((await rawRequest(port, head, { quietMs: 30_000 })).text);
  const bytes = Buffer.from(response?.text ?? '', 'latin1');
  const { 'Content-Encoding': coding, Vary: vary } = response?.headers ?? {};
  const text = (coding === 'br' ? brotliDecompressSync(bytes) : gunzipSync(bytes)).toString('utf8');
  return { coding, vary, size: bytes.length, text };
}

const mandatory = [
  ...['invalid_api_key', 'api_key_expired', 'invalid_access_token', 'access_token_expired'],
  ...[
    'insufficient_scope',
    'ip_not_allowed',
    'api_key_ip_not_allowed',
    'business_frozen',
    'key_frozen',
    'rate_limit_exceeded',
    'bad_request',
  ],
  ...['application_suspended', 'connection_suspended'],
  ...[
    'not_found',
    'method_not_allowed',
    'conflict',
    'precondition_failed',
    'payload_too_large',
    'unsupported_media_type',
  ],
  ...['unprocessable', 'bad_gateway', 'unavailable', 'gateway_timeout', 'invalid_request', 'invalid_client'],
  ...['invalid_grant', 'unauthorized_client', 'unsupported_grant_type', 'access_denied', 'server_error'],
];

test.each(mandatory)('the page of errors has a section %s that says what to do', (id) => {
  const [, section] =
    new RegExp(`<h3 id="${id}">(.*?)<h[123] `, 's').exec(`${textOf('/docs/errors')}<h1 `) ?? [];
  expect(section).toContain('<strong>What to do.</strong>');
});

describe('each help link of a response leads to a section about it', () => {
  const path = '/v2/businesses/me';
  const expectHelp = async (key: string, status: number, id: string, asked = path) => {
    const response = await platform.request(0, 'GET', asked, { key });
    expect([response.status, response.headers.link]).toEqual([status, `</docs/errors#${id}>; rel="help"`]);
    expect(idsOf('/docs/errors')).toContain(id);
  };
  const past = "now() - interval '5 minutes'";

  test('401 of an API key', async () => {
    await expectHelp('nonsense', 401, 'invalid_api_key');
    const key = await platform.createKey({ expiresAt: new Date(Date.now() + 3_600_000) });
    await platform.sql(`UPDATE api_keys SET expires_at = ${past} WHERE id = $1`, [key.id]);
    await expectHelp(key.keyString, 401, 'api_key_expired');
  });

  test('401 of an access token', async () => {
    await expectHelp('at_nonsense', 401, 'invalid_access_token');
    const { accessToken } = await connect(platform, owner.browser, application);
    await platform.sql(
      `UPDATE access_tokens SET expires_at = ${past} WHERE grant_id IN (SELECT id FROM grants WHERE application_id = $1)`,
      [application.id],
    );
    await expectHelp(accessToken, 401, 'access_token_expired');
  });

  test('403', async () => {
    const key = await platform.createKey({ type: 'restricted', scopes: ['business:read'] });
    await expectHelp(key.keyString, 403, 'insufficient_scope', '/v2/order');
    const elsewhere = await platform.createApplication({ businessId: platform.businessId });
    const { accessToken } = await connect(platform, owner.browser, elsewhere);
    await platform.updateApplication(elsewhere, { ipWhitelist: ['203.0.113.9'] });
    await expectHelp(accessToken, 403, 'ip_not_allowed');
    const { keyString } = await platform.createKey({ businessId: owner.businessId });
    const dashboard = await openDashboard(owner, owner.browser);
    await dashboard.own('PUT', '/freeze', { reason: 'a key may have leaked' });
    await expectHelp(keyString, 403, 'business_frozen');
    await dashboard.own('DELETE', '/freeze');
  });

  test('429', async () => {
    const key = await platform.createKey();
    await platform.setKeyLimit(key, 1);
    await platform.request(0, 'GET', path, { key: key.keyString });
    await expectHelp(key.keyString, 429, 'rate_limit_exceeded');
  });
});
