import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import { expectEventually } from '../harness/expect-eventually.ts';
import { linesOf } from '../harness/log-lines.ts';
import { metricOf } from '../harness/metrics.ts';
import { parseResponses } from '../harness/raw-responses.ts';
import { bearerLine, requestBytes } from '../harness/request-bytes.ts';
import { running } from '../harness/running.ts';
import { scriptedUpstream } from '../harness/scripted-upstream.ts';
import { sharedBehind } from '../harness/shared-platform.ts';

const upstream = running(scriptedUpstream);
const platform = running(() => sharedBehind({ upstreams: [upstream.origin] }));
let key: string;

beforeAll(async () => {
  key = (await platform.createKey()).keyString;
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

const withoutCredential = (path: string) => requestBytes('GET', path, []);

/** Requests of a path that the gateway has written to its log. */
const logged = (path: string) =>
  readFileSync(platform.gateways[0]?.logFile ?? '', 'utf8').split(`"path":"${path}"`).length - 1;

const unreadBytes = () => metricOf(platform.gateways[0], 'gateway_unread_bytes', {});

test('a pipelined request that waits holds memory only until its client is gone, and is never handled', async () => {
  const { socket } = await heldClient();
  socket.write(
    requestBytes('POST', '/v2/oauth/token', ['Content-Length: 10000'], 'x'.repeat(10_000)).repeat(20),
  );
  await expectEventually(async () => expect(await unreadBytes()).toBeGreaterThan(20 * 10_000), {
    withinMs: 5_000,
  });
  socket.resetAndDestroy();
  await expectEventually(async () => expect(await unreadBytes()).toBe(0), { withinMs: 5_000 });
  expect(logged('/v2/oauth/token')).toBe(0);
});

test('a pipelined request is handled once the response before it has left, which a client that does not read delays', async () => {
  let arrived = 0;
  const body = 'x'.repeat(60_000);
  upstream.behave((_req, res) => {
    arrived++;
    res.end(body);
  });
  const socket = connect(platform.gatewayPorts[0] ?? 0, '127.0.0.1');
  sockets.push(socket);
  socket.pause().write(requestBytes('GET', '/v2/order', [bearerLine(key)]).repeat(100));
  const isStuck = async () => {
    expect(await unreadBytes()).toBeGreaterThan(8_192);
    const before = arrived;
    // A whole exchange of another client.
    expect((await platform.request(0, 'GET', '/v2/order', { key })).status).toBe(200);
    expect(arrived).toBe(before + 1);
  };
  await expectEventually(isStuck, { withinMs: 10_000 });
  expect(arrived).toBeLessThan(90);
  let text = '';
  socket.on('data', (chunk) => (text += chunk)).resume();
  const isWhole = () => expect(text.split(body)).toHaveLength(101);
  await expectEventually(isWhole, { withinMs: 10_000 });
});

test('at most a hundred pipelined requests may wait, and the connection is closed after their responses', async () => {
  const { socket, received, closed, release } = await heldClient();
  await new Promise((resolve) => socket.write(withoutCredential('/v2/order').repeat(500), resolve));
  // What was written has been read, once another connection gets its response.
  await platform.request(0, 'GET', '/v2/order/unknown');
  release();
  await closed;
  const statuses = parseResponses(received.text).map(({ status }) => status);
  expect(statuses).toEqual([200, ...Array(100).fill(401)]);
});

test('a flood of pipelined requests ends its own connection, and other clients still get responses', async () => {
  const { socket, received, closed } = await heldClient();
  socket.write(withoutCredential('/v2/order/flood').repeat(20_000));
  await closed;
  expect(received.text).toBe('');
  const after = await platform.request(0, 'GET', '/v2/order', { key });
  expect(after.status).toBe(200);
  // Lines are written later, in their order: those of the flood would stand before this one.
  const [gateway] = platform.gateways;
  const requestId = String(after.headers['x-request-id']);
  const isLogged = () => expect(gateway && linesOf(gateway, requestId)).toContain('request');
  await expectEventually(isLogged, { withinMs: 5_000 });
  expect(logged('/v2/order/flood')).toBe(0);
});

test('a pipelined request with an invalid chunked body is refused in its turn', async () => {
  const { socket, received, closed, release } = await heldClient();
  socket.write(
    requestBytes('POST', '/v2/order', [bearerLine(key), 'Transfer-Encoding: chunked'], 'nonsense\r\n'),
  );
  await platform.request(0, 'GET', '/v2/order/unknown');
  release();
  await closed;
  expect(parseResponses(received.text).map(({ status }) => status)).toEqual([200, 400]);
});
