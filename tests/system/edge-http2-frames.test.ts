import { once } from 'node:events';
import { constants } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { expectEventually } from '../harness/expect-eventually.ts';
import {
  endHeaders,
  endStream,
  frame,
  frames,
  headerBlock,
  openFrames,
  openHttp2,
  publicCertificate,
  readFrames,
} from '../harness/http2-client.ts';
import { running } from '../harness/running.ts';
import { scriptedUpstream } from '../harness/scripted-upstream.ts';
import { sharedBehind } from '../harness/shared-platform.ts';

/*
 * Malformed bytes on an HTTP/2 connection end its stream or the connection, and affect no other.
 */

const certificate = publicCertificate();
const upstream = running(scriptedUpstream);
const platform = running(() => sharedBehind({ upstreams: [upstream.origin], gatewayEnv: certificate.env }));
let key: string;
let heard: number;
let pid: number | undefined;

beforeAll(async () => {
  key = (await platform.createKey()).keyString;
  pid = platform.gateways[0]?.pid;
  listen();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  expect(heard).toBe(0);
  listen();
  const client = openHttp2(port(), certificate.ca);
  expect((await client.request('GET', '/v2/order', { key })).status).toBe(200);
  client.close();
  expect(platform.gateways[0]?.pid).toBe(pid);
  expect(platform.gateways[0]?.isRunning()).toBe(true);
  listen();
});

const sockets: TLSSocket[] = [];
const port = () => platform.gatewayPorts[0] ?? 0;

function listen(): void {
  heard = 0;
  upstream.behave((_req, res) => {
    heard++;
    res.end('ok');
  });
}

/** A connection, and all that the gateway says on it. */
async function connect() {
  const socket = await openFrames(port(), certificate.ca);
  sockets.push(socket);
  let received = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
  });
  return { socket, read: () => readFrames(received) };
}

type Fields = readonly (readonly [string, string])[];
const pseudo: Fields = [
  [':method', 'GET'],
  [':scheme', 'https'],
  [':authority', 'api.test'],
  [':path', '/v2/order'],
];
const request = (fields: Fields, flags = endStream | endHeaders) =>
  frame(frames.headers, flags, 1, headerBlock(fields));
const authorized = (...fields: Fields): Fields => [...pseudo, ['authorization', `Bearer ${key}`], ...fields];
const without = (name: string) => authorized().filter(([field]) => field !== name);
const instead = (name: string, value: string) =>
  authorized().map(([field, old]): [string, string] => [field, field === name ? value : old]);

describe('a malformed request resets its stream', () => {
  test.each<[string, () => Fields]>([
    ['connection', () => authorized(['connection', 'close'])],
    ['keep-alive', () => authorized(['keep-alive', 'timeout=5'])],
    ['proxy-connection', () => authorized(['proxy-connection', 'close'])],
    ['transfer-encoding', () => authorized(['transfer-encoding', 'chunked'])],
    ['upgrade', () => authorized(['upgrade', 'websocket'])],
    ['te other than trailers', () => authorized(['te', 'gzip'])],
    ['a name in upper case', () => authorized(['X-Upper', '1'])],
    ['no :path', () => without(':path')],
    ['no :method', () => without(':method')],
    ['no :scheme', () => without(':scheme')],
    ['neither :authority nor host', () => without(':authority')],
    ['two :path', () => [[':path', '/v2/order'], ...authorized()]],
    ['a pseudo-header behind the others', () => authorized([':path', '/v2/order'])],
    ['a pseudo-header of responses', () => [[':status', '200'], ...authorized()]],
    ['a pseudo-header that is not known', () => [[':nonsense', '1'], ...authorized()]],
    [':authority with a user', () => instead(':authority', 'me@api.test')],
    ['a path that is none', () => instead(':path', 'v2/order')],
    ['a path with a line break', () => instead(':path', '/v2/order\r\nX: y')],
    ['extended CONNECT', () => [[':protocol', 'websocket'], ...instead(':method', 'CONNECT')]],
    ['Content-Length beside no body', () => authorized(['content-length', '5'])],
    ['two Content-Lengths', () => authorized(['content-length', '0'], ['content-length', '0'])],
    ['two Hosts', () => authorized(['host', 'api.test'], ['host', 'api.test'])],
  ])('%s', async (_, fields) => {
    const { socket, read } = await connect();
    socket.write(request(fields()));
    const reset = await expectEventually(
      () => {
        const found = read().find(({ type, stream }) => type === frames.reset && stream === 1);
        if (found === undefined) throw new Error(`no RST_STREAM in ${JSON.stringify(read())}`);
        return found;
      },
      { withinMs: 5_000 },
    );
    expect(reset.payload.readUInt32BE()).toBe(constants.NGHTTP2_PROTOCOL_ERROR);
  });

  test.each([
    ['less', 'hell', frames.reset],
    ['more', 'hello!', frames.goaway],
  ])('a body with %s than its Content-Length', async (_, body, expected) => {
    const { socket, read } = await connect();
    socket.write(request([...instead(':method', 'POST'), ['content-length', '5']], endHeaders));
    socket.write(frame(frames.data, endStream, 1, Buffer.from(body)));
    const isOver = () => expect(read().some(({ type }) => type === expected)).toBe(true);
    await expectEventually(isOver, { withinMs: 5_000 });
  });

  test('an aborted body without an error is not treated as complete', async () => {
    const { socket, read } = await connect();
    socket.write(request(instead(':method', 'POST'), endHeaders));
    socket.write(frame(frames.data, 0, 1, Buffer.from('half of it')));
    socket.write(frame(frames.reset, 0, 1, Buffer.alloc(4)));
    socket.write(frame(frames.ping, 0, 0, Buffer.from('12345678')));
    // The response to the ping: everything before it has been read.
    const isRead = () => expect(read().some(({ type }) => type === frames.ping)).toBe(true);
    await expectEventually(isRead, { withinMs: 5_000 });
  });
});

