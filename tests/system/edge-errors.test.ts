import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../../deploy/local/process/free-port.ts';
import { errorBodies, errorResponse, help, rateLimit, requestId } from '../harness/error-responses.ts';
import type { Platform } from '../harness/platform.ts';
import { rawRequest } from '../harness/raw-request.ts';
import { comparableResponse, parseResponses } from '../harness/raw-responses.ts';
import { refusedBearers, unissued } from '../harness/refused-bearers.ts';
import { bearerLine, requestBytes } from '../harness/request-bytes.ts';
import { sharedBehind } from '../harness/shared-platform.ts';

/** Gateways: one as it comes, one with small limits, one whose upstream is not there. */
const [usual, strict, orphaned] = [0, 1, 2];

let platform: Platform;
let key: string;
let bearers: Awaited<ReturnType<typeof refusedBearers>>;

beforeAll(async () => {
  const small = { MAX_BODY_BYTES: '1000', UPSTREAM_TIMEOUT_MS: '5000', DOCS_URL: 'https://docs.test/e' };
  // Of identity-service, for the test in which it is lost.
  const patience = { AUTHORIZE_TIMEOUT_MS: '5000', IDENTITY_PATIENCE_MS: '5000' };
  const unreachable = `http://127.0.0.1:${await freePort()}`;
  platform = await sharedBehind({
    gateways: 3,
    gatewayEnv: (index) =>
      [
        { SECURITY_CONTACT: 'mailto:security@acme.test', ...patience },
        small,
        { BUSINESS_HTTP_ORIGINS: unreachable },
      ][index] ?? {},
  });
  key = (await platform.createKey()).keyString;
  bearers = await refusedBearers(platform);
});
afterAll(() => platform.close());

const { invalidKey, invalidToken, expiredKey, rateLimited, notFound, methodNotAllowed } = errorBodies;

describe('401', () => {
  const noCredential = { 'WWW-Authenticate': 'Bearer realm="API"', ...help(invalidKey) };
  const badCredential = (body: string) => ({
    'WWW-Authenticate': 'Bearer error="invalid_token"',
    ...help(body),
  });
  const bearer = (name: keyof typeof bearers) => () => `Bearer ${bearers[name]}`;

  test.each([
    ['another scheme', () => 'Basic dXNlcjpwYXNz', invalidKey],
    ['a key without a scheme', () => key, invalidKey],
    ['a scheme without a key', () => 'Bearer', invalidKey],
    ['two keys', () => `Bearer ${key} ${key}`, invalidKey],
    ['nonsense', () => 'Bearer nonsense', invalidKey],
    ['a key with a wrong tag', bearer('wrongTag'), invalidKey],
    ['a key with a wrong checksum', bearer('wrongChecksum'), invalidKey],
    ['a well-formed secret key that was never created', bearer('unknownSecret'), invalidKey],
    ['a well-formed restricted key that was never created', bearer('unknownRestricted'), invalidKey],
    ['a token that is no credential', bearer('refreshToken'), invalidKey],
    ['an access token that was never issued', bearer('unknownToken'), invalidToken],
    ['an access token with a wrong tag', bearer('wrongTagToken'), invalidToken],
    ['an access token with a wrong checksum', bearer('wrongChecksumToken'), invalidToken],
    ['a deleted key', bearer('deleted'), invalidKey],
    ['the old string of a rotated key', bearer('rotated'), invalidKey],
    ['an expired key', bearer('expired'), expiredKey],
  ])('%s', async (_, authorization, body) => {
    const headers = { Authorization: authorization() };
    const response = await platform.request(usual, 'GET', '/v2/businesses/me', { headers });
    expect(comparableResponse(response)).toEqual(errorResponse(401, body, badCredential(body)));
  });

  test('links to the configured page of errors', async () => {
    const { headers } = await platform.request(strict, 'GET', '/v2/businesses/me');
    expect(headers.link).toBe(help(invalidKey, 'https://docs.test/e').Link);
  });

  test('no credential at all: the challenge names no error', async () => {
    const response = await platform.request(usual, 'GET', '/v2/businesses/me');
    expect(comparableResponse(response)).toEqual(errorResponse(401, invalidKey, noCredential));
  });

  test.each([
    ['GET', '/v2/nothing-here'],
    ['DELETE', '/v2/order'],
    ['GET', '/v2'],
  ])('comes before 404 and 405: %s %s', async (method, path) => {
    const response = await platform.request(usual, method, path);
    expect(comparableResponse(response)).toEqual(errorResponse(401, invalidKey, noCredential));
  });

  test('the new string of a rotated key, and "bearer" in any case, are accepted', async () => {
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
    const response = await platform.request(gateway, 'GET', '/v2/order', { key: keyString });
    expect(comparableResponse(response)).toEqual(
      errorResponse(403, errorBodies.forbidden, {
        'WWW-Authenticate': 'Bearer error="insufficient_scope", scope="orders:read"',
        Link: `<${docs}>; rel="help"`,
        ...rateLimit(),
      }),
    );
  });
});

