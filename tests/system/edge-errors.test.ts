import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createCheckedToken } from '@platform/service-kit/checked-token.ts';
import { freePort } from '../../deploy/local/process/free-port.ts';
import type { TestKey } from '../harness/api-keys.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { query } from '../harness/postgres.ts';
import { plainAnswer, plainAnswers } from '../harness/raw-answers.ts';
import { rawRequest } from '../harness/raw-request.ts';

/** Gateways: one as it comes, one with small limits, one whose upstream is not there. */
const [usual, strict, orphaned] = [0, 1, 2];

let platform: Platform;
let key: TestKey;
let bearers: Record<string, string>;

beforeAll(async () => {
  const nobody = `http://127.0.0.1:${await freePort()}`;
  platform = await startPlatform({
    strictTimes: true,
    gateways: 3,
    gatewayEnv: (index) => {
      if (index === strict)
        return { MAX_BODY_BYTES: '1000', UPSTREAM_TIMEOUT_MS: '300', DOCS_URL: 'https://docs.test/e' };
      return index === orphaned ? { BUSINESS_HTTP_ORIGINS: nobody } : {};
    },
  });
  key = await platform.createKey();
  bearers = await manyBearers();
});
afterAll(() => platform.close());

async function manyBearers(): Promise<Record<string, string>> {
  const [deleted, rotated, expired] = await Promise.all([
    platform.createKey(),
    platform.createKey(),
    platform.createKey({ expiresAt: new Date(Date.now() + 3_600_000) }),
  ]);
  await platform.deleteKey(deleted);
  const { keyString: rotatedTo } = await platform.rotateKey(rotated);
  await query(
    platform.databases.identity,
    "UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = $1",
    [expired.id],
  );
  return {
    deleted: deleted.keyString,
    rotated: rotated.keyString,
    rotatedTo,
    expired: expired.keyString,
    wrongChecksum: wrongChecksum(key.keyString),
    unknownSecret: createCheckedToken('sk'),
    unknownRestricted: createCheckedToken('rk'),
    unknownToken: createCheckedToken('at'),
    wrongChecksumToken: wrongChecksum(createCheckedToken('at')),
    refreshToken: createCheckedToken('rt'),
  };
}

const wrongChecksum = (token: string) => token.slice(0, -1) + (token.endsWith('0') ? '1' : '0');

const requestId = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

/** An error answer of the gateway, whole: these headers, each once, and no others. */
const errorAnswer = (status: number, text: string, headers: Record<string, unknown> = {}) => ({
  status,
  text,
  headers: {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(text)),
    'Cache-Control': 'no-store',
    'X-Request-Id': requestId,
    ...headers,
  },
});

/** What every counted answer says about the limit. */
const rateLimit = (limit = 10_000, remaining: unknown = expect.any(Number)) => {
  const left = typeof remaining === 'number' ? `${remaining}` : '\\d+';
  return {
    'RateLimit-Policy': `"hour";q=${limit};w=3600`,
    RateLimit: expect.stringMatching(new RegExp(`^"hour";r=${left};t=[1-9]\\d{0,3}$`)),
    'X-RateLimit-Limit': `${limit}`,
    'X-RateLimit-Remaining': expect.stringMatching(new RegExp(`^${left}$`)),
    'X-RateLimit-Reset': expect.stringMatching(/^[1-9]\d{0,3}$/),
  };
};

const invalidKey = '{"error":"Invalid API key","status":"Unauthorized","code":401}';
const invalidToken = '{"error":"Invalid access token","status":"Unauthorized","code":401}';
const expiredKey = '{"error":"API key has expired","status":"Unauthorized","code":401}';
const forbidden = '{"status":"Forbidden","code":403}';
const rateLimited = '{"error":"Rate limit exceeded","status":"Too Many Requests","code":429}';
const notFound = '{"error":"not found","status":"Not Found","code":404}';
const methodNotAllowed = '{"error":"method not allowed","status":"Method Not Allowed","code":405}';

/** Where the help to a body stands: nobody learns more from the anchor than from the body. */
const help = (body: string, docs = '/docs/errors') => {
  const anchors = new Map([
    [invalidKey, 'invalid_api_key'],
    [expiredKey, 'api_key_expired'],
    [invalidToken, 'invalid_access_token'],
    [rateLimited, 'rate_limit_exceeded'],
  ]);
  return { Link: `<${docs}#${anchors.get(body)}>; rel="help"` };
};

