import { getEventListeners } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { freePort } from '../../../deploy/local/process/free-port.ts';
import { type Receiver, respondWith, response, startReceiver } from '../../testing/receiver.ts';
import type { AddressRules } from '../addresses/url.ts';
import { createSender, type Sender, userAgent } from './http-attempt.ts';

const local: AddressRules = { allowedNetworks: [], allowedPorts: new Set([443]), allowsLoopback: true };

const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,x v1a,y' };
const body = '{"name":"Zoë 東京"}';

const resources: { close(): unknown }[] = [];
afterEach(async () => {
  for (const resource of resources.splice(0).toReversed()) await resource.close();
});

async function receiver(onData?: (socket: Socket, received: string) => void): Promise<Receiver> {
  const started = await startReceiver(onData === undefined ? {} : { onData });
  resources.push(started);
  return started;
}

function sender(limitMs = 15_000): Sender {
  const created = createSender({ rules: local, limitMs });
  resources.push(created);
  return created;
}

const send = (
  port: number,
  { from = sender(), path = '/hook?a=1', signal = new AbortController().signal } = {},
) => from.sendAttempt({ url: `http://127.0.0.1:${port}${path}`, headers, body, signal });

test('the request has these headers and no others, and the signed bytes', async () => {
  const target = await receiver(respondWith(response(200, 'ok')));
  const result = await send(target.port);
  expect(result).toEqual({
    outcome: 'delivered',
    status: 200,
    durationMs: expect.any(Number),
    responseStart: 'ok',
    retryAfterMs: undefined,
    errorCode: undefined,
  });
  const [head = '', sent = ''] = target.received.split('\r\n\r\n');
  expect(Buffer.from(sent, 'latin1').toString()).toBe(body);
  expect(head.split('\r\n')).toEqual([
    'POST /hook?a=1 HTTP/1.1',
    'webhook-id: evt_1',
    'webhook-timestamp: 1',
    'webhook-signature: v1,x v1a,y',
    `User-Agent: ${userAgent}`,
    'Accept: */*',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Host: 127.0.0.1:${target.port}`,
    'Connection: keep-alive',
  ]);
});

test.each([
  [200, 'delivered'],
  [202, 'delivered'],
  [204, 'delivered'],
  [299, 'delivered'],
  [300, 'refused'],
  [304, 'refused'],
  [400, 'refused'],
  [401, 'refused'],
  [404, 'refused'],
  [410, 'gone'],
  [429, 'refused'],
  [500, 'refused'],
  [599, 'refused'],
  [999, 'refused'],
])('%i ends as %s', async (status, outcome) => {
  const target = await receiver(respondWith(`HTTP/1.1 ${status} x\r\nContent-Length: 0\r\n\r\n`));
  expect(await send(target.port)).toMatchObject({ outcome, status, responseStart: '' });
});

test.each([301, 302, 303, 307, 308])('a redirect by %i is not followed', async (status) => {
  const elsewhere = await receiver(respondWith(response(200)));
  const location = `Location: http://127.0.0.1:${elsewhere.port}/`;
  const target = await receiver(respondWith(response(status, '', [location])));
  expect(await send(target.port)).toMatchObject({ outcome: 'refused', status });
  expect([target.connections, elsewhere.connections]).toEqual([1, 0]);
});

test.each([
  [429, '120', 120_000],
  [503, '0', 0],
  [503, ' 7 ', 7_000],
  [503, '999999999999999999999', 86_400_000],
  [429, 'Fri, 01 Jan 2100 00:00:00 GMT', 86_400_000],
  [429, 'Sun, 06 Nov 1994 08:49:37 GMT', 0],
  [429, '-5', undefined],
  [429, '1.5', undefined],
  [429, 'tomorrow', undefined],
  [429, '2100-01-01', undefined],
  [500, '120', undefined],
  [200, '120', undefined],
])('%i with Retry-After: %s waits for %p ms', async (status, value, retryAfterMs) => {
  const target = await receiver(respondWith(response(status, '', [`Retry-After: ${value}`])));
  expect(await send(target.port)).toMatchObject({ status, retryAfterMs });
});

test('the first 4 kB of the body are kept as valid text that PostgreSQL can store', async () => {
  const target = await receiver(respondWith(response(500, `\0${'a'.repeat(4_094)}é${'b'.repeat(5_000)}`)));
  const { responseStart } = await send(target.port);
  expect(responseStart).toBe(`\ufffd${'a'.repeat(4_094)}`);
});

test.each([
  [200, 'delivered'],
  [500, 'refused'],
])('an endless %i response is cut after 64 kB', async (status, outcome) => {
  let written = 0;
  const piece = Buffer.alloc(16_384, 'x');
  const target = await receiver((socket, received) => {
    if (!received.endsWith('}')) return;
    socket.write(`HTTP/1.1 ${status} x\r\n\r\n`);
    const pour = () => {
      while (!socket.destroyed && socket.write(piece)) written += piece.length;
    };
    socket.on('drain', pour);
    pour();
  });
  expect(await send(target.port)).toMatchObject({ outcome, status, responseStart: 'x'.repeat(4_096) });
  await target.allClosed();
  // The rest stood in the buffers of the two sockets.
  expect(written).toBeLessThan(32 * 1_048_576);
});

test.each<[string, (socket: Socket) => void]>([
  ['never responds', () => undefined],
  ['sends a head and no body', (socket) => socket.write('HTTP/1.1 200 x\r\nContent-Length: 5\r\n\r\n')],
  [
    'sends a body byte by byte',
    (socket) => {
      socket.write('HTTP/1.1 200 x\r\n\r\n');
      const timer = setInterval(() => socket.write('x'), 5);
      socket.on('close', () => clearInterval(timer));
    },
  ],
  [
    'sends a head byte by byte',
    (socket) => {
      socket.write('HTTP/1.1 200 x\r\nX: ');
      const timer = setInterval(() => socket.write('x'), 5);
      socket.on('close', () => clearInterval(timer));
    },
  ],
  [
    'sends 102 again and again',
    (socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 102 x\r\n\r\n'), 5);
      socket.on('close', () => clearInterval(timer));
    },
  ],
])('a receiver that %s is cut off in time', async (_, behave) => {
  const target = await receiver((socket, received) => {
    if (received.endsWith('}')) behave(socket);
  });
  expect(await send(target.port, { from: sender(300) })).toMatchObject({
    outcome: 'timed_out',
    errorCode: undefined,
  });
  await target.allClosed();
});

test.each<[string, string | Buffer]>([
  ['nonsense', 'nonsense\r\n\r\n'],
  ['random bytes', Buffer.from('16030100f00100', 'hex')],
  ['a body without a head (HTTP/0.9)', '<html></html>'],
  ['a preface of HTTP/2', Buffer.from('00000c04000000000000030000006400040000ffff', 'hex')],
  ['two lengths', 'HTTP/1.1 200 x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
  [
    'a length and chunks',
    'HTTP/1.1 200 x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  ['a head of 20 kB', `HTTP/1.1 200 x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
  ['an upgrade', 'HTTP/1.1 101 x\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'],
  ['1xx without end', 'HTTP/1.1 102 x\r\n\r\n'.repeat(10_000)],
  [
    'a chunk with an extension of 100 kB',
    `HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(100_000)}`,
  ],
])('%s instead of a response is an invalid response', async (_, bytes) => {
  const target = await receiver((socket, received) => {
    if (received.endsWith('}')) socket.write(bytes);
  });
  const { outcome, errorCode } = await send(target.port);
  expect(outcome).toBe('invalid_response');
  expect(errorCode ?? 'EPROTO').toMatch(/^[A-Z_]+$/);
  await target.allClosed();
});

test.each<[string, (socket: Socket) => void]>([
  ['closes', (socket) => socket.end()],
  ['resets', (socket) => socket.resetAndDestroy()],
  ['closes within the head', (socket) => socket.end('HTTP/1.1 200 x\r\nContent-')],
  ['closes within the body', (socket) => socket.end('HTTP/1.1 200 x\r\nContent-Length: 9\r\n\r\nhalf')],
  [
    'closes within a chunk',
    (socket) => socket.end('HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nx'),
  ],
])('a receiver that %s has not accepted the event', async (_, behave) => {
  const target = await receiver((socket, received) => {
    if (received.endsWith('}')) behave(socket);
  });
  expect(await send(target.port)).toMatchObject({ outcome: 'invalid_response' });
  expect(target.connections).toBe(1);
});

test('a port without a server is a failed connection with only its error code', async () => {
  expect(await send(await freePort())).toMatchObject({
    outcome: 'connection_failed',
    errorCode: 'ECONNREFUSED',
    status: undefined,
  });
});

test('an abort signal ends an attempt, even before it begins', async () => {
  const stop = new AbortController();
  const target = await receiver(() => stop.abort());
  expect(await send(target.port, { signal: stop.signal })).toMatchObject({ outcome: 'cancelled' });
  await target.allClosed();
  expect(await send(target.port, { signal: stop.signal })).toMatchObject({ outcome: 'cancelled' });
  expect(target.connections).toBe(1);
});

test('an attempt that has ended no longer listens to its signal', async () => {
  const { signal } = new AbortController();
  const target = await receiver(respondWith(response(200)));
  await send(target.port, { signal });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a connection is reused only for the same endpoint', async () => {
  const target = await receiver(respondWith(response(200)));
  const from = sender();
  for (const path of ['/a', '/a', '/b', '/a', '/b']) await send(target.port, { from, path });
  expect(target.connections).toBe(2);
});

test('an idle connection that the receiver has closed is replaced', async () => {
  const requests = new Map<Socket, number>();
  const target = await receiver((socket, received) => {
    if (!received.endsWith('}')) return;
    const count = (requests.get(socket) ?? 0) + 1;
    requests.set(socket, count);
    // The second request on a connection meets a server that has just closed it.
    if (count === 2) socket.resetAndDestroy();
    else socket.write(response(200));
  });
  const from = sender();
  const outcomes: string[] = [];
  for (let count = 0; count < 4; count++) outcomes.push((await send(target.port, { from })).outcome);
  expect(outcomes).toEqual(Array(4).fill('delivered'));
  expect(target.connections).toBe(4);
});

test.each(['http://10.0.0.1/', 'https://user@example.com/', 'https://example.com:8443/', 'nonsense'])(
  '%s is not dialled',
  async (url) => {
    const { signal } = new AbortController();
    expect(await sender().sendAttempt({ url, headers, body, signal })).toMatchObject({
      outcome: 'address_not_allowed',
    });
  },
);
