import { createPublicKey, verify } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { TestKey } from '../harness/api-keys.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { plainAnswer, plainAnswers } from '../harness/raw-answers.ts';
import { rawRequest } from '../harness/raw-request.ts';
import {
  type RecordedRequest,
  type RecordingUpstream,
  recordingUpstream,
} from '../harness/recording-upstream.ts';
import { startUpstream, type Upstream } from '../harness/upstream.ts';

/** What each gateway takes for its own proxies. */
const trusted: readonly Record<string, string>[] = [
  {},
  { TRUSTED_PROXIES: '127.0.0.1' },
  { TRUSTED_PROXIES: '127.0.0.0/8, 10.0.0.0/8,2001:db8::/32' },
  { TRUSTED_PROXIES: '::ffff:127.0.0.1,::ffff:10.0.0.0/104' },
];
/** A gateway whose upstream says what only the gateway may say. */
const boastful = trusted.length;

let upstream: RecordingUpstream;
let platform: Platform;
let key: TestKey;
let boaster: Upstream;

beforeAll(async () => {
  upstream = await recordingUpstream();
  boaster = await startUpstream(boast);
  platform = await startPlatform({
    gateways: trusted.length + 1,
    upstreams: [upstream.origin],
    gatewayEnv: (index) => trusted[index] ?? { BUSINESS_HTTP_ORIGINS: boaster.origin },
  });
  key = await platform.createKey();
});
afterAll(async () => {
  await platform.close();
  await upstream.close();
  await boaster.close();
});
beforeEach(() => upstream.clear());

/** Sends header lines as they are, and returns what the upstream got. */
async function forward(lines: readonly string[], gateway = 0): Promise<RecordedRequest> {
  const usual = ['GET /v2/order HTTP/1.1', 'Host: api.test', `Authorization: Bearer ${key.keyString}`];
  const bytes = [...usual, ...lines, 'Connection: close', '', ''].join('\r\n');
  const raw = await rawRequest(platform.gatewayPorts[gateway] ?? 0, bytes);
  expect(raw.statuses).toEqual([200]);
  const [recorded, ...more] = upstream.requests;
  expect(more).toEqual([]);
  if (recorded === undefined) throw new Error('nothing arrived');
  return recorded;
}

