import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createCheckedToken } from '@platform/service-kit/secrets/checked-token.ts';
import { freePort } from '../../deploy/local/process/free-port.ts';
import type { TestApplication } from '../harness/applications.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import type { HttpResponse, RequestOptions } from '../harness/http-request.ts';
import { connect } from '../harness/oauth.ts';
import { signUpVerified, type TestPerson } from '../harness/people.ts';
import type { Platform } from '../harness/platform.ts';
import { type RecordingUpstream, recordingUpstream } from '../harness/recording-upstream.ts';
import { sharedBehind } from '../harness/shared-platform.ts';

/** CORS at the gateway: what pages of which origin may ask and read. */

/** Gateways: one as it comes, one more, one with no service behind it, one that has never been asked. */
const [usual, second, orphaned, untouched] = [0, 1, 2, 3];
const origin = 'https://tool.example';
const local = 'http://localhost:3000';
const others = 'https://other.example';
const unlisted = 'https://unlisted.example';
const unknown = 'https://evil.example';
const path = '/v2/businesses/me';
const metadata = '/.well-known/oauth-authorization-server';

let upstream: RecordingUpstream;
let platform: Platform;
let owner: TestPerson;
let application: TestApplication;
let token: string;
beforeAll(async () => {
  upstream = await recordingUpstream();
  const unreachable = `http://127.0.0.1:${await freePort()}`;
  platform = await sharedBehind({
    gateways: 4,
    upstreams: [upstream.origin],
    gatewayEnv: (index): Record<string, string> =>
      index === orphaned ? { BUSINESS_HTTP_ORIGINS: unreachable, IDENTITY_HTTP_ORIGINS: unreachable } : {},
  });
  owner = await signUpVerified(platform);
  const { businessId } = platform;
  application = await platform.createApplication({ businessId, allowedOrigins: [origin, local] });
  await platform.createApplication({ businessId, allowedOrigins: [others] });
  token = (await connect(platform, owner.browser, application)).accessToken;
});
afterAll(async () => {
  await platform.close();
  await upstream.close();
});
beforeEach(() => upstream.clear());

const send = (method: string, at: string, headers: RequestOptions['headers'] = {}, gateway: number = usual) =>
  platform.request(gateway, method, at, { headers });

const preflight = (from: string | string[], at = path, gateway: number = usual) =>
  send(
    'OPTIONS',
    at,
    {
      Origin: from,
      'Access-Control-Request-Method': 'PATCH',
      'Access-Control-Request-Headers': 'authorization,content-type,if-match',
    },
    gateway,
  );

const ask = (
  from: string,
  options: RequestOptions & { at?: string; method?: string; gateway?: number } = {},
) => {
  const { at = path, method = 'GET', gateway = usual, headers, ...rest } = options;
  const sent = { key: token, ...rest, headers: { Origin: from, ...headers } };
  return platform.request(gateway, method, at, sent);
};

/** CORS headers of a response, by their short names, and its Vary. */
function corsOf({ headers }: HttpResponse): Record<string, unknown> {
  expect(headers['access-control-allow-credentials']).toBeUndefined();
  const cors = Object.entries(headers).filter(([name]) => name.startsWith('access-control-'));
  return Object.fromEntries(cors.map(([name, value]) => [name.slice('access-control-'.length), value]));
}

const variesByOrigin = ({ headers }: HttpResponse) => listOf(headers.vary).includes('origin');

const listOf = (value: unknown) => String(value).toLowerCase().split(', ');