test.each([constants.NGHTTP2_NO_ERROR, constants.NGHTTP2_CANCEL])(
  'a body that flows and is broken off by RST_STREAM(%i) is not taken for a whole one',
  async (code) => {
    const arrival = upstream.next();
    const { socket, read } = await connect();
    socket.write(request(instead(':method', 'POST'), endHeaders));
    const part = frame(frames.data, 0, 1, Buffer.alloc(16_000));
    for (let i = 0; i < 4; i++) socket.write(part);
    const isOpened = () =>
      expect(read().some(({ type, stream }) => type === frames.windowUpdate && stream === 1)).toBe(true);
    await expectEventually(isOpened, { withinMs: 5_000 });
    socket.write(part);
    const { req } = await arrival;
    const closed = once(req.resume(), 'close');
    socket.write(frame(frames.reset, 0, 1, Buffer.of(0, 0, 0, code)));
    await Promise.allSettled([closed]);
    expect(req.complete).toBe(false);
  },
);

describe('contradictory requests get a response', () => {
  const bodyOf = (code: number) => `"code":${code}`;
  test.each<[string, number, () => Fields]>([
    [':authority and another host', 400, () => authorized(['host', 'other.test'])],
    ['two Authorizations', 400, () => authorized(['authorization', 'Bearer x'])],
    [
      'CONNECT',
      405,
      () => [
        [':method', 'CONNECT'],
        [':authority', 'api.test:443'],
      ],
    ],
    ['an ambiguous path', 400, () => instead(':path', '/v2/../order')],
    ['a path of bytes', 400, () => instead(':path', '/v2/\xff')],
  ])('%s', async (_, code, fields) => {
    const { socket, read } = await connect();
    socket.write(request(fields()));
    const body = () =>
      Buffer.concat(
        read()
          .filter(({ type }) => type === frames.data)
          .map(({ payload }) => payload),
      );
    await expectEventually(() => expect(body().toString()).toContain(bodyOf(code)), { withinMs: 5_000 });
  });

  test('a field that HTTP does not allow is not forwarded', async () => {
    const seen: string[] = [];
    upstream.behave((req, res) => {
      seen.push(...req.rawHeaders);
      res.end('ok');
    });
    const { socket, read } = await connect();
    socket.write(request(authorized(['x-broken', 'a\r\nX-Injected: b'], ['x bad', '1'], ['x-fine', '1'])));
    const isOver = () =>
      expect(read().some(({ type, stream }) => stream === 1 && type !== frames.headers)).toBe(true);
    await expectEventually(isOver, { withinMs: 5_000 });
    expect(seen.join('\n').toLowerCase()).not.toMatch(/injected|x-broken|x bad/);
  });
});

describe('a malformed frame ends the connection', () => {
  const oversized = () => frame(frames.data, 0, 1, Buffer.alloc(20_000));
  test.each<[string, () => Buffer]>([
    ['DATA of no stream', () => frame(frames.data, 0, 0, Buffer.from('x'))],
    ['DATA of a stream that is not open', () => frame(frames.data, 0, 1, Buffer.from('x'))],
    [
      'HEADERS of an even stream',
      () => frame(frames.headers, endStream | endHeaders, 2, headerBlock(pseudo)),
    ],
    ['a frame over the agreed size', oversized],
    ['CONTINUATION of nothing', () => frame(frames.continuation, endHeaders, 1, headerBlock(pseudo))],
    [
      'a header block that cannot be read',
      () => frame(frames.headers, endHeaders, 1, Buffer.alloc(40, 0xff)),
    ],
    ['SETTINGS of a wrong length', () => frame(frames.settings, 0, 0, Buffer.alloc(5))],
    ['PING of a wrong length', () => frame(frames.ping, 0, 0, Buffer.alloc(3))],
    ['HTTP/1.1', () => Buffer.from('GET / HTTP/1.1\r\nHost: api.test\r\n\r\n'.repeat(1_000))],
    [
      '1,000 CONTINUATIONs',
      () =>
        Buffer.concat([
          request(authorized(), 0),
          ...Array.from({ length: 1_000 }, () => frame(frames.continuation, 0, 1, headerBlock([['x', 'y']]))),
        ]),
    ],
  ])('%s', async (_, bytes) => {
    const { socket } = await connect();
    socket.write(bytes());
    await once(socket, 'close');
  });
});

describe('floods', () => {
  test('streams that are opened and cancelled at once end the connection (CVE-2023-44487)', async () => {
    upstream.behave((_req, res) => res.end('ok'));
    const { socket, read } = await connect();
    let opened = 0;
    socket.on('close', () => {
      opened = Number.POSITIVE_INFINITY;
    });
    while (opened < 5_000) {
      const id = 2 * opened++ + 1;
      const block = headerBlock(pseudo);
      socket.write(frame(frames.headers, endStream | endHeaders, id, block));
      socket.write(frame(frames.reset, 0, id, Buffer.of(0, 0, 0, 8)));
      if (opened % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    if (!socket.closed) await once(socket, 'close');
    const goaway = read().find(({ type }) => type === frames.goaway);
    // Asked to make a new connection after a hundred, or cut by nghttp2, which calls it an internal error: whichever is first.
    const reasons = [constants.NGHTTP2_NO_ERROR, constants.NGHTTP2_INTERNAL_ERROR];
    expect(reasons).toContain(goaway?.payload.readUInt32BE(4));
    expect(goaway?.payload.readUInt32BE()).toBeLessThan(2_000);
  });
});