describe('401', () => {
  const noCredential = { 'WWW-Authenticate': 'Bearer', ...help(invalidKey) };
  const badCredential = (body: string) => ({
    'WWW-Authenticate': 'Bearer error="invalid_token"',
    ...help(body),
  });
  const bearer = (name: string) => () => `Bearer ${bearers[name]}`;

  test.each([
    ['another scheme', () => 'Basic dXNlcjpwYXNz', invalidKey],
    ['a key without a scheme', () => key.keyString, invalidKey],
    ['a scheme without a key', () => 'Bearer', invalidKey],
    ['two keys', () => `Bearer ${key.keyString} ${key.keyString}`, invalidKey],
    ['nonsense', () => 'Bearer nonsense', invalidKey],
    ['a key with a wrong checksum', bearer('wrongChecksum'), invalidKey],
    ['a well-formed secret key that nobody made', bearer('unknownSecret'), invalidKey],
    ['a well-formed restricted key that nobody made', bearer('unknownRestricted'), invalidKey],
    ['a token that is no credential', bearer('refreshToken'), invalidKey],
    ['an access token that nobody made', bearer('unknownToken'), invalidToken],
    ['an access token with a wrong checksum', bearer('wrongChecksumToken'), invalidToken],
    ['a deleted key', bearer('deleted'), invalidKey],
    ['the old string of a rotated key', bearer('rotated'), invalidKey],
    ['an expired key', bearer('expired'), expiredKey],
  ])('%s', async (_, authorization, body) => {
    const headers = { Authorization: authorization() };
    const answer = await platform.request(usual, 'GET', '/v2/businesses/me', { headers });
    expect(plainAnswer(answer)).toEqual(errorAnswer(401, body, badCredential(body)));
  });

  test('the help is on the page that the gateway is told of', async () => {
    const { headers } = await platform.request(strict, 'GET', '/v2/businesses/me');
    expect(headers.link).toBe(help(invalidKey, 'https://docs.test/e').Link);
  });

  test('no credential at all: the challenge names no error', async () => {
    const answer = await platform.request(usual, 'GET', '/v2/businesses/me');
    expect(plainAnswer(answer)).toEqual(errorAnswer(401, invalidKey, noCredential));
  });

  test.each([
    ['GET', '/v2/nothing-here'],
    ['DELETE', '/v2/order'],
    ['GET', '/nothing-here'],
  ])('comes before 404 and 405: %s %s', async (method, path) => {
    const answer = await platform.request(usual, method, path);
    expect(plainAnswer(answer)).toEqual(errorAnswer(401, invalidKey, noCredential));
  });

  test('the new string of a rotated key, and "bearer" in any case, are welcome', async () => {
    const headers = { Authorization: `bEARER ${bearers.rotatedTo}` };
    const { status } = await platform.request(usual, 'GET', '/v2/businesses/me', { headers });
    expect(status).toBe(200);
  });
});

describe('403', () => {
  test.each([
    [usual, '/docs/errors#insufficient_scope'],
    [strict, 'https://docs.test/e#insufficient_scope'],
  ])('a restricted key without the scope: the help stands in headers (gateway %i)', async (gateway, docs) => {
    const { keyString } = await platform.createKey({ type: 'restricted', scopes: ['business:read'] });
    const answer = await platform.request(gateway, 'GET', '/v2/order', { key: keyString });
    expect(plainAnswer(answer)).toEqual(
      errorAnswer(403, forbidden, {
        'WWW-Authenticate': 'Bearer error="insufficient_scope", scope="orders:read"',
        Link: `<${docs}>; rel="help"`,
      }),
    );
  });
});

describe('404 and 405, for authenticated callers', () => {
  test.each(['/v2/nothing-here', '/nothing-here', '/v2', '/v1/order', '/order', '/v2/order/a/b'])(
    'no route: %s',
    async (path) => {
      const answer = await platform.request(usual, 'GET', path, { key: key.keyString });
      expect(plainAnswer(answer)).toEqual(errorAnswer(404, notFound, rateLimit()));
    },
  );

  test.each([
    ['DELETE', '/v2/order', 'GET, HEAD, POST'],
    ['OPTIONS', '/v2/order/ord_1', 'GET, HEAD, PATCH'],
    ['PROPFIND', '/v2/businesses/me', 'GET, HEAD'],
  ])('no such method: %s %s', async (method, path, allow) => {
    const answer = await platform.request(usual, method, path, { key: key.keyString });
    expect(plainAnswer(answer)).toEqual(errorAnswer(405, methodNotAllowed, { ...rateLimit(), Allow: allow }));
  });

  test.each(['TRACE', 'CONNECT'])('%s is refused to everybody', async (method) => {
    const target = method === 'CONNECT' ? 'example.com:443' : '/v2/order';
    const raw = await rawRequest(port(usual), `${method} ${target} HTTP/1.1\r\nHost: x\r\n\r\n`, {
      quietMs: 200,
    });
    expect(plainAnswers(raw.text)).toEqual([
      errorAnswer(405, methodNotAllowed, { Allow: 'GET, HEAD, POST, PATCH' }),
    ]);
  });
});