/** The configured page of errors of the strict gateway. */
const thereAt = (section: string) => ({ Link: `<https://docs.test/e#${section}>; rel="help"` });

const noPages = ['/nothing-here', '/v1/order', '/order', '/favicon.ico', '/humans.txt'];

test.each([...noPages, '/.well-known/openid-configuration'])(
  'the unknown page %s is 404 with and without a credential, and is not counted',
  async (path) => {
    for (const credential of [{}, { key }, { key: 'sk_nonsense' }]) {
      const response = await platform.request(usual, 'GET', path, credential);
      expect(comparableResponse(response)).toEqual(errorResponse(404, notFound));
    }
  },
);

test.each([
  [400, 'bad_request', 'GET', '/v2/order?limit=0', {}],
  [404, 'not_found', 'GET', '/v2/order/ord_unknown', {}],
  [400, 'bad_request', 'POST', '/v2/order', { 'Content-Type': 'application/json' }],
  [415, 'unsupported_media_type', 'POST', '/v2/order', { 'Content-Type': 'text/plain' }],
] as const)('%i of business-service links to %s: %s %s', async (status, section, method, path, headers) => {
  const body = method === 'POST' ? { body: '{}' } : {};
  const response = await platform.request(usual, method, path, { key, headers, ...body });
  expect([response.status, response.headers.link]).toEqual([status, `</docs/errors#${section}>; rel="help"`]);
});

