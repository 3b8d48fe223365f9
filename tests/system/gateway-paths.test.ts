import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { fencedUpstream } from '../harness/fenced-upstream.ts';
import { rawRequest } from '../harness/raw-request.ts';
import { parseResponses } from '../harness/raw-responses.ts';
import { bearerLine, requestBytes } from '../harness/request-bytes.ts';
import { running } from '../harness/running.ts';
import { sharedBehind } from '../harness/shared-platform.ts';

const upstream = running(fencedUpstream);
const platform = running(() => sharedBehind({ upstreams: [upstream.origin] }));
let everything: string;
let businessOnly: string;

beforeAll(async () => {
  everything = (await platform.createKey()).keyString;
  businessOnly = (await platform.createKey({ type: 'restricted', scopes: ['business:read'] })).keyString;
});
beforeEach(() => upstream.clear());

const port = () => platform.gatewayPorts[0] ?? 0;

/** Sends a target as it is, and returns the response and the targets that reached the upstream. */
async function get(target: string, bearer = everything) {
  const bytes = requestBytes('GET', target, [bearerLine(bearer), 'Connection: close']);
  const [response] = parseResponses((await rawRequest(port(), bytes)).text);
  return {
    status: response?.status,
    error: response?.text.includes('"error"') ? JSON.parse(response.text) : undefined,
    forwarded: upstream.requests.map((request) => request.target),
  };
}

/** Targets as rows of a table, each with a name of readable length. */
const named = (targets: readonly string[]) => targets.map((target) => [target.slice(0, 60), target] as const);

describe('a path that an upstream may normalize is refused', () => {
  test.each([
    '/v2/./order',
    '/v2/../v2/order',
    '/v2/order/.',
    '/v2/order/..',
    '/v2/order/../businesses/me',
    '/v2/%2e/order',
    '/v2/%2E%2e/v2/order',
    '/v2/.%2e/v2/order',
    '/v2/%2e./v2/order',
    '/v2/order/a%2eb',
    '//v2/order',
    '///evil.test/v2/order',
    '/v2//order',
    '/v2/order//',
    '/v2\\order',
    '/v2/order\\..\\businesses\\me',
    '/\\evil.test/v2/order',
    '/v2/%5corder',
    '/v2/order%5C..%5Cx',
    '/v2/order%2fo1',
    '/v2/order%2Fo1',
    '/v2%2forder',
    '/v2/order/%00',
    '/v2/order%00.json',
    '/v2/order/%',
    '/v2/order/%2',
    '/v2/order/%zz',
    '/v2/order/%%32e',
    '/v2/order/%u002e',
    '/v2/order#fragment',
    '/v2/order#?query',
  ])('%s', async (target) => {
    expect(await get(target)).toEqual({
      status: 400,
      error: { error: 'the path is ambiguous or malformed', status: 'Bad Request', code: 400 },
      forwarded: [],
    });
  });

  test.each([
    ['ö as UTF-8', '/v2/\xc3\xb6rder'],
    ['ö as UTF-8 in the query', '/v2/order?a=\xc3\xb6'],
    ['an overlong dot', '/v2/\xc0\xae/order'],
    ['a tab', '/v2/order\t'],
    ['a space', '/v2/order x'],
    ['NUL', '/v2/order\0'],
    ['DEL', '/v2/order\x7f'],
    ['a vertical tab in the query', '/v2/order?a=\x0b'],
  ])('a target with invalid bytes: %s', async (_, target) => {
    const { status, forwarded } = await get(target);
    expect(status).toBe(400);
    expect(forwarded).toEqual([]);
  });
});

describe('a target in absolute-form', () => {
  test.each(['Host: api.test', 'Host: evil.test'])(
    'of our own host is routed and forwarded in origin-form, whatever Host says: %s',
    async (host) => {
      const authority = new URL(platform.publicUrl).host;
      const bytes = requestBytes('GET', `http://${authority}/v2/order?limit=5`, [bearerLine(everything)]);
      const sent = bytes.replace('Host: api.test', host);
      const response = await upstream.send(port(), everything, sent);
      expect(response.statuses).toEqual([200]);
      expect(upstream.arrived()).toEqual(['GET /order?limit=5 ']);
      expect(upstream.requests[0]?.values('x-forwarded-host')).toEqual([authority]);
    },
  );

  test('is checked like every other path', async () => {
    const authority = new URL(platform.publicUrl).host;
    for (const path of ['/v2/../v2/order', '//v2/order', '/v2/%2e%2e/order']) {
      expect(await get(`http://${authority}${path}`)).toMatchObject({ status: 400, forwarded: [] });
    }
  });
});

