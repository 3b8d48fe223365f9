import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { expectEventually } from '../harness/expect-eventually.ts';
import { metricIn, metricsOf } from '../harness/metrics.ts';
import type { Platform } from '../harness/platform.ts';
import { bearerLine, requestBytes } from '../harness/request-bytes.ts';
import { type ScriptedUpstream, scriptedUpstream } from '../harness/scripted-upstream.ts';
import { sharedBehind } from '../harness/shared-platform.ts';

/*
 * A client that is slow, or many that are, hold their own connections and nothing that others need.
 */

let upstream: ScriptedUpstream;
let platform: Platform;
let key: string;
let otherKey: string;

beforeAll(async () => {
  upstream = await scriptedUpstream();
  platform = await sharedBehind({ upstreams: [upstream.origin] });
  key = (await platform.createKey()).keyString;
  otherKey = (await platform.createKey()).keyString;
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await platform.close();
  await upstream.close();
});
afterEach(() => upstream.reset());

const sockets: Socket[] = [];
const port = () => platform.gatewayPorts[0] ?? 0;

interface SlowClient {
  text: string;
  closedAfterMs: number | undefined;
  readonly socket: Socket;
}

/** Sends a head and the beginning of a body, and then a byte at a time. */
function slowClient(head: string, everyMs: number, bytes = 'x'): SlowClient {
  const socket = connect(port(), '127.0.0.1');
  sockets.push(socket);
  const startedAt = performance.now();
  const client: SlowClient = { text: '', closedAfterMs: undefined, socket };
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    client.text += chunk;
  });
  socket.write(head);
  let sent = 0;
  // What is due: a pause of this process makes no client slower.
  const timer = setInterval(() => {
    const due = Math.floor((performance.now() - startedAt) / everyMs);
    socket.write(bytes.repeat(due - sent));
    sent = due;
  }, everyMs);
  socket.once('close', () => {
    clearInterval(timer);
    client.closedAfterMs = performance.now() - startedAt;
  });
  return client;
}

/** How many are open: a list of sockets takes seconds to print, at every look. */
const openOf = (clients: readonly SlowClient[]) =>
  clients.filter(({ closedAfterMs }) => closedAfterMs === undefined).length;

const statusOf = ({ text }: SlowClient) => /^HTTP\/1\.1 (\d+)/.exec(text)?.[1];

describe('560 bodies of a byte in five seconds', () => {
  test('delay no other request, get 408, and lose their connections', async () => {
    const json = ['Content-Type: application/json', 'Content-Length: 500'];
    const heads = [
      requestBytes('POST', '/v2/oauth/token', json, '{'),
      requestBytes('POST', '/login', json, '{'),
      requestBytes('POST', '/v2/order', [bearerLine(key), ...json], '{'),
    ];
    let heard = 0;
    upstream.behave((req, res) => {
      if (req.method === 'POST') heard++;
      res.end('ok');
    });
    const slow: SlowClient[] = [];
    while (slow.length < 560) {
      for (let i = 0; i < 40; i++) slow.push(slowClient(heads[i % heads.length] ?? '', 5_000));
      // Many at once would be an overload of its own.
      await platform.request(0, 'GET', '/docs');
    }
    const meanwhile = async () => {
      const responses = await Promise.all([
        platform.request(0, 'GET', '/v2/order', { key }),
        platform.request(0, 'GET', '/login'),
        platform.request(0, 'POST', '/v2/oauth/token', { body: '{}' }),
      ]);
      return responses.map(({ status }) => status);
    };
    for (let i = 0; i < 5; i++) expect(await meanwhile()).toEqual([200, 200, 400]);
    const allClosed = () => expect(openOf(slow)).toBe(0);
    await expectEventually(allClosed, { withinMs: 20_000, everyMs: 200 });
    expect(new Set(slow.map(statusOf))).toEqual(new Set(['408']));
    expect(slow.every(({ text }) => text.includes('\r\nConnection: close\r\n'))).toBe(true);
    expect(heard).toBe(0);
  });
});