const namesOf = ({ rawHeaders }: RecordedRequest) =>
  rawHeaders.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase());

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('to the upstream', () => {
  test('goes what the gateway says, once each, on a connection that is kept, and nothing that the caller did not send', async () => {
    const recorded = await forward([]);
    expect(namesOf(recorded).toSorted()).toEqual([
      'connection',
      'host',
      'x-forwarded-for',
      'x-forwarded-host',
      'x-forwarded-prefix',
      'x-forwarded-proto',
      'x-passport',
      'x-request-id',
    ]);
    expect(recorded.values('host')).toEqual(['business-service']);
    expect(recorded.values('connection')).toEqual(['keep-alive']);
    expect(recorded.values('x-forwarded-for')).toEqual(['127.0.0.1']);
    expect(recorded.values('x-forwarded-host')).toEqual(['api.test']);
    expect(recorded.values('x-forwarded-prefix')).toEqual(['/v2']);
    expect(recorded.values('x-forwarded-proto')).toEqual(['http']);
  });

  test('goes a passport of the right business, signed by identity-service and ending soon', async () => {
    const [passport = ''] = (await forward([])).values('x-passport');
    const [head = '', claims = '', signature = ''] = passport.split('.');
    const publicKey = createPublicKey({
      key: Buffer.from(platform.secrets.passportPublicKey, 'base64'),
      format: 'der',
      type: 'spki',
    });
    const signed = Buffer.from(`${head}.${claims}`);
    expect(verify(null, signed, publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
    const now = Date.now() / 1000;
    const { iat, exp, ...rest } = JSON.parse(Buffer.from(claims, 'base64url').toString());
    expect(rest).toMatchObject({
      iss: 'identity-service',
      aud: 'business-service',
      sub: key.id,
      business_id: key.businessId,
      credential_type: 'secret_key',
    });
    expect(rest.scope.split(' ').toSorted()).toEqual([
      'business:read',
      'events:read',
      'orders:read',
      'orders:write',
    ]);
    expect(exp - iat).toBeLessThanOrEqual(600);
    expect(exp).toBeGreaterThan(now);
  });

  test('goes the request id that the caller is told', async () => {
    const answer = await platform.request(0, 'GET', '/v2/order', { key: key.keyString });
    const [id] = upstream.requests[0]?.values('x-request-id') ?? [];
    expect(id).toMatch(uuid);
    expect(plainAnswer(answer).headers['X-Request-Id']).toBe(id);
  });

  test('go the headers of the caller that are nobody else’s business', async () => {
    const recorded = await forward([
      'Accept: application/json',
      'Accept-Language: de, en',
      'Idempotency-Key: k1',
      'User-Agent: test/1.0',
      'X-Custom: a',
      'x-custom: b',
      'If-None-Match: "x"',
      'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    ]);
    expect(recorded.values('accept')).toEqual(['application/json']);
    expect(recorded.values('accept-language')).toEqual(['de, en']);
    expect(recorded.values('idempotency-key')).toEqual(['k1']);
    expect(recorded.values('user-agent')).toEqual(['test/1.0']);
    expect(recorded.values('x-custom')).toEqual(['a, b']);
    expect(recorded.values('if-none-match')).toEqual(['"x"']);
    expect(recorded.values('traceparent')).toHaveLength(1);
  });

  test('never go the caller’s secrets', async () => {
    const recorded = await forward(['Cookie: session=1', 'cookie: b=2', 'Proxy-Authorization: Basic eDp5']);
    expect(JSON.stringify(recorded.rawHeaders)).not.toContain(key.keyString);
    for (const name of ['authorization', 'cookie', 'proxy-authorization']) {
      expect(recorded.values(name)).toEqual([]);
    }
  });
});

describe('what only the gateway may say', () => {
  const internal = [
    'X-Passport',
    'X-Request-Id',
    'X-Forwarded-For',
    'X-Forwarded-Host',
    'X-Forwarded-Prefix',
    'X-Forwarded-Proto',
  ];
  const foreign = [
    'Forwarded',
    'True-Client-IP',
    'Via',
    'X-Client-IP',
    'X-Forwarded',
    'X-Forwarded-By',
    'X-Forwarded-Port',
    'X-Forwarded-Server',
    'X-Forwarded-User',
    'X-Gateway-Business',
    'X-HTTP-Method-Override',
    'X-HTTP-Method',
    'X-Internal-Token',
    'X-Method-Override',
    'X-Original-URL',
    'X-Real-IP',
    'X-Rewrite-URL',
  ];
  const spellings = (name: string) => [
    name,
    name.toLowerCase(),
    name.toUpperCase(),
    name.replaceAll('-', '_'),
    name.replace('-', '_').toLowerCase(),
  ];

  test.each([...internal, ...foreign])('%s of the caller ends here, in every spelling', async (name) => {
    const recorded = await forward(
      spellings(name).flatMap((spelling) => [`${spelling}: spoofed`, `${spelling}: "spoofed"`]),
    );
    expect(recorded.rawHeaders.filter((value) => value.includes('spoofed'))).toEqual([]);
    const sent = namesOf(recorded).map((received) => received.replaceAll('_', '-'));
    expect(sent.filter((received) => received === name.toLowerCase())).toHaveLength(
      internal.includes(name) ? 1 : 0,
    );
  });

  test.each([
    'X-Passport',
    'x-passport, X-Request-Id, X-Forwarded-For, X-Forwarded-Prefix, X-Forwarded-Proto, X-Forwarded-Host',
    'close, X-Passport',
    'Host, Authorization',
    ' ,,X-Passport ,\tX-Request-Id',
  ])('Connection cannot take it away: %s', async (value) => {
    const recorded = await forward([`Connection: ${value}`]);
    for (const name of ['host', ...internal]) expect(recorded.values(name)).toHaveLength(1);
  });
});

describe('headers of one connection only', () => {
  const cases = [
    ['Keep-Alive: timeout=5'],
    ['TE: trailers'],
    ['Trailer: X-After'],
    ['Proxy-Connection: keep-alive'],
    ['Proxy-Authenticate: Basic'],
    ['Proxy-Authorization: Basic eDp5'],
    ['Proxy-Authentication-Info: x'],
    ['Upgrade: h2c'],
    ['HTTP2-Settings: AAMAAABkAAQAAP__'],
    ['Connection: X-Mine', 'X-Mine: 1'],
    ['Connection: close, x-mine', 'X-MINE: 1'],
    ['Connection: X-One', 'Connection: X-Mine', 'X-Mine: 1', 'X-One: 1'],
    ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'],
    ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'],
  ];

  test.each(cases.map((lines) => [lines.join(' + '), lines] as const))('%s', async (_, sent) => {
    const recorded = await forward(sent);
    const own = new Set(['connection', 'sec-websocket-version']);
    const names = sent.map((line) => line.slice(0, line.indexOf(':')).toLowerCase());
    for (const name of names.filter((name) => !own.has(name))) expect(recorded.values(name)).toEqual([]);
    expect(recorded.values('connection')).toEqual(['keep-alive']);
  });
});

/** Answers with everything that an upstream should not say. */
const boast: RequestListener = (_req, res) => {
  res.writeHead(200, {
    'Content-Type': 'text/plain',
    Connection: 'keep-alive, X-Local',
    'Keep-Alive': 'timeout=1',
    'X-Local': '1',
    'Proxy-Authenticate': 'Basic',
    'Proxy-Connection': 'close',
    Upgrade: 'h2c',
    Trailer: 'X-After',
    'X-Powered-By': 'Express',
    'X-Request-Id': 'theirs',
    RateLimit: 'theirs',
    'ratelimit-policy': 'theirs',
    'X-RateLimit-Limit': '1',
    'x-ratelimit-remaining': '1',
    'X-RATELIMIT-RESET': '1',
    'Set-Cookie': ['a=1', 'b=2'],
    'Cache-Control': 'private',
    ETag: '"x"',
    Vary: 'Accept',
    Link: '</next>; rel="next"',
  });
  res.write('answer');
  res.addTrailers({ 'X-After': '1' });
  res.end();
};

describe('to the caller', () => {
  test('goes what the upstream says of its answer, and not what it says of itself or of the limit', async () => {
    const answer = await platform.request(boastful, 'GET', '/v2/order', { key: key.keyString });
    expect(plainAnswer(answer)).toEqual({
      status: 200,
      text: 'answer',
      headers: {
        'content-type': 'text/plain',
        'set-cookie': 'a=1 AND b=2',
        'cache-control': 'private',
        etag: '"x"',
        vary: 'Accept',
        link: '</next>; rel="next"',
        'X-Request-Id': expect.stringMatching(uuid),
        'RateLimit-Policy': '"hour";q=10000;w=3600',
        RateLimit: expect.stringMatching(/^"hour";r=\d+;t=\d+$/),
        'X-RateLimit-Limit': '10000',
        'X-RateLimit-Remaining': expect.stringMatching(/^9\d+$/),
        'X-RateLimit-Reset': expect.stringMatching(/^\d{2,}$/),
        'Transfer-Encoding': 'chunked',
      },
    });
    expect(answer.headers['keep-alive']).toBe('timeout=60');
    expect(answer.headers.connection).toBe('keep-alive');
  });

  test('goes an end of the connection when the caller asked for one', async () => {
    const bytes = `GET /v2/order HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key.keyString}\r\nConnection: close\r\n\r\n`;
    const raw = await rawRequest(platform.gatewayPorts[boastful] ?? 0, bytes);
    expect(plainAnswers(raw.text)).toMatchObject([{ status: 200 }]);
    expect(raw.text).toContain('\r\nConnection: close\r\n');
    expect(raw.closed).toBe(true);
  });
});

describe('the address of the caller', () => {
  const forwardedFor = async (gateway: number, ...lines: string[]) =>
    (
      await forward(
        lines.map((line) => `X-Forwarded-For: ${line}`),
        gateway,
      )
    ).values('x-forwarded-for');

  test.each([['203.0.113.9'], ['203.0.113.9, 127.0.0.1'], ['::1']])(
    'without trusted proxies X-Forwarded-For means nothing: %s',
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
    ['an address with a port is garbage', 2, ['203.0.113.9, 198.51.100.1:80, 10.0.0.1'], '10.0.0.1'],
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
    (await forward([`X-Forwarded-Proto: ${value}`], gateway)).values('x-forwarded-proto');

  test('is what a trusted proxy says', async () => {
    expect(await forwardedProto(1, 'https')).toEqual(['https']);
  });

  test.each([
    ['a stranger', 0, 'https'],
    ['a trusted proxy that says something else', 1, 'gopher'],
  ])('is http for %s', async (_, gateway, value) => {
    expect(await forwardedProto(gateway, value)).toEqual(['http']);
  });
});
