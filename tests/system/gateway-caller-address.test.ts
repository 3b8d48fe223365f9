import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { errorBodies, errorResponse } from '../harness/error-responses.ts';
import type { RequestOptions } from '../harness/http-request.ts';
import { comparableResponse } from '../harness/raw-responses.ts';
import { forward, recordingUpstream } from '../harness/recording-upstream.ts';
import { running } from '../harness/running.ts';
import { sharedBehind } from '../harness/shared-platform.ts';

/** Trusted proxies of each gateway. */
const trusted: readonly Record<string, string>[] = [
  {},
  { TRUSTED_PROXIES: '127.0.0.1' },
  { TRUSTED_PROXIES: '127.0.0.0/8, 10.0.0.0/8,2001:db8::/32' },
  { TRUSTED_PROXIES: '::ffff:127.0.0.1,::ffff:10.0.0.0/104' },
  { TRUSTED_PROXIES: '127.0.0.1', PUBLIC_URL: 'https://api.example.com' },
];

const upstream = running(recordingUpstream);
const platform = running(() =>
  sharedBehind({
    gateways: trusted.length,
    upstreams: [upstream.origin],
    gatewayEnv: (index) => trusted[index] ?? {},
  }),
);
let key: string;

beforeAll(async () => {
  key = (await platform.createKey()).keyString;
});
beforeEach(() => upstream.clear());

/** Sends lines of one header, and returns what the upstream got. */
const through = (gateway: number, name: string, values: readonly string[]) =>
  forward(
    platform,
    upstream,
    key,
    values.map((value) => `${name}: ${value}`),
    gateway,
  );

describe('the address of the caller', () => {
  const forwardedFor = async (gateway: number, ...lines: string[]) =>
    (await through(gateway, 'X-Forwarded-For', lines)).values('x-forwarded-for');

  test.each([['203.0.113.9'], ['203.0.113.9, 127.0.0.1'], ['::1']])(
    'without trusted proxies X-Forwarded-For is ignored: %s',
    async (line) => {
      expect(await forwardedFor(0, line)).toEqual(['127.0.0.1']);
    },
  );

  test.each([
    ['one proxy, one address', 1, ['203.0.113.9'], '203.0.113.9'],
    ['what a stranger wrote further left', 1, ['198.51.100.1, 203.0.113.9'], '203.0.113.9'],
    ['the proxy itself further left', 1, ['127.0.0.1, 203.0.113.9'], '203.0.113.9'],
    ['nothing but proxies', 1, ['127.0.0.1, 127.0.0.1'], '127.0.0.1'],
    ['IPv6', 1, ['2001:DB8:0:0::9'], '2001:db8::9'],
    ['IPv4 in IPv6', 1, ['::ffff:203.0.113.9'], '203.0.113.9'],
    ['IPv4 in IPv6, in hexadecimal', 1, ['::ffff:cb00:7109'], '203.0.113.9'],
    ['no header', 1, [], '127.0.0.1'],
    ['an empty header', 1, [''], '127.0.0.1'],
    ['a chain of proxies', 2, ['203.0.113.9, 10.1.2.3, 127.9.9.9'], '203.0.113.9'],
    ['a chain with IPv6', 2, ['203.0.113.9, 2001:db8:5::1, 10.0.0.1'], '203.0.113.9'],
    ['a stranger in the chain', 2, ['203.0.113.9, 198.51.100.1, 10.0.0.1'], '198.51.100.1'],
    ['just outside a range', 2, ['203.0.113.9, 11.0.0.0'], '11.0.0.0'],
    ['just outside a range of IPv6', 2, ['203.0.113.9, 2001:db9::1'], '2001:db9::1'],
    ['a proxy as IPv4 in IPv6', 2, ['203.0.113.9, ::ffff:10.0.0.1'], '203.0.113.9'],
    ['proxies named as IPv4 in IPv6', 3, ['203.0.113.9, 10.0.0.1'], '203.0.113.9'],
    ['several lines are one list', 2, ['198.51.100.1', '203.0.113.9', '10.0.0.1, 10.0.0.2'], '203.0.113.9'],
    ['spaces and tabs', 2, [' 203.0.113.9 ,\t10.0.0.1 '], '203.0.113.9'],
    ['garbage stops the walk', 2, ['203.0.113.9, garbage, 10.0.0.1'], '10.0.0.1'],
    ['an empty entry stops the walk', 2, ['203.0.113.9,, 10.0.0.1'], '10.0.0.1'],
    ['addresses with ports', 2, ['203.0.113.9, "[2001:db9::7]:4711", 10.0.0.1:80'], '2001:db9::7'],
    ['unknown is garbage', 1, ['unknown'], '127.0.0.1'],
    ['a number is garbage', 1, ['3405803785'], '127.0.0.1'],
    ['two numbers are garbage', 1, ['203.9'], '127.0.0.1'],
    ['leading zeros are garbage', 1, ['0203.0.0113.9'], '127.0.0.1'],
    ['hexadecimal is garbage', 1, ['0xcb.0.0x71.9'], '127.0.0.1'],
  ])('%s', async (_, gateway, lines, expected) => {
    expect(await forwardedFor(gateway, ...lines)).toEqual([expected]);
  });
});