test('robots.txt and security.txt need no credential', async () => {
  const robots = await platform.request(usual, 'GET', '/robots.txt');
  expect([robots.status, robots.text]).toEqual([200, expect.stringContaining('Disallow: /')]);
  const security = await platform.request(usual, 'GET', '/.well-known/security.txt');
  expect([security.status, security.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(security.text).toMatch(/^Contact: mailto:security@acme\.test\nExpires: \d{4}-.*Z\n$/);
});

describe('404 and 405 of the API, for authenticated clients', () => {
  test.each(['/v2/nothing-here', '/v2', '/V2/order', '/v2/order/a/b'])('no route: %s', async (path) => {
    const response = await platform.request(usual, 'GET', path, { key });
    expect(comparableResponse(response)).toEqual(errorResponse(404, notFound, rateLimit()));
    expect((await platform.request(usual, 'GET', path)).status).toBe(401);
  });

  test.each([
    ['DELETE', '/v2/order', 'GET, HEAD, POST'],
    ['OPTIONS', '/v2/order/ord_1', 'GET, HEAD, PATCH'],
    ['PROPFIND', '/v2/businesses/me', 'GET, HEAD'],
  ])('no such method: %s %s', async (method, path, allow) => {
    const response = await platform.request(usual, method, path, { key });
    expect(comparableResponse(response)).toEqual(
      errorResponse(405, methodNotAllowed, { ...rateLimit(), Allow: allow }),
    );
  });

  test.each(['TRACE', 'CONNECT'])('%s is always refused', async (method) => {
    const target = method === 'CONNECT' ? 'example.com:443' : '/v2/order';
    const raw = await rawRequest(port(usual), requestBytes(method, target), { quietMs: 200 });
    expect(parseResponses(raw.text)).toEqual([
      errorResponse(405, methodNotAllowed, { Allow: 'GET, HEAD, POST, PUT, PATCH, DELETE' }),
    ]);
  });
});

describe('411, 413 and 431', () => {
  const tooLarge = '{"error":"the body is larger than 1000 bytes","status":"Payload Too Large","code":413}';
  const post = (...lines: string[]) => requestBytes('POST', '/v2/order', [bearerLine(key), ...lines]);

  test('a POST that announces no body length', async () => {
    const raw = await rawRequest(port(usual), post());
    expect(parseResponses(raw.text)).toEqual([errorResponse(411, errorBodies.lengthRequired)]);
    expect(raw.closed).toBe(true);
  });

  test('a body that is announced as too large: the gateway does not wait for it', async () => {
    const raw = await rawRequest(port(strict), post('Content-Length: 1001'), { quietMs: 4_000 });
    expect(parseResponses(raw.text)).toEqual([errorResponse(413, tooLarge, thereAt('payload_too_large'))]);
    expect(raw.closed).toBe(true);
  });

  test('a body that turns out too large', async () => {
    const chunk = `258\r\n${'x'.repeat(600)}\r\n`;
    const raw = await rawRequest(port(strict), [post('Transfer-Encoding: chunked'), chunk, chunk], {
      quietMs: 4_000,
    });
    expect(parseResponses(raw.text)).toEqual([
      errorResponse(413, tooLarge, { ...rateLimit(), ...thereAt('payload_too_large') }),
    ]);
    expect(raw.closed).toBe(true);
  });

  test('a client that sends a large body before it reads still learns why it was refused', async () => {
    const body = Buffer.alloc(16_000_000);
    /** The received text; undefined where a busy machine took longer than the two seconds for which it takes the body. */
    const sendBeforeReading = async (): Promise<string | undefined> => {
      const startedAt = performance.now();
      const socket = connect(port(strict), '127.0.0.1').pause();
      const received: Buffer[] = [];
      try {
        await new Promise<void>((resolve, reject) => {
          socket.on('error', reject);
          socket.write(post(`Content-Length: ${body.length}`));
          socket.write(body, (error) => (error ? reject(error) : resolve()));
        });
        for await (const chunk of socket) received.push(chunk);
      } catch (error) {
        if (performance.now() - startedAt < 2_000) throw error;
        return undefined;
      }
      return Buffer.concat(received).toString();
    };
    let text: string | undefined;
    for (let attempt = 0; text === undefined && attempt < 10; attempt++) text = await sendBeforeReading();
    expect(parseResponses(text ?? '')).toEqual([errorResponse(413, tooLarge, thereAt('payload_too_large'))]);
  });

  test('a body after a refusal is read only up to a limit', async () => {
    const megabyte = Buffer.alloc(1_048_576);
    const socket = connect(port(strict), '127.0.0.1');
    socket.on('error', () => undefined).resume();
    socket.write(post('Content-Length: 200000000'));
    const closed = new Promise<'closed'>((resolve) => socket.once('close', () => resolve('closed')));
    let taken = 0;
    const writeOn = async () => {
      while (!socket.destroyed && taken < 180) {
        await new Promise((resolve) => socket.write(megabyte, resolve));
        taken++;
      }
    };
    await Promise.race([closed, writeOn()]);
    // 32 MB are read; the rest is what kernels keep on the way.
    expect(taken).toBeLessThan(90);
    await closed;
  });

  const limit = 'x'.repeat(1_000);
  test.each([
    ['length', 'Content-Length: 1000', limit],
    ['chunks', 'Transfer-Encoding: chunked', `3e8\r\n${limit}\r\n0\r\n\r\n`],
  ])('a body of exactly the limit passes, by %s', async (_, framing, body) => {
    const raw = await rawRequest(port(strict), [post(framing), body]);
    expect(raw.statuses).toEqual([415]);
  });

  test.each([20_000, 200_000])('headers of %i bytes', async (size) => {
    const headers = { 'X-Large': 'x'.repeat(size) };
    const response = await platform.request(usual, 'GET', '/v2/order', { key, headers });
    expect(comparableResponse(response)).toEqual(errorResponse(431, errorBodies.headersTooLarge));
    expect(response.headers.connection).toBe('close');
  });
});

describe('429', () => {
  test('has Retry-After and the limit', async () => {
    const limited = await platform.createKey();
    await platform.setKeyLimit(limited, 2);
    const ask = () => platform.me(limited.keyString, usual);
    const responses = [await ask(), await ask(), await ask()];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(comparableResponse(responses[1] ?? (await ask())).headers).toMatchObject(rateLimit(2, 0));
    const last = await ask();
    expect(comparableResponse(last)).toEqual(
      errorResponse(429, rateLimited, {
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
    const { text } = await rawRequest(port(usual), requestBytes('HEAD', path, [bearerLine(bearer)]), {
      quietMs: 200,
    });
    const end = text.indexOf('\r\n\r\n') + 4;
    return { body: text.slice(end), response: parseResponses(text)[0] };
  };

  test.each([
    [401, '/v2/businesses/me', () => 'nonsense', invalidKey],
    [404, '/v2/nothing-here', () => key, notFound],
  ])('%i: the headers of GET, and no body', async (status, path, bearer, body) => {
    const { response, body: sent } = await head(path, bearer());
    const get = comparableResponse(await platform.request(usual, 'GET', path, { key: bearer() }));
    expect(sent).toBe('');
    expect(get).toMatchObject({ status, text: body });
    expect(response?.status).toBe(status);
    expect(Object.keys(response?.headers ?? {})).toEqual(Object.keys(get.headers));
    expect(response?.headers['Content-Length']).toBe(String(body.length));
  });

  test('200: the headers of the upstream about its body, and no body', async () => {
    const { response, body } = await head('/v2/businesses/me', key);
    const get = await platform.me(key, usual);
    expect(body).toBe('');
    expect(response?.status).toBe(200);
    expect(response?.headers['content-length']).toBe(get.headers['content-length']);
  });
});

test('every response has a unique request id, never the one that the client sent', async () => {
  const headers = { 'X-Request-Id': 'mine' };
  const paths = ['/v2/businesses/me', '/v2/businesses/me', '/v2/nothing-here', '/v2//order'];
  const responses = await Promise.all(
    paths.map((path) => platform.request(usual, 'GET', path, { key, headers })),
  );
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 404, 400]);
  const ids = responses.map((response) => comparableResponse(response).headers['X-Request-Id']);
  expect(ids).toEqual(Array(4).fill(requestId));
  expect(new Set(ids).size).toBe(ids.length);
});

test('a refusal without a body leaves the connection usable', async () => {
  const get = (bearer: string) => requestBytes('GET', '/v2/businesses/me', [bearerLine(bearer)]);
  const raw = await rawRequest(port(usual), [get('nonsense'), get(key)], { responses: 2 });
  expect(raw.statuses).toEqual([401, 200]);
  expect(raw.closed).toBe(false);
});

describe('services that are down', () => {
  const ask = async (gateway: number, bearer = key) => {
    const response = await platform.me(bearer, gateway);
    return { response: comparableResponse(response) };
  };

  test('502: the upstream is unreachable', async () => {
    const { response } = await ask(orphaned);
    expect(response).toEqual(
      errorResponse(502, errorBodies.badGateway, { ...rateLimit(), 'Retry-After': '1' }),
    );
  });

  test('504: the upstream does not respond', async () => {
    platform.businesses[0]?.freeze();
    try {
      const { response } = await ask(strict);
      expect(response).toEqual(
        errorResponse(504, errorBodies.gatewayTimeout, {
          ...rateLimit(),
          'Retry-After': '1',
          ...thereAt('gateway_timeout'),
        }),
      );
    } finally {
      platform.businesses[0]?.thaw();
    }
  });

  test('503: the credential cannot be checked, and is not reported as invalid', async () => {
    for (const each of platform.identities) each.freeze();
    try {
      const { response } = await ask(usual, unissued(platform, 'sk'));
      expect(response).toEqual(errorResponse(503, errorBodies.unavailable, { 'Retry-After': '1' }));
    } finally {
      for (const each of platform.identities) each.thaw();
    }
    await Promise.all(platform.identities.map((each) => each.stop()));
    const { response } = await ask(usual, unissued(platform, 'sk'));
    expect(response).toEqual(errorResponse(503, errorBodies.unavailable, { 'Retry-After': '1' }));
  });
});

const port = (gateway: number) => platform.gatewayPorts[gateway] ?? 0;
