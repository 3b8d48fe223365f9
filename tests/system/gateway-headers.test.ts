import { createPublicKey, verify } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { TestKey } from '../harness/api-keys.ts';
import { rawRequest } from '../harness/raw-request.ts';
import { comparableResponse, parseResponses } from '../harness/raw-responses.ts';
import {
  forward as forwardThrough,
  type RecordedRequest,
  recordingUpstream,
} from '../harness/recording-upstream.ts';
import { bearerLine, requestBytes } from '../harness/request-bytes.ts';
import { running } from '../harness/running.ts';
import { sharedBehind } from '../harness/shared-platform.ts';
import { startUpstream } from '../harness/upstream.ts';

/** Gateways: one as it comes, one whose upstream says what only the gateway may say. */
const [usual, boastful] = [0, 1];

const upstream = running(recordingUpstream);
const boaster = running(() => startUpstream(boast));
const platform = running(() =>
  sharedBehind({
    gateways: 2,
    upstreams: [upstream.origin],
    gatewayEnv: (index): Record<string, string> =>
      index === boastful ? { BUSINESS_HTTP_ORIGINS: boaster.origin } : {},
  }),
);
let key: TestKey;

beforeAll(async () => {
  key = await platform.createKey();
});
beforeEach(() => upstream.clear());

const forward = (lines: readonly string[]) => forwardThrough(platform, upstream, key.keyString, lines);

const namesOf = ({ rawHeaders }: RecordedRequest) =>
  rawHeaders.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase());

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('the upstream gets', () => {
  test('each header of the gateway once, on a persistent connection, and nothing that the caller did not send', async () => {
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

  test('a passport of the right business, signed by identity-service and valid for minutes', async () => {
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

  test('the request id that the client gets', async () => {
    const response = await platform.request(usual, 'GET', '/v2/order', { key: key.keyString });
    const [id] = upstream.requests[0]?.values('x-request-id') ?? [];
    expect(id).toMatch(uuid);
    expect(comparableResponse(response).headers['X-Request-Id']).toBe(id);
  });

  test('the end-to-end headers of the client', async () => {
    const recorded = await forward([
      'Accept: application/json',
      'Accept-Language: de, en',
      'Idempotency-Key: k1',
      'User-Agent: test/1.0',
      'X-Custom: a',
      'x-custom: b',
      'If-None-Match: "x"',
    ]);
    expect(recorded.values('accept')).toEqual(['application/json']);
    expect(recorded.values('accept-language')).toEqual(['de, en']);
    expect(recorded.values('idempotency-key')).toEqual(['k1']);
    expect(recorded.values('user-agent')).toEqual(['test/1.0']);
    expect(recorded.values('x-custom')).toEqual(['a, b']);
    expect(recorded.values('if-none-match')).toEqual(['"x"']);
  });

  test('none of the trace headers of a client, since services behind the gateway trust them', async () => {
    const recorded = await forward([
      'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      'tracestate: vendor=1',
    ]);
    expect([...recorded.values('traceparent'), ...recorded.values('tracestate')]).toEqual([]);
  });

  test('never a secret of the caller', async () => {
    const recorded = await forward(['Cookie: session=1', 'cookie: b=2', 'Proxy-Authorization: Basic eDp5']);
    expect(JSON.stringify(recorded.rawHeaders)).not.toContain(key.keyString);
    for (const name of ['authorization', 'cookie', 'proxy-authorization']) {
      expect(recorded.values(name)).toEqual([]);
    }
  });
});

describe('headers that only the gateway may set', () => {
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

  test.each([...internal, ...foreign])('drop %s of the caller in every spelling', async (name) => {
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
  ])('cannot be removed with Connection: %s', async (value) => {
    const recorded = await forward([`Connection: ${value}`]);
    for (const name of ['host', ...internal]) expect(recorded.values(name)).toHaveLength(1);
  });
});

describe('hop-by-hop headers are not forwarded', () => {
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
    ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: eA=='],
  ];

  test.each(cases.map((lines) => [lines.join(' + '), lines] as const))('%s', async (_, sent) => {
    const recorded = await forward(sent);
    const own = new Set(['connection', 'sec-websocket-version', 'sec-websocket-key']);
    const names = sent.map((line) => line.slice(0, line.indexOf(':')).toLowerCase());
    for (const name of names.filter((name) => !own.has(name))) expect(recorded.values(name)).toEqual([]);
    expect(recorded.values('connection')).toEqual(['keep-alive']);
  });
});

/** Responds with all headers that an upstream should not send. */
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
  res.write('response');
  res.addTrailers({ 'X-After': '1' });
  res.end();
};

describe('the caller gets', () => {
  test('the headers of the upstream about its response, but not those about itself or the limit', async () => {
    const response = await platform.request(boastful, 'GET', '/v2/order', { key: key.keyString });
    expect(comparableResponse(response)).toEqual({
      status: 200,
      text: 'response',
      headers: {
        'content-type': 'text/plain',
        'X-Content-Type-Options': 'nosniff',
        'cache-control': 'private',
        etag: '"x"',
        Vary: 'Accept, Accept-Encoding',
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
    expect(response.headers['keep-alive']).toBe('timeout=60');
    expect(response.headers.connection).toBe('keep-alive');
  });

  test('the end of the connection when requested', async () => {
    const bytes = requestBytes('GET', '/v2/order', [bearerLine(key.keyString), 'Connection: close']);
    const raw = await rawRequest(platform.gatewayPorts[boastful] ?? 0, bytes);
    expect(parseResponses(raw.text)).toMatchObject([{ status: 200 }]);
    expect(raw.text).toContain('\r\nConnection: close\r\n');
    expect(raw.closed).toBe(true);
  });
});
