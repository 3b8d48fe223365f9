import { once } from 'node:events';
import { constants } from 'node:http2';
import { Agent, request as httpsRequest } from 'node:https';
import type { Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { expectEventually } from '../harness/expect-eventually.ts';
import {
  type Http2Client,
  type Http2Request,
  openHttp2,
  publicCertificate,
  responseOf,
} from '../harness/http2-client.ts';
import type { Platform } from '../harness/platform.ts';
import { type ScriptedUpstream, scriptedUpstream } from '../harness/scripted-upstream.ts';
import { sharedBehind } from '../harness/shared-platform.ts';

/*
 * Requests over HTTP/2 get the same responses as over HTTP/1.1.
 */

const certificate = publicCertificate();
/** More than the buffers of all sockets hold (tcp_rmem is up to 32 MB). */
const maxBody = 64_000_000;
let upstream: ScriptedUpstream;
let platform: Platform;
let client: Http2Client;
let key: string;

beforeAll(async () => {
  upstream = await scriptedUpstream();
  platform = await sharedBehind({
    upstreams: [upstream.origin],
    gatewayEnv: { ...certificate.env, MAX_BODY_BYTES: `${maxBody}` },
  });
  key = (await platform.createKey()).keyString;
});
afterAll(async () => {
  agent.destroy();
  await platform.close();
  await upstream.close();
});
beforeEach(() => {
  client = openHttp2(port(), certificate.ca);
});
afterEach(() => {
  client.close();
  upstream.reset();
});

const port = () => platform.gatewayPorts[0] ?? 0;
const agent = new Agent({ ca: certificate.ca, ALPNProtocols: ['http/1.1'] });

/** The same request over HTTP/1.1. */
async function overHttp1(method: string, path: string, { key: sentKey, headers, body }: Http2Request) {
  const sent = {
    ...(sentKey !== undefined && { Authorization: `Bearer ${sentKey}` }),
    ...(body !== undefined && { 'Content-Length': Buffer.byteLength(body) }),
    ...headers,
  };
  const request = httpsRequest({ agent, host: '127.0.0.1', port: port(), method, path, headers: sent });
  request.end(body);
  const [response] = await once(request, 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode, headers: response.headers, text };
}

/** Of one connection only, or of one request. */
const ownToEach = ['date', 'connection', 'keep-alive', 'transfer-encoding', 'x-request-id'];
/** Other for each request, or a second later. */
const counts = ['ratelimit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
const comparable = ({ status, headers, text }: { status: number; headers: object; text: string }) => {
  const kept = Object.entries(headers)
    .filter(([name]) => !ownToEach.includes(name))
    .map(([name, value]) => [name, counts.includes(name) ? String(value).replaceAll(/\d+/g, '0') : value]);
  return { status, headers: Object.fromEntries(kept), text };
};

describe('the same response', () => {
  const authorized = (headers = {}): Http2Request => ({ key, headers });
  test.each<[string, number, string, string, () => Http2Request]>([
    ['a request that is forwarded', 200, 'GET', '/v2/order', authorized],
    ['HEAD', 200, 'HEAD', '/v2/order', authorized],
    ['a body', 200, 'POST', '/v2/order', () => ({ key, body: '{"a":1}' })],
    ['no credential', 401, 'GET', '/v2/order', () => ({})],
    ['no credential, and HEAD', 401, 'HEAD', '/v2/order', () => ({})],
    ['no credential, and a body', 401, 'POST', '/v2/order', () => ({ body: 'x'.repeat(100_000) })],
    ['a wrong credential', 401, 'GET', '/v2/order', () => ({ key: 'nonsense' })],
    ['no such route', 404, 'GET', '/v2/nothing-here', authorized],
    ['no such method there', 405, 'DELETE', '/v2/order', authorized],
    ['TRACE', 405, 'TRACE', '/v2/order', authorized],
    ['an ambiguous path', 400, 'GET', '/v2//order', authorized],
    ['an expectation', 417, 'GET', '/v2/order', () => authorized({ expect: 'the-best' })],
    ['a head of 20 kB', 431, 'GET', '/v2/order', () => authorized({ 'x-long': 'x'.repeat(20_000) })],
    ['a page', 200, 'GET', '/login', () => authorized({ accept: 'text/html' })],
    [
      'an OAuth error',
      400,
      'POST',
      '/v2/oauth/token',
      () => ({ body: '{}', headers: { 'content-type': 'application/json' } }),
    ],
  ])('%s: %i', async (_, status, method, path, request) => {
    const [first, second] = await Promise.all([
      client.request(method, path, request()),
      overHttp1(method, path, request()),
    ]);
    expect(first).toMatchObject({ status, rstCode: 0 });
    if (path !== '/login') expect(comparable(first)).toEqual(comparable(second));
    expect(first.headers).toMatchObject({ 'strict-transport-security': 'max-age=31536000' });
    for (const name of ['connection', 'keep-alive', 'transfer-encoding'])
      expect(first.headers[name]).toBeUndefined();
  });

  test('a body that is announced or sent too large gets 413', async () => {
    const announced = client.open('POST', '/v2/order', { key, body: 'x'.repeat(maxBody + 1) });
    const growing = client.session.request(
      { ':method': 'POST', ':path': '/v2/order', authorization: `Bearer ${key}` },
      { endStream: false },
    );
    growing.on('error', () => undefined).end(Buffer.alloc(maxBody + 1));
    upstream.behave((req) => req.resume());
    const responses = await Promise.all([announced, growing].map(responseOf));
    expect(responses).toMatchObject([{ status: 413 }, { status: 413 }]);
  });

  test.each([204, 304, 404, 502])('an upstream that says %i', async (status) => {
    upstream.behave((_req, res) => (status === 502 ? res.destroy() : res.writeHead(status).end()));
    const responses = [
      await client.request('GET', '/v2/order', { key }),
      await overHttp1('GET', '/v2/order', { key }),
    ];
    expect(responses.map((response) => response.status)).toEqual([status, status]);
  });

  test('429', async () => {
    const limited = await platform.createKey();
    await platform.setKeyLimit(limited, 2);
    const statuses = [];
    for (let i = 0; i < 4; i++)
      statuses.push((await client.request('GET', '/v2/order', { key: limited.keyString })).status);
    expect(statuses).toEqual([200, 200, 429, 429]);
  });

  test.each([
    ['lower case', 'get', 405],
    ['an unknown word', 'FROBNICATE', 405],
  ])('a method of %s is unknown', async (_, method, status) => {
    expect(await client.request(method, '/v2/order', { key })).toMatchObject({ status, rstCode: 0 });
  });

  test('a body of a method that has none is refused', async () => {
    const stream = client.open('GET', '/v2/order', { key, headers: {}, body: '' });
    stream.end();
    expect(await responseOf(stream)).toMatchObject({ status: 200 });
    const unframed = client.session.request(
      { ':method': 'GET', ':path': '/v2/order', authorization: `Bearer ${key}` },
      { endStream: false },
    );
    unframed.end('body');
    expect(await responseOf(unframed)).toMatchObject({ status: 411 });
  });
});

test('the upstream sees HTTP/1.1, one Host, one Cookie, and https', async () => {
  const arrival = upstream.next();
  const response = client.request('GET', '/login', {
    headers: { cookie: ['a=1', 'b=2'], te: 'trailers', 'x-forwarded-proto': 'http' },
  });
  // Pages go to identity-service: what it says proves that the request is whole.
  expect(await response).toMatchObject({ status: 200 });
  const api = client.request('POST', '/v2/order', {
    key,
    headers: { ':authority': 'api.test', cookie: ['a=1', 'b=2'] },
    body: 'hello',
  });
  const { req, res } = await arrival;
  expect(req.httpVersion).toBe('1.1');
  expect(req.headers).toMatchObject({
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'api.test',
    'x-forwarded-for': '127.0.0.1',
    'content-length': '5',
  });
  expect(req.headers).not.toHaveProperty('te');
  res.end('done');
  expect(await api).toMatchObject({ status: 200, text: 'done' });
});

test('50 streams at once on one connection each have their own response', async () => {
  upstream.behave((req, res) => void wait(20).then(() => res.end(req.url)));
  const paths = Array.from({ length: 50 }, (_, i) => `/v2/order?n=${i}`);
  const responses = await Promise.all(paths.map((path) => client.request('GET', path, { key })));
  expect(responses.map(({ text }) => text.replace(/^.*\?/, ''))).toEqual(
    paths.map((path) => path.replace(/^.*\?/, '')),
  );
});

/** Bytes that a stream was given, which is filled up to `maxBody` whenever it takes more. */
function filled(stream: Writable): { readonly bytes: number } {
  const given = { bytes: 0 };
  const piece = Buffer.alloc(50_000, 'x');
  const write = () => {
    let isFree = true;
    for (; isFree && given.bytes < maxBody; given.bytes += piece.length)
      isFree = stream.write(piece) === true;
    if (given.bytes === maxBody) stream.end();
  };
  stream.on('drain', write);
  write();
  return given;
}

/** Waits until the stream takes nothing more, which is before its end. */
async function expectBlocked(given: { readonly bytes: number }): Promise<void> {
  await expectEventually(
    async () => {
      const before = given.bytes;
      await wait(200);
      expect(given.bytes).toBe(before);
    },
    { withinMs: 10_000 },
  );
  expect(given.bytes).toBeGreaterThan(0);
  expect(given.bytes).toBeLessThan(maxBody);
}

describe('large bodies', () => {
  const large = Buffer.alloc(5_000_000, 'x');

  test('go up and come down whole', async () => {
    upstream.behave((req, res) => void req.pipe(res));
    const response = await client.request('POST', '/v2/order', { key, body: large });
    expect(response).toMatchObject({ status: 200, rstCode: 0 });
    expect(response.text.length).toBe(large.length);
  });

  test('are paused while the receiving side does not read', async () => {
    let download = { bytes: 0 };
    upstream.behave((_req, res) => {
      download = filled(res);
    });
    const stream = client.open('GET', '/v2/order', { key });
    await once(stream, 'response');
    await expectBlocked(download);
    expect((await client.request('GET', '/v2/nothing-here', { key })).status).toBe(404);
    stream.close(constants.NGHTTP2_CANCEL);

    const arrival = upstream.next();
    const head = { ':method': 'POST', ':path': '/v2/order', authorization: `Bearer ${key}` };
    const sending = client.session.request(head, { endStream: false });
    const upload = filled(sending);
    const { req, res } = await arrival;
    await expectBlocked(upload);
    req.resume().once('end', () => res.end('done'));
    expect(await responseOf(sending)).toMatchObject({ status: 200, text: 'done' });
    expect(upload.bytes).toBe(maxBody);
  });

  test('that are refused get 401 without being sent whole', async () => {
    const upload = client.open('POST', '/v2/order', { body: large });
    upload.write(large);
    expect(await responseOf(upload)).toMatchObject({ status: 401, rstCode: constants.NGHTTP2_NO_ERROR });
  });
});

describe('a stream that ends early', () => {
  test.each([constants.NGHTTP2_CANCEL, constants.NGHTTP2_NO_ERROR])(
    'by RST_STREAM(%i) ends its upstream request and frees its slot',
    async (code) => {
      const open = new Set<object>();
      upstream.behave((req) => {
        open.add(req);
        req.socket.once('close', () => open.delete(req));
      });
      const streams = Array.from({ length: 64 }, () => client.open('GET', '/v2/order', { key }));
      await expectEventually(() => expect(open.size).toBe(64), { withinMs: 10_000 });
      for (const stream of streams) stream.close(code);
      // Well before the gateway would give the upstream up.
      await expectEventually(() => expect(open.size).toBe(0), { withinMs: 1_000 });
      upstream.reset();
      client.close();
      client = openHttp2(port(), certificate.ca);
      expect((await client.request('GET', '/v2/order', { key })).status).toBe(200);
    },
  );

  test('many times affects no other request of the client', async () => {
    upstream.behave((req, res) => {
      if (req.url?.endsWith('?quick')) res.end('ok');
      else res.end(Buffer.alloc(1_000_000));
    });
    const responses = new Set<string>();
    /** Repeats on a new connection, as clients do, when this one is closed or refuses the stream. */
    const requestQuick = async (): Promise<string> => {
      if (client.session.closed || client.session.destroyed) client = openHttp2(port(), certificate.ca);
      const { status, rstCode } = await client.request('GET', '/v2/order?quick', { key });
      return rstCode === constants.NGHTTP2_REFUSED_STREAM ? requestQuick() : `quick ${status} ${rstCode}`;
    };
    for (let i = 0; i < 40; i++) {
      responses.add(await requestQuick());
      const downloads = Array.from({ length: 10 }, () => client.open('GET', '/v2/order', { key }));
      await Promise.all(
        downloads.map(async (stream) => {
          const response = responseOf(stream);
          stream.once('data', () => stream.close(constants.NGHTTP2_CANCEL));
          const { status, rstCode } = await response;
          responses.add(`${status} ${rstCode}`);
        }),
      );
    }
    expect([...responses].sort()).toEqual(['200 8', 'quick 200 0']);
  });

  test('by the upstream is reset', async () => {
    upstream.behave((_req, res) => {
      res.writeHead(200, { 'Content-Length': '100000' }).write('x'.repeat(70_000));
      setTimeout(() => res.destroy(), 50);
    });
    const response = await client.request('GET', '/v2/order', { key });
    expect(response).toMatchObject({ status: 200, rstCode: constants.NGHTTP2_INTERNAL_ERROR });
  });
});

test('a slow body gets 408 on its stream, and other streams continue', async () => {
  const slow = client.open('POST', '/v2/order', { key, body: 'x'.repeat(500) });
  slow.write('{');
  const drip = setInterval(() => slow.write('x'), 500);
  const response = responseOf(slow);
  const others = async () => expect((await client.request('GET', '/v2/order', { key })).status).toBe(200);
  await others();
  expect(await response).toMatchObject({ status: 408 });
  clearInterval(drip);
  await others();
});