describe('a preflight request', () => {
  test.each([origin, local, others])('from %s, which some application allows, is approved', async (from) => {
    const response = await preflight(from);
    expect([response.status, response.text]).toEqual([204, '']);
    expect(response.headers).toMatchObject({ vary: 'Origin', 'x-request-id': expect.any(String) });
    const cors = corsOf(response);
    expect(cors).toMatchObject({ 'allow-origin': from, 'max-age': expect.stringMatching(/^\d{1,3}$/) });
    expect(listOf(cors['allow-methods'])).toEqual(expect.arrayContaining(['get', 'post', 'patch']));
    expect(listOf(cors['allow-headers'])).toEqual(
      expect.arrayContaining([
        'authorization',
        'content-type',
        'idempotency-key',
        'if-match',
        'if-none-match',
      ]),
    );
  });

  test.each([
    unknown,
    'null',
    '*',
    '',
    'https://TOOL.example',
    'https://tool.example/',
    'https://tool.example:443',
    'https://tool.example.evil.example',
    'https://eviltool.example',
    'http://tool.example',
    'http://localhost:3001',
    'https://tool.example, https://evil.example',
    'https://tool.example\t',
  ])('from %j gets no CORS headers', async (from) => {
    const response = await preflight(from);
    // HTTP does not count blanks around a value, so this one is the origin itself.
    if (from.trim() === origin) return expect(corsOf(response)).toMatchObject({ 'allow-origin': origin });
    expect([response.status, response.text, corsOf(response)]).toEqual([204, '', {}]);
  });

  test('with two origins, or a very long one, gets no CORS headers', async () => {
    expect(corsOf(await preflight([origin, unknown]))).toEqual({});
    expect(corsOf(await preflight(`${origin}${'x'.repeat(10_000)}`))).toEqual({});
  });

  test('gets the same response for existing and unknown paths', async () => {
    const there = await preflight(origin, '/v2/order/ord_1');
    const nowhere = await preflight(origin, '/v2/nothing');
    expect(corsOf(nowhere)).toEqual(corsOf(there));
  });

  test.each([
    '/v2/oauth/token',
    '/v2/oauth/revoke',
    '/login',
    '/dashboard-api/me',
    '/docs/errors',
    '/',
    '/nothing',
  ])('to %s is handled like any other request, without CORS headers', async (at) => {
    const response = await preflight(origin, at);
    expect([404, 405]).toContain(response.status);
    expect(corsOf(response)).toEqual({});
  });

  test('is not forwarded and does not count toward a limit, even with a token', async () => {
    const before = await ask(origin);
    for (let i = 0; i < 5; i++) {
      await send('OPTIONS', path, {
        Origin: origin,
        'Access-Control-Request-Method': 'GET',
        Authorization: `Bearer ${token}`,
      });
    }
    const after = await ask(origin);
    const left = [before, after].map(({ headers }) => Number(headers['x-ratelimit-remaining']));
    expect((left[0] ?? 0) - (left[1] ?? 0)).toBe(1);
    expect(upstream.requests.map(({ method }) => method)).toEqual(['GET', 'GET']);
  });

  test('needs an origin and a method, and has no body', async () => {
    const method = { 'Access-Control-Request-Method': 'GET' };
    const responses = [
      await send('OPTIONS', path, { Origin: origin }),
      await send('OPTIONS', path, method),
      await platform.request(usual, 'OPTIONS', path, { headers: { Origin: origin, ...method }, body: 'x' }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([401, 401, 401]);
  });
});

describe('a response', () => {
  test('to a token may be read by pages of its application, with what a client needs of its headers', async () => {
    for (const from of [origin, local]) {
      const response = await ask(from);
      expect([response.status, variesByOrigin(response)]).toEqual([200, true]);
      const cors = corsOf(response);
      expect(cors).toEqual({ 'allow-origin': from, 'expose-headers': expect.any(String) });
      expect(listOf(cors['expose-headers'])).toEqual(
        expect.arrayContaining([
          ...['ratelimit', 'ratelimit-policy', 'x-ratelimit-limit', 'x-ratelimit-remaining'],
          ...[
            'x-ratelimit-reset',
            'x-request-id',
            'etag',
            'location',
            'retry-after',
            'link',
            'www-authenticate',
          ],
        ]),
      );
    }
  });

  test.each([others, unknown, 'null', '*', `${origin}, ${unknown}`])(
    'to a token may not be read by a page of %s, which its application does not allow',
    async (from) => {
      const response = await ask(from);
      expect([response.status, corsOf(response), variesByOrigin(response)]).toEqual([200, {}, true]);
    },
  );

  test('is never a 304 for a page that may not read it, whose browser would show its stored copy', async () => {
    const headers = { 'If-None-Match': '"kept"' };
    for (const from of [origin, others]) await ask(from, { headers });
    expect(upstream.requests.map((request) => request.values('if-none-match'))).toEqual([['"kept"'], []]);
  });

  test('to an API key may not be read by any page', async () => {
    const { keyString } = await platform.createKey({ type: 'restricted', scopes: ['business:read'] });
    for (const at of [path, '/v2/order', '/v2/nothing']) {
      expect(corsOf(await ask(origin, { key: keyString, at }))).toEqual({});
    }
    const limited = await platform.createKey();
    await platform.setKeyLimit(limited, 1);
    await ask(origin, { key: limited.keyString });
    const refused = await ask(origin, { key: limited.keyString });
    expect([refused.status, corsOf(refused)]).toEqual([429, {}]);
  });

  test('without an origin has no CORS headers', async () => {
    const response = await platform.request(usual, 'GET', path, { key: token });
    expect([corsOf(response), variesByOrigin(response)]).toEqual([{}, false]);
  });

  test.each([
    ['403 for a scope', 403, { at: '/v2/order', method: 'POST', body: {} }],
    ['404', 404, { at: '/v2/nothing' }],
    ['405', 405, { method: 'PATCH', body: {} }],
    ['502', 502, { gateway: orphaned }],
  ] as const)(
    'that is %s may be read by the same pages, and by no others',
    async (_name, status, options) => {
      const readable = await ask(origin, options);
      expect([readable.status, corsOf(readable)['allow-origin']]).toEqual([status, origin]);
      for (const from of [others, unknown]) expect(corsOf(await ask(from, options))).toEqual({});
    },
  );

  test('to a token from an address that is not on the whitelist may be read, since its application is known', async () => {
    const elsewhere = await platform.createApplication({
      businessId: owner.businessId,
      allowedOrigins: [unlisted],
    });
    const { accessToken: key } = await connect(platform, owner.browser, elsewhere);
    await platform.updateApplication(elsewhere, { ipWhitelist: ['203.0.113.9'] });
    const response = await ask(unlisted, { key });
    expect([response.status, corsOf(response)['allow-origin']]).toEqual([403, unlisted]);
    expect(corsOf(await ask(others, { key }))).toEqual({});
  });

  test.each([
    ['no credential', {}],
    ['nonsense', { Authorization: 'Bearer nonsense' }],
    ['an unknown token', { Authorization: `Bearer ${createCheckedToken('at')}` }],
  ])('that is 401 for %s may be read from every allowed origin', async (_name, headers) => {
    for (const from of [origin, others]) {
      const response = await send('GET', path, { Origin: from, ...headers });
      expect([response.status, corsOf(response)['allow-origin'], response.headers.vary]).toEqual([
        401,
        from,
        'Origin',
      ]);
    }
    expect(corsOf(await send('GET', path, { Origin: unknown, ...headers }))).toEqual({});
  });

  test.each(['/v2/oauth/token', '/v2/oauth/revoke'])('of %s has no CORS headers', async (at) => {
    const response = await platform.request(usual, 'POST', at, { headers: { Origin: origin }, body: {} });
    expect([response.status, corsOf(response)]).toEqual([400, {}]);
  });

  test.each(['/', '/login', '/docs', '/dashboard/', '/dashboard-api/session', '/nothing'])(
    'of the page %s has no CORS headers',
    async (at) => {
      expect(corsOf(await ask(origin, { at }))).toEqual({});
    },
  );
});

describe.each(['/docs/openapi.json', metadata])('%s', (at) => {
  test('may be read from anywhere', async () => {
    for (const from of [unknown, 'null', origin]) {
      for (const method of ['GET', 'HEAD']) {
        const response = await send(method, at, { Origin: from });
        expect([response.status, corsOf(response)['allow-origin']]).toEqual([200, '*']);
      }
      const response = await preflight(from, at);
      expect([response.status, corsOf(response)]).toMatchObject([
        204,
        { 'allow-origin': '*', 'allow-methods': 'GET, HEAD' },
      ]);
    }
  });

  test('has the same CORS headers without an Origin, so that any cache may store it', async () => {
    expect(corsOf(await send('GET', at))['allow-origin']).toBe('*');
  });
});

describe('a change of the allowed origins', () => {
  const setOrigins = async (values: string[]) => {
    const { propagation } = await platform.updateApplication(application, { allowedOrigins: values });
    expect(propagation).toBe('confirmed');
  };
  const readable = async (from: string, gateway: number) =>
    corsOf(await ask(from, { gateway }))['allow-origin'] === from;
  const allowedBefore = async (from: string, isAllowed: boolean) => {
    for (const gateway of [usual, second]) {
      const expected = isAllowed ? from : undefined;
      await expectEventually(
        async () => expect(corsOf(await preflight(from, path, gateway))['allow-origin']).toBe(expected),
        { withinMs: 5_000 },
      );
    }
  };

  test('takes effect on the next response of every gateway, and soon on preflight requests', async () => {
    const fresh = 'https://fresh.example';
    for (const gateway of [usual, second]) {
      expect([await readable(origin, gateway), await readable(fresh, gateway)]).toEqual([true, false]);
    }
    await setOrigins([fresh, local]);
    for (const gateway of [usual, second]) {
      expect([await readable(origin, gateway), await readable(fresh, gateway)]).toEqual([false, true]);
    }
    await allowedBefore(fresh, true);
    await allowedBefore(origin, false);
    await setOrigins([]);
    expect([await readable(fresh, usual), await readable(fresh, second)]).toEqual([false, false]);
    await allowedBefore(fresh, false);
    await setOrigins([origin, local]);
    expect([await readable(origin, usual), await readable(origin, second)]).toEqual([true, true]);
  });

  test('ends with the application', async () => {
    const passing = 'https://passing.example';
    const { businessId } = owner;
    const short = await platform.createApplication({ businessId, allowedOrigins: [passing] });
    await allowedBefore(passing, true);
    await platform.deleteApplication(short);
    await allowedBefore(passing, false);
  });

  test('is recorded in the audit log with the old and new origins', async () => {
    await setOrigins([origin]);
    await setOrigins([origin, local]);
    const [row] = await platform.sql<{ details: unknown }>(
      `SELECT details FROM audit_events WHERE subject_id = $1 AND action = 'application.updated'
       ORDER BY id DESC LIMIT 1`,
      [application.id],
    );
    expect(row?.details).toMatchObject({ allowedOrigins: { from: [origin], to: [origin, local] } });
  });
});

describe('while identity-service is lost', () => {
  beforeAll(async () => {
    await ask(origin);
    await Promise.all(platform.identities.map((each) => each.kill()));
  });

  test('pages of unknown origins are not admitted, and no request fails because of it', async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => preflight(origin, path, untouched)));
    for (const response of responses) expect([response.status, corsOf(response)]).toEqual([204, {}]);
    const refused = await send('GET', path, { Origin: origin }, untouched);
    expect([refused.status, corsOf(refused)]).toEqual([401, {}]);
  });

  test('cached tokens and their pages keep working', async () => {
    const response = await ask(origin);
    expect([response.status, corsOf(response)['allow-origin']]).toEqual([200, origin]);
  });
});
