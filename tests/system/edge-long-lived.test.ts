import { createServer, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { TestKey } from '../harness/api-keys.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { metricOf } from '../harness/metrics.ts';
import type { Platform } from '../harness/platform.ts';
import { bearerLine, requestBytes } from '../harness/request-bytes.ts';
import { sharedBehind } from '../harness/shared-platform.ts';

/*
 * Streams of events pass, and end when their credential does.
 */

let server: Server;
let platform: Platform;
beforeAll(async () => {
  server = createServer((_req, res) => {
    res.writeHead(200, { 'Content-Type': 'text/event-stream' });
    const timer = setInterval(() => res.write('data: tick\n\n'), 100);
    res.write('data: first\n\n');
    res.once('close', () => clearInterval(timer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  platform = await sharedBehind({ upstreams: [`http://127.0.0.1:${port}`] });
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await platform.close();
});

interface Stream {
  text: string;
  isOver: boolean;
  readonly socket: Socket;
}

function open(bytes: string): Stream {
  const socket = connect({ port: platform.gatewayPorts[0] ?? 0, host: '127.0.0.1' });
  const stream: Stream = { text: '', isOver: false, socket };
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    stream.text += chunk;
  });
  socket.once('close', () => {
    stream.isOver = true;
  });
  socket.write(bytes);
  return stream;
}

const events = (key: TestKey) => open(requestBytes('GET', '/v2/order', [bearerLine(key.keyString)]));
const soon = { withinMs: 8_000 };

describe('a long-lived stream of events', () => {
  afterEach(async () => {
    for (const each of [...platform.identities, platform.redis]) each?.thaw();
    const { keyString: key } = await platform.createKey();
    const status = async () => (await platform.request(0, 'GET', '/v2/rate-limit', { key })).status;
    await expectEventually(async () => expect(await status()).toBe(200), soon);
  });

  test.each([
    ['', () => undefined],
    [' while Redis does not respond', () => platform.redis?.freeze()],
  ])('ends when its key is deleted%s, and streams of other keys continue', async (_, lose) => {
    const [ending, lasting] = [await platform.createKey(), await platform.createKey()];
    const [ended, lasts] = [events(ending), events(lasting)];
    await expectEventually(() => {
      for (const { text } of [ended, lasts]) expect(text).toMatch(/^HTTP\/1\.1 200 /);
    }, soon);
    lose();
    await platform.deleteKey(ending);
    await expectEventually(() => expect(ended.isOver).toBe(true), soon);
    expect(lasts.isOver).toBe(false);
    lasts.socket.destroy();
  });

  test.each([
    ['Redis does not respond', () => [platform.redis]],
    ['identity-service does not respond', () => platform.identities],
    ['neither Redis nor identity-service responds', () => [...platform.identities, platform.redis]],
  ])('continues while %s', async (_, lost) => {
    const stream = events(await platform.createKey());
    await expectEventually(() => expect(stream.text).toContain('first'), soon);
    const rechecks = async () =>
      (await metricOf(platform.gateways[0], 'gateway_answers_total', { source: 'recheck' })) ?? 0;
    const earlier = await rechecks();
    for (const each of lost()) each?.freeze();
    // The first of them are over: each waits for the one before.
    await expectEventually(async () => expect(await rechecks()).toBeGreaterThan(earlier + 6), soon);
    const ticks = () => stream.text.split('tick').length;
    const before = ticks();
    await expectEventually(() => expect(ticks()).toBeGreaterThan(before + 10), soon);
    expect(stream.isOver).toBe(false);
    stream.socket.destroy();
  });
});

test('a gateway that stops closes its open event streams, and exits as usual', async () => {
  const key = await platform.createKey();
  const stream = events(key);
  await expectEventually(() => expect(stream.text).toContain('first'), soon);
  expect(await platform.gateways[0]?.stop()).toEqual({ code: 0, signal: null });
  await expectEventually(() => expect(stream.isOver).toBe(true), soon);
});