describe('411, 413 and 431', () => {
  const tooLarge = '{"error":"the body is larger than 1000 bytes","status":"Payload Too Large","code":413}';
  const post = (...lines: string[]) =>
    ['POST /v2/order HTTP/1.1', 'Host: x', `Authorization: Bearer ${key.keyString}`, ...lines, '', ''].join(
      '\r\n',
    );

  test('a POST that announces no body length', async () => {
    const raw = await rawRequest(port(usual), post());
    expect(plainAnswers(raw.text)).toEqual([
      errorAnswer(411, '{"error":"Content-Length is required","status":"Length Required","code":411}'),
    ]);
    expect(raw.closed).toBe(true);
  });

  test('a body that is announced as too large: nobody waits for it', async () => {
    const raw = await rawRequest(port(strict), post('Content-Length: 1001'), { quietMs: 4_000 });
    expect(plainAnswers(raw.text)).toEqual([errorAnswer(413, tooLarge)]);
    expect(raw.closed).toBe(true);
  });

  test('a body that turns out too large', async () => {
    const chunk = `258\r\n${'x'.repeat(600)}\r\n`;
    const raw = await rawRequest(port(strict), [post('Transfer-Encoding: chunked'), chunk, chunk], {
      quietMs: 4_000,
    });
    expect(plainAnswers(raw.text)).toEqual([errorAnswer(413, tooLarge, rateLimit())]);
    expect(raw.closed).toBe(true);
  });

  test('a client that sends a large body before it reads still learns why it was refused', async () => {
    const body = Buffer.alloc(16_000_000);
    const socket = connect(port(strict), '127.0.0.1').pause();
    const everythingSent = new Promise<void>((resolve, reject) => {
      socket.on('error', reject);
      socket.write(post(`Content-Length: ${body.length}`));
      socket.write(body, () => resolve());
    });
    await everythingSent;
    const received: Buffer[] = [];
    for await (const chunk of socket) received.push(chunk);
    expect(plainAnswers(Buffer.concat(received).toString())).toEqual([errorAnswer(413, tooLarge)]);
  });

  test.each([
    ['length', {}],
    ['chunks', { 'Transfer-Encoding': 'chunked' }],
  ])('a body of exactly the limit passes, by %s', async (_, framing) => {
    const sent = post(
      ...Object.entries({ 'Content-Length': '1000', ...framing })
        .slice(-1)
        .map(([name, value]) => `${name}: ${value}`),
    );
    const body = 'x'.repeat(1000);
    const raw = await rawRequest(port(strict), [
      sent,
      'Transfer-Encoding' in framing ? `3e8\r\n${body}\r\n0\r\n\r\n` : body,
    ]);
    expect(raw.statuses).toEqual([415]);
  });

  test.each([20_000, 200_000])('headers of %i bytes', async (size) => {
    const body =
      '{"error":"the request headers are too large","status":"Request Header Fields Too Large","code":431}';
    const headers = { 'X-Large': 'x'.repeat(size) };
    const answer = await platform.request(usual, 'GET', '/v2/order', { key: key.keyString, headers });
    expect(plainAnswer(answer)).toEqual(errorAnswer(431, body));
    expect(answer.headers.connection).toBe('close');
  });
});

describe('429', () => {
  test('says when to come back, and how much there was', async () => {
    const limited = await platform.createKey();
    await platform.setKeyLimit(limited, 2);
    const ask = () => platform.request(usual, 'GET', '/v2/businesses/me', { key: limited.keyString });
    const answers = [await ask(), await ask(), await ask()];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(plainAnswer(answers[1] ?? (await ask())).headers).toMatchObject(rateLimit(2, 0));
    const last = await ask();
    expect(plainAnswer(last)).toEqual(
      errorAnswer(429, rateLimited, {
        ...rateLimit(2, 0),
        'Retry-After': expect.stringMatching(/^\d+$/),
        ...help(rateLimited),
      }),
    );
    const retryAfter = Number(last.headers['retry-after']);
    expect(retryAfter).toBeGreaterThan(3_500);
    expect(retryAfter).toBeLessThanOrEqual(3_660);
  });
});