describe('the protocol of the caller', () => {
  const forwardedProto = async (gateway: number, value: string) =>
    (await through(gateway, 'X-Forwarded-Proto', [value])).values('x-forwarded-proto');

  test('is that of a trusted proxy', async () => {
    expect(await forwardedProto(1, 'https')).toEqual(['https']);
  });

  test.each([
    ['a stranger', 0, 'https'],
    ['a trusted proxy that says something else', 1, 'gopher'],
  ])('is http for %s', async (_, gateway, value) => {
    expect(await forwardedProto(gateway, value)).toEqual(['http']);
  });
});

describe('a request that a trusted proxy received over http', () => {
  const over = (proto: string, path: string, options: RequestOptions = {}) =>
    platform.request(1, 'GET', path, { ...options, headers: { 'X-Forwarded-Proto': proto } });

  test.each(['http', 'HTTP', 'http, https'])(
    '(%s) is refused with any key, and not counted',
    async (proto) => {
      const { keyString } = await platform.createKey();
      for (const credential of [{ key: keyString }, { key: 'sk_nonsense' }, {}]) {
        const response = await over(proto, '/v2/businesses/me', credential);
        expect(comparableResponse(response)).toEqual(
          errorResponse(403, errorBodies.forbidden, {
            'WWW-Authenticate': 'Bearer realm="API"',
            Link: '</docs/errors#plain_http>; rel="help"',
          }),
        );
      }
    },
  );

  test('is refused below /v2 in upper and lower case', async () => {
    for (const path of ['/V2/order', '/v2', '/v2/nothing']) {
      expect((await over('http', path, { key })).status).toBe(403);
    }
  });

  test('is refused at the token endpoint with any secret', async () => {
    const response = await platform.request(1, 'POST', '/v2/oauth/token', {
      headers: { 'X-Forwarded-Proto': 'http' },
      body: {},
    });
    expect([response.status, response.json()]).toEqual([
      403,
      {
        error: 'invalid_request',
        error_description: 'the request was sent over http: use https',
        error_uri: '/docs/errors#plain_http',
      },
    ]);
  });

  test.each(['/login?continue=/account', '/dashboard', '/docs'])(
    'for the page %s is redirected to https',
    async (path) => {
      const page = await platform.request(4, 'GET', path, { headers: { 'X-Forwarded-Proto': 'http' } });
      expect([page.status, page.headers.location]).toEqual([308, `https://api.example.com${path}`]);
      const form = await platform.request(4, 'POST', path, { headers: { 'X-Forwarded-Proto': 'http' } });
      expect(form.status).toBe(403);
      const secure = await platform.request(4, 'GET', path, { headers: { 'X-Forwarded-Proto': 'https' } });
      expect(secure.status).not.toBe(308);
    },
  );

  test('over https is served, and pages are served over http if the platform has no https', async () => {
    const { keyString: key } = await platform.createKey();
    const { status, headers } = await over('https', '/v2/businesses/me', { key });
    expect([status, headers['strict-transport-security']]).toEqual([200, 'max-age=31536000']);
    expect((await over('https', '/v2/order')).headers['strict-transport-security']).toBe('max-age=31536000');
    expect((await over('https, http', '/v2/businesses/me', { key })).status).toBe(200);
    const page = await over('http', '/docs');
    expect([page.status, page.headers['strict-transport-security']]).toEqual([200, undefined]);
  });
});