describe('large uploads that stall', () => {
  test('use a bounded share of the upstream and free it, while other credentials are served', async () => {
    const waiting = new Set<object>();
    upstream.behave((req, res) => {
      if (req.method === 'GET') {
        res.end('ok');
        return;
      }
      waiting.add(req);
      req.socket.once('close', () => waiting.delete(req));
      req.resume().once('end', () => res.end('ok'));
    });
    const head = requestBytes(
      'POST',
      '/v2/order',
      [bearerLine(key), 'Content-Length: 1000000'],
      'x'.repeat(70_000),
    );
    const slow = Array.from({ length: 150 }, () => slowClient(head, 1_000));
    await expectEventually(() => expect(waiting.size).toBeGreaterThan(30), { withinMs: 10_000 });
    const other = await platform.request(0, 'GET', '/v2/order', { key: otherKey });
    expect(other.status).toBe(200);
    const busy = () => expect(slow.filter((client) => statusOf(client) === '503').length).toBeGreaterThan(0);
    await expectEventually(busy, { withinMs: 10_000 });
    expect(waiting.size).toBeLessThanOrEqual(64);
    const allOver = () => expect(openOf(slow)).toBe(0);
    await expectEventually(allOver, { withinMs: 20_000, everyMs: 200 });
    expect(new Set(slow.map(statusOf))).toEqual(new Set(['408', '503']));
    await expectEventually(() => expect(waiting.size).toBe(0), { withinMs: 2_000 });
    expect((await platform.request(0, 'GET', '/v2/order', { key })).status).toBe(200);
  });
});

test('clients that disconnect free their slots at once', async () => {
  const open = new Set<object>();
  upstream.behave((req, res) => {
    if (req.url?.endsWith('?quick')) {
      res.end('ok');
      return;
    }
    open.add(req);
    req.socket.once('close', () => open.delete(req));
  });
  const held = Array.from({ length: 64 }, () =>
    slowClient(requestBytes('GET', '/v2/order', [bearerLine(key)]), 60_000, ''),
  );
  await expectEventually(() => expect(open.size).toBe(64), { withinMs: 10_000 });
  const full = await platform.request(0, 'GET', '/v2/order?quick', { key });
  expect(full).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  const counted = await metricsOf(platform.gateways[0]);
  expect(counted).toMatch(/^gateway_upstream_requests\{upstream="business".*\} 64$/m);
  expect(counted).toMatch(/^gateway_upstream_waiting\{upstream="business".*\} 0$/m);
  expect(counted).toMatch(/^gateway_upstream_connections\{upstream="business".*\} (6[4-9]|[7-9]\d|\d{3})$/m);
  // No alarm: slots are free for others.
  const waits = (outcome: string) =>
    metricIn(counted, 'gateway_upstream_waits_total', { upstream: 'business', outcome });
  expect(waits('refused_share')).toBeGreaterThan(0);
  expect(waits('refused')).toBe(0);
  for (const { socket } of held) socket.destroy();
  // Well before the gateway would give the upstream up.
  await expectEventually(() => expect(open.size).toBe(0), { withinMs: 1_000 });
  expect((await platform.request(0, 'GET', '/v2/order?quick', { key })).status).toBe(200);
});

test('a body of two kilobytes per second is accepted', async () => {
  upstream.behave((req, res) => void req.resume().once('end', () => res.end('ok')));
  const head = requestBytes('POST', '/v2/order', [
    bearerLine(key),
    'Connection: close',
    'Content-Length: 13000',
  ]);
  const client = slowClient(head, 250, 'x'.repeat(500));
  await expectEventually(() => expect(client.closedAfterMs).toBeGreaterThan(6_000), { withinMs: 14_000 });
  expect(statusOf(client)).toBe('200');
});