describe('HEAD', () => {
  const head = async (path: string, bearer: string) => {
    const request = `HEAD ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${bearer}\r\n\r\n`;
    const { text } = await rawRequest(port(usual), request, { quietMs: 200 });
    const end = text.indexOf('\r\n\r\n') + 4;
    return { body: text.slice(end), answer: plainAnswers(text)[0] };
  };

  test.each([
    [401, '/v2/businesses/me', () => 'nonsense', invalidKey],
    [404, '/v2/nothing-here', () => key.keyString, notFound],
  ])('%i: the headers of GET, and no body', async (status, path, bearer, body) => {
    const { answer, body: sent } = await head(path, bearer());
    const get = plainAnswer(await platform.request(usual, 'GET', path, { key: bearer() }));
    expect(sent).toBe('');
    expect(get).toMatchObject({ status, text: body });
    expect(answer?.status).toBe(status);
    expect(Object.keys(answer?.headers ?? {})).toEqual(Object.keys(get.headers));
    expect(answer?.headers['Content-Length']).toBe(String(body.length));
  });

  test('200: what the upstream says of its body, and no body', async () => {
    const { answer, body } = await head('/v2/businesses/me', key.keyString);
    const get = await platform.request(usual, 'GET', '/v2/businesses/me', { key: key.keyString });
    expect(body).toBe('');
    expect(answer?.status).toBe(200);
    expect(answer?.headers['content-length']).toBe(get.headers['content-length']);
  });
});

test('every answer has an id of its own, and never the one that the caller sent', async () => {
  const headers = { 'X-Request-Id': 'mine' };
  const paths = ['/v2/businesses/me', '/v2/businesses/me', '/v2/nothing-here', '/v2//order'];
  const answers = await Promise.all(
    paths.map((path) => platform.request(usual, 'GET', path, { key: key.keyString, headers })),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 400]);
  const ids = answers.map((answer) => plainAnswer(answer).headers['X-Request-Id']);
  expect(ids).toEqual([requestId, requestId, requestId, requestId]);
  expect(new Set(ids).size).toBe(ids.length);
});

test('a refusal without a body leaves the connection usable', async () => {
  const get = (bearer: string) =>
    `GET /v2/businesses/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${bearer}\r\n\r\n`;
  const raw = await rawRequest(port(usual), [get('nonsense'), get(key.keyString)]);
  expect(raw.statuses).toEqual([401, 200]);
  expect(raw.closed).toBe(false);
});

describe('lost parts', () => {
  const ask = async (gateway: number, bearer = key.keyString) => {
    const startedAt = performance.now();
    const answer = await platform.request(gateway, 'GET', '/v2/businesses/me', { key: bearer });
    return { answer: plainAnswer(answer), ms: performance.now() - startedAt };
  };

  test('502: the upstream is not there', async () => {
    const { answer } = await ask(orphaned);
    const body =
      '{"error":"the service behind the gateway did not answer","status":"Bad Gateway","code":502}';
    expect(answer).toEqual(errorAnswer(502, body, { ...rateLimit(), 'Retry-After': '1' }));
  });

  test('504: the upstream is there and silent', async () => {
    platform.businesses[0]?.freeze();
    try {
      const { answer, ms } = await ask(strict);
      const body =
        '{"error":"the service behind the gateway did not answer in time","status":"Gateway Timeout","code":504}';
      expect(answer).toEqual(errorAnswer(504, body, rateLimit()));
      expect(ms).toBeGreaterThanOrEqual(290);
      expect(ms).toBeLessThan(2_000);
    } finally {
      platform.businesses[0]?.thaw();
    }
  });

  const unavailable =
    '{"error":"authorization is not available at the moment","status":"Service Unavailable","code":503}';

  test('503: nobody can say whether the credential is good, so it is not called bad', async () => {
    platform.identities[0]?.freeze();
    try {
      const { answer, ms } = await ask(usual, createCheckedToken('sk'));
      expect(answer).toEqual(errorAnswer(503, unavailable, { 'Retry-After': '1' }));
      expect(ms).toBeLessThan(1_000);
    } finally {
      platform.identities[0]?.thaw();
    }
    await platform.identities[0]?.stop();
    const { answer } = await ask(usual, createCheckedToken('sk'));
    expect(answer).toEqual(errorAnswer(503, unavailable, { 'Retry-After': '1' }));
  });
});

const port = (gateway: number) => platform.gatewayPorts[gateway] ?? 0;