test.each([
  ['absolute-form of another host', 'GET http://api.test/v2/order', 421],
  ['absolute-form of another host, https', 'GET https://evil.test/v2/order', 421],
  ['absolute-form with a user', 'GET http://x@127.0.0.1/v2/order', 421],
  ['absolute-form of another scheme', 'GET ftp://api.test/v2/order', 400],
  ['authority-form', 'GET api.test:80', 400],
  ['asterisk-form', 'OPTIONS *', 400],
  ['no slash', 'GET v2/order', 400],
])('a target in %s is refused, and no bytes after it are read', async (_, start, status) => {
  const [method = '', target = ''] = start.split(' ');
  const lines = [bearerLine(everything)];
  const hidden = requestBytes('GET', '/v2/order?hidden', lines);
  const response = await upstream.send(port(), everything, requestBytes(method, target, lines) + hidden);
  expect(upstream.arrived()).toEqual([]);
  expect(response.statuses).toEqual([status]);
  expect(response.closed).toBe(true);
});

describe('a path that is not exactly a route is no route', () => {
  const strangers = [
    '/v2/%6frder',
    '/v2/%6Frder',
    '/%762/order',
    '/v2/businesses/%6de',
    '/v2/order/%6f1',
    '/v2/ORDER',
    '/V2/order',
    '/v2/businesses/Me',
    '/v2/order/',
    '/v2/businesses/me/',
    '/v2/order;a=b',
    '/v2;a=b/order',
    '/v2/order/o1;a=b',
    '/v2/order/..;/businesses/me',
    '/v2/.../order',
    '/v2/%252e%252e/v2/order',
    '/v2/order/%c0%ae%c0%ae',
    '/v2/order/%ef%bc%8f',
    '/v2/%c3%b6rder',
    '/v2/order.json',
    '/v2/order/a,b',
    '/v2/order/a:b',
    '/v2/order/a@b',
    '/v2/order/*',
    '/v2/order/a+b',
    '/v2/order/a&b',
    '/v2/businesses',
    '/v2/businesses/7',
    '/v3/order',
    '/order',
    '/v2/v2/order',
    `/v2/order/${'x'.repeat(129)}`,
    `/v2/order/${'x'.repeat(12_000)}`,
  ];

  test.each(named(strangers))('%s', async (_, target) => {
    expect(await get(target)).toEqual({
      status: 404,
      error: { error: 'not found', status: 'Not Found', code: 404 },
      forwarded: [],
    });
  });

  test('a target that is too long gets 431', async () => {
    const { status, forwarded } = await get(`/v2/order?${'x'.repeat(20_000)}`);
    expect(status).toBe(431);
    expect(forwarded).toEqual([]);
  });
});

const passing = [
  '/v2/order',
  '/v2/order/o1',
  '/v2/order/ORD_a-Z_09',
  `/v2/order/${'x'.repeat(64)}`,
  '/v2/order?',
  '/v2/order??',
  '/v2/order?a=1&a=2',
  '/v2/order?a=1&A=2&a=',
  '/v2/order?&&=&',
  '/v2/order?path=../../x',
  '/v2/order?path=/../x/./y',
  '/v2/order?%2e%2e',
  '/v2/order?url=//evil.test//x',
  '/v2/order?url=http://evil.test/v2/order',
  '/v2/order?a=%00%2F%5c%zz%',
  '/v2/order?a=\\b',
  '/v2/order?a=b;c=d',
  '/v2/order?a[]=1&a[b]=2',
  '/v2/order?__proto__=1&constructor=2',
  '/v2/order?a=+%20+',
  '/v2/order?a="<>^`{|}\'',
  '/v2/order?%6f=%6F',
  `/v2/order?a=${'x'.repeat(12_000)}`,
  '/v2/order/o1?x=/v2/businesses/me',
];

describe('an accepted path is forwarded byte for byte without the version', () => {
  test.each(named(passing))('%s', async (_, target) => {
    expect(await get(target)).toEqual({
      status: 200,
      error: undefined,
      forwarded: [target.slice('/v2'.length)],
    });
  });
});

test('no spelling of a target bypasses the scope of its route', async () => {
  for (const target of passing) {
    const { status, forwarded } = await get(target, businessOnly);
    expect([target, status, forwarded]).toEqual([target, 403, []]);
  }
  expect(await get('/v2/businesses/me?/v2/order', businessOnly)).toMatchObject({
    status: 200,
    forwarded: ['/businesses/me?/v2/order'],
  });
});
