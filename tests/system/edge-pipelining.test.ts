import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { expectEventually } from '../harness/expect-eventually.ts';
import { linesOf } from '../harness/log-lines.ts';
import type { Platform } from '../harness/platform.ts';
import { parseResponses } from '../harness/raw-responses.ts';
import { bearerLine, requestBytes } from '../harness/request-bytes.ts';
import { type ScriptedUpstream, scriptedUpstream } from '../harness/scripted-upstream.ts';
import { sharedBehind } from '../harness/shared-platform.ts';

let upstream: ScriptedUpstream;
let platform: Platform;
let key: string;

beforeAll(async () => {
  upstream = await scriptedUpstream();
  platform = await sharedBehind({ upstreams: [upstream.origin] });
  key = (await platform.createKey()).keyString;
});
afterAll(async () => {
  await platform.close();
  await upstream.close();
});

const sockets: Socket[] = [];
afterEach(() => {
  upstream.reset();
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** A client whose first request has arrived at the upstream, which does not respond yet. */
async function heldClient() {
  const arrival = upstream.next();
  const socket = connect(platform.gatewayPorts[0] ?? 0, '127.0.0.1');
  sockets.push(socket);
  const received = { text: '' };
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => undefined).on('data', (chunk) => (received.text += chunk));
  await once(socket, 'connect');
  socket.write(requestBytes('GET', '/v2/order', [bearerLine(key)]));
  const { res } = await arrival;
  upstream.reset();
  return { socket, received, closed, release: () => res.end('held') };
}

/** Its length is not known in advance: room for 64 kB is taken. */
const tokenRequest = requestBytes('POST', '/v2/oauth/token', ['Transfer-Encoding: chunked'], '0\r\n\r\n');
const withoutCredential = (path: string) => requestBytes('GET', path, []);

/** Requests of a path that the gateway has written to its log. */
const logged = (path: string) =>
  readFileSync(platform.gateways[0]?.logFile ?? '', 'utf8').split(`"path":"${path}"`).length - 1;

const isFull = async () =>
  (await platform.request(0, 'POST', '/v2/order', { key, body: {} })).text.includes(
    'too many requests are being received',
  );

test('bodies behind a request whose client is gone are released, and each request is in the log', async () => {
  // 256 fill what one network may have; more where the gateway refused some of them, busy as it was.
  let sent = 0;
  do {
    const { socket } = await heldClient();
    socket.write(tokenRequest.repeat(64));
    sent += 64;
    // What was written has been read, once another connection gets its response.
    await platform.request(0, 'GET', '/v2/order/unknown');
  } while (!(await isFull()) && sent < 2_048);
  expect(await isFull()).toBe(true);
  expect(sent).toBeGreaterThanOrEqual(256);
  for (const client of sockets.splice(0)) client.resetAndDestroy();
  const released = async () => {
    expect(await isFull()).toBe(false);
    expect(logged('/v2/oauth/token')).toBe(sent);
  };
  await expectEventually(released, { withinMs: 10_000 });
});

test('a hundred are handled at once; behind their responses the connection is closed', async () => {
  const { socket, received, closed, release } = await heldClient();
  await new Promise((resolve) => socket.write(withoutCredential('/v2/order').repeat(500), resolve));
  // What was written has been read, once another connection gets its response.
  await platform.request(0, 'GET', '/v2/order/unknown');
  release();
  await closed;
  const statuses = parseResponses(received.text).map(({ status }) => status);
  expect(statuses).toEqual([200, ...Array(99).fill(401)]);
});

test('a flood that waits for no response ends its connection, and costs no other its response', async () => {
  const { socket, received, closed } = await heldClient();
  socket.write(withoutCredential('/v2/order/flood').repeat(20_000));
  await closed;
  expect(received.text).toBe('');
  const after = await platform.request(0, 'GET', '/v2/order', { key });
  expect(after.status).toBe(200);
  // Lines are written later, in their order: those of the flood stand before this one.
  const [gateway] = platform.gateways;
  const requestId = String(after.headers['x-request-id']);
  const isLogged = () => expect(gateway && linesOf(gateway, requestId)).toContain('request');
  await expectEventually(isLogged, { withinMs: 5_000 });
  expect(logged('/v2/order/flood')).toBeGreaterThanOrEqual(1);
  expect(logged('/v2/order/flood')).toBeLessThanOrEqual(99);
});
