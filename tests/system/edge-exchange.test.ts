import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { rawRequest } from '../harness/raw-request.ts';
import { rawUpstream } from '../harness/raw-upstream.ts';
import { bearerLine, requestBytes } from '../harness/request-bytes.ts';
import { running } from '../harness/running.ts';
import { sharedBehind } from '../harness/shared-platform.ts';

/*
 * One response to one request, whatever happens on either side, and a gateway that goes on afterwards.
 */

const upstream = running(rawUpstream);
const platform = running(() =>
  sharedBehind({
    upstreams: [upstream.origin],
    gatewayEnv: { UPSTREAM_TIMEOUT_MS: '5000' },
  }),
);
let key: string;
let pid: number | undefined;

beforeAll(async () => {
  key = (await platform.createKey()).keyString;
  pid = platform.gateways[0]?.pid;
});

const port = () => platform.gatewayPorts[0] ?? 0;
const get = (path = '/v2/order') => requestBytes('GET', path, [bearerLine(key)]);
/** The connection ends with its response. */
const last = () => requestBytes('GET', '/v2/order', [bearerLine(key), 'Connection: close']);
const chunked = (path: string) => requestBytes('POST', path, [bearerLine(key), 'Transfer-Encoding: chunked']);
const ok = (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

async function expectAlive(): Promise<void> {
  upstream.say(ok('well'));
  const response = await platform.request(0, 'GET', '/v2/order', { key });
  expect(response).toMatchObject({ status: 200, text: 'well' });
  expect(platform.gateways[0]?.isRunning()).toBe(true);
  expect(platform.gateways[0]?.pid).toBe(pid);
}

describe('a body that ends in malformed chunks', () => {
  const nonsense = '5\r\nhello\r\nZZ\r\n';

  test.each(['/login', '/v2/oauth/token', '/v2/order'])(
    'gets one 400 for %s and ends the connection',
    async (path) => {
      let heard = 0;
      upstream.behave(() => heard++);
      const raw = await rawRequest(port(), chunked(path) + nonsense);
      expect(raw.statuses).toEqual([400]);
      expect(raw.closed).toBe(true);
      expect(heard).toBe(0);
      await expectAlive();
    },
  );

  test('after a request in flight gets 400 after the complete response to that request', async () => {
    upstream.say(ok('well'));
    const raw = await rawRequest(port(), get() + chunked('/v2/order') + nonsense, { responses: 2 });
    expect(raw.statuses).toEqual([200, 400]);
    expect(raw.closed).toBe(true);
    await expectAlive();
  });

  test('ends an upstream request that has begun, whose late response is ignored', async () => {
    const heard = new Promise<Socket>((resolve) => upstream.behave(resolve));
    const socket = connect(port(), '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.write(`${chunked('/v2/order')}20000\r\n${'x'.repeat(0x20000)}\r\n`);
    const upstreamSocket = await heard;
    const ended = once(upstreamSocket, 'close');
    socket.write('ZZ\r\n');
    await once(socket, 'close');
    await ended;
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400']);
    await expectAlive();
  });

  test('cuts the connection during a response without writing into that response', async () => {
    upstream.say('HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\nbegun');
    const socket = connect(port(), '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.write(`${chunked('/v2/order')}20000\r\n${'x'.repeat(0x20000)}\r\n`);
    await once(socket, 'data');
    socket.write('ZZ\r\n');
    await once(socket, 'close');
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
    expect(text).not.toContain('malformed');
    await expectAlive();
  });
});

/** Requests reach the upstream in two ways: with the whole body at hand or none, and as streams. */
const ways: [string, () => string][] = [
  ['without a body', last],
  [
    'streamed',
    () =>
      `${requestBytes('POST', '/v2/order', [bearerLine(key), 'Content-Length: 70000', 'Connection: close'])}${'x'.repeat(70_000)}`,
  ],
];

describe.each(ways)(
  'an upstream that violates HTTP in its response to a request %s gets 502:',
  (_way, bytesOf) => {
    const head = (...lines: string[]) => `HTTP/1.1 ${lines.join('\r\n')}\r\n\r\n`;
    test.each([
      ['a status below 100', head('099 Low', 'Content-Length: 0')],
      ['status 0', head('000 None', 'Content-Length: 0')],
      ['a status above 599', head('999 High', 'Content-Length: 0')],
      ['a status above 599, and a body until the end', `${head('999 High')}hello`],
      ['bytes behind Content-Length', `${head('200 OK', 'Content-Length: 2')}ok and more`],
      ['204 with a length', `${head('204 No Content', 'Content-Length: 5')}hello`],
      ['204 with a length and no body', head('204 No Content', 'Content-Length: 5')],
      ['204 with chunks', `${head('204 No Content', 'Transfer-Encoding: chunked')}5\r\nhello\r\n0\r\n\r\n`],
      ['204 with bytes', `${head('204 No Content')}hello`],
      ['304 with bytes', `${head('304 Not Modified', 'Content-Length: 5')}hello`],
      ['101 unasked', head('101 Switching Protocols', 'Connection: upgrade', 'Upgrade: websocket')],
      ['a control character in a header', head('200 OK', 'Content-Type: a\x01b', 'Content-Length: 0')],
      ['a header name with a space', head('200 OK', 'Content Type: text/plain', 'Content-Length: 0')],
      ['a length that is no number', `${head('200 OK', 'Content-Length: 5x')}hello`],
      ['two lengths', `${head('200 OK', 'Content-Length: 5', 'Content-Length: 6')}hello`],
      ['a length and chunks', `${head('200 OK', 'Content-Length: 5', 'Transfer-Encoding: chunked')}hello`],
      ['no HTTP at all', 'SSH-2.0-OpenSSH_9.2\r\n\r\n'],
      ['a head without an end', `HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(100_000)}`],
      ['another version', 'HTTP/3.0 200 OK\r\nContent-Length: 0\r\n\r\n'],
    ])('%s', async (_, bytes) => {
      upstream.say(bytes);
      const raw = await rawRequest(port(), bytesOf(), { quietMs: 3_000 });
      expect(raw.statuses).toEqual([502]);
      await expectAlive();
    });

    test.each([
      ['an invalid chunk', `${head('200 OK', 'Transfer-Encoding: chunked')}5\r\nhello\r\nZZ\r\n`],
      ['a body that breaks off', `${head('200 OK', 'Content-Length: 100000')}hello`],
    ])('%s: cut', async (_, bytes) => {
      upstream.behave((socket) => {
        socket.write(Buffer.from(bytes, 'latin1'), () => setTimeout(() => socket.destroy(), 50));
      });
      const raw = await rawRequest(port(), last(), { quietMs: 3_000 });
      expect(raw.statuses).toEqual([200]);
      expect(raw.closed).toBe(true);
      expect(raw.text.endsWith('0\r\n\r\n')).toBe(false);
      await expectAlive();
    });

    test('a client that leaves during a response until close affects no other request', async () => {
      const left = Promise.withResolvers<void>();
      upstream.behave((socket) => {
        socket
          .once('close', () => left.resolve())
          .write(`${head('200 OK', 'Content-Type: text/plain')}begun`);
      });
      const client = connect(port(), '127.0.0.1', () => client.write(bytesOf(), 'latin1'));
      await once(client, 'data');
      client.destroy();
      await left.promise;
      await expectAlive();
    });

    test('bytes that are sent without a request are never the response to the next one', async () => {
      const used: Socket[] = [];
      upstream.behave((socket) => {
        used.push(socket);
        socket.write(ok('mine'));
      });
      for (let i = 0; i < 5; i++) {
        const { text } = await platform.request(0, 'GET', '/v2/order', { key });
        expect(text).toBe('mine');
        const socket = used.pop();
        if (socket === undefined) throw new Error('the upstream was not asked');
        const closed = once(socket, 'close', { signal: AbortSignal.timeout(60_000) });
        socket.write(ok('forged'));
        await closed;
      }
    });
  },
);

describe('an upstream that does not respond', () => {
  const hold = () => upstream.behave(() => undefined);

  test('API: 504 with Retry-After', async () => {
    hold();
    const response = await platform.request(0, 'GET', '/v2/order', { key });
    expect(response).toMatchObject({ status: 504, headers: { 'retry-after': '1' } });
    expect(JSON.parse(response.text)).toMatchObject({ status: 'Gateway Timeout', code: 504 });
  });

  test('OAuth endpoints: 503 server_error; pages: a page', async () => {
    for (const each of platform.identities) each.freeze();
    try {
      const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
      const [token, page] = await Promise.all([
        platform.request(0, 'POST', '/v2/oauth/token', { headers: form, body: 'grant_type=refresh_token' }),
        platform.request(0, 'GET', '/login', { headers: { Accept: 'text/html,*/*;q=0.8' } }),
      ]);
      expect(token).toMatchObject({
        status: 503,
        headers: { 'retry-after': '1', 'cache-control': 'no-store' },
      });
      expect(JSON.parse(token.text)).toEqual({
        error: 'server_error',
        error_description: 'the service behind the gateway did not respond in time',
        error_uri: '/docs/errors#server_error',
      });
      expect(page).toMatchObject({ status: 504, headers: { 'content-type': 'text/html; charset=utf-8' } });
      expect(page.text).toContain('Please try again in a moment.');
    } finally {
      for (const each of platform.identities) each.thaw();
    }
  });
});
