import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { TestKey } from '../harness/api-keys.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { metricOf } from '../harness/metrics.ts';
import type { Platform } from '../harness/platform.ts';
import { bearerLine, requestBytes } from '../harness/request-bytes.ts';
import { sharedBehind } from '../harness/shared-platform.ts';

/*
 * Streams of events and WebSockets pass, authenticated and limited, and end when their credential does.
 */

let server: Server;
let platform: Platform;
const upgraded = new Set<Socket>();
/** Headers of the handshakes that reached the upstream. */
const handshakes: Record<string, unknown>[] = [];

/** Whether the upstream refuses handshakes; at first it accepts them and sends back every byte. */
let refusesHandshakes = false;

beforeAll(async () => {
  server = createServer((_req, res) => {
    res.writeHead(200, { 'Content-Type': 'text/event-stream' });
    const timer = setInterval(() => res.write('data: tick\n\n'), 100);
    res.write('data: first\n\n');
    res.once('close', () => clearInterval(timer));
  });
  server.on('upgrade', (req, socket: Socket, head) => {
    handshakes.push(req.headers);
    if (refusesHandshakes) {
      socket.end('HTTP/1.1 426 Upgrade Required\r\nContent-Length: 2\r\nX-Internal: a\r\n\r\nno');
      return;
    }
    upgraded.add(socket);
    socket.on('error', () => undefined).once('close', () => upgraded.delete(socket));
    const accept = createHash('sha1').update(
      `${req.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`,
    );
    const lines = [
      'Upgrade: websocket',
      'Connection: Upgrade',
      `Sec-WebSocket-Accept: ${accept.digest('base64')}`,
    ];
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\nX-Secret: x\r\n\r\n`);
    socket.write(head);
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  platform = await sharedBehind({ upstreams: [`http://127.0.0.1:${port}`] });
});
afterAll(async () => {
  for (const socket of upgraded) socket.destroy();
  server.closeAllConnections();
  server.close();
  await platform.close();
});

interface Stream {
  text: string;
  isOver: boolean;
  readonly socket: Socket;
}

function open(bytes: string, options: Partial<NetConnectOpts> = {}): Stream {
  const socket = connect({ ...options, port: platform.gatewayPorts[0] ?? 0, host: '127.0.0.1' });
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
const handshakeLines = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];
const webSocket = (bearer: string, path = '/v2/order', behind = '', options: Partial<NetConnectOpts> = {}) =>
  open(requestBytes('GET', path, [bearerLine(bearer), ...handshakeLines], behind), options);

const soon = { withinMs: 8_000 };

const slotsInUse = () =>
  metricOf(platform.gateways[0], 'gateway_upstream_requests', { upstream: 'business' });

describe('a WebSocket', () => {
  test('is joined, bytes pass both ways, and the upstream gets the passport and not the key', async () => {
    const { keyString } = await platform.createKey();
    const stream = webSocket(keyString, '/v2/order', 'behind the head;');
    await expectEventually(() => expect(stream.text).toContain('behind the head;'), soon);
    stream.socket.write('and more');
    await expectEventually(() => expect(stream.text).toContain('and more'), soon);
    expect(await slotsInUse()).toBe(1);
    expect(stream.text).toMatch(/^HTTP\/1\.1 101 /);
    expect(stream.text).toContain('sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
    expect(stream.text).toMatch(/X-Request-Id: /);
    expect(stream.text).not.toContain('X-Secret');
    const seen = handshakes.at(-1);
    expect(seen).toMatchObject({ 'x-passport': expect.any(String), 'sec-websocket-version': '13' });
    expect(seen).not.toHaveProperty('authorization');
    stream.socket.destroy();
    await expectEventually(() => expect(upgraded.size).toBe(0), soon);
    await expectEventually(async () => expect(await slotsInUse()).toBe(0), soon);
  });

  test('works with an ordinary client', async () => {
    const { keyString } = await platform.createKey();
    const url = `ws://127.0.0.1:${platform.gatewayPorts[0]}/v2/order`;
    const client = new WebSocket(url, {
      headers: { Authorization: `Bearer ${keyString}` },
    });
    await once(client, 'open');
    expect(client.readyState).toBe(WebSocket.OPEN);
    client.close();
    await expectEventually(() => expect(upgraded.size).toBe(0), soon);
  });

  test('without a valid key, on another route, beyond the limit: refused like every other request', async () => {
    const limited = await platform.createKey();
    await platform.setKeyLimit(limited, 1);
    await platform.request(0, 'GET', '/v2/nothing-here', { key: limited.keyString });
    const refused = [
      [webSocket('nonsense'), 401],
      [webSocket(limited.keyString), 429],
      [webSocket((await platform.createKey()).keyString, '/v2/nothing-here'), 404],
      [webSocket((await platform.createKey()).keyString, '/v2//order'), 400],
    ] as const;
    for (const [stream, status] of refused) {
      await expectEventually(() => expect(stream.text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `)), soon);
      stream.socket.end();
      await expectEventually(() => expect(stream.isOver).toBe(true), soon);
    }
    expect(upgraded.size).toBe(0);
  });

  test('that the upstream does not want: its response, like every other one', async () => {
    refusesHandshakes = true;
    const stream = webSocket((await platform.createKey()).keyString);
    await expectEventually(() => expect(stream.text).toMatch(/^HTTP\/1\.1 426 [\s\S]*\r\n\r\nno$/), soon);
    refusesHandshakes = false;
    expect(stream.text).not.toContain('X-Internal');
    await expectEventually(() => expect(stream.isOver).toBe(true), soon);
  });

  test('that was refused ends, also where the client keeps its side open and goes on sending', async () => {
    refusesHandshakes = true;
    const [gateway] = platform.gateways;
    const valid = (await platform.createKey()).keyString;
    const counted = async (status: string) =>
      (await metricOf(gateway, 'gateway_requests_total', { route: '/v2/order', status })) ?? 0;
    for (const [bearer, status] of [
      ['nonsense', '401'],
      [valid, '426'],
    ] as const) {
      const before = await counted(status);
      const stream = webSocket(bearer, '/v2/order', '', { allowHalfOpen: true });
      await expectEventually(() => expect(stream.text).toMatch(/^HTTP\/1\.1 4/), soon);
      await expectEventually(async () => expect(await counted(status)).toBe(before + 1), soon);
      await expectEventually(async () => expect(await slotsInUse()).toBe(0), soon);
      await expectEventually(() => {
        stream.socket.write('more');
        expect(stream.isOver).toBe(true);
      }, soon);
    }
    refusesHandshakes = false;
  });
});

describe('with the credential', () => {
  test.each(['events', 'WebSocket'])(
    '%s end when the key is deleted, and another one’s go on',
    async (kind) => {
      const [ending, lasting] = [await platform.createKey(), await platform.createKey()];
      const start = (key: TestKey) => (kind === 'events' ? events(key) : webSocket(key.keyString));
      const [ended, lasts] = [start(ending), start(lasting)];
      await expectEventually(() => {
        for (const { text } of [ended, lasts]) expect(text).toMatch(/^HTTP\/1\.1 (200|101) /);
      }, soon);
      await platform.deleteKey(ending);
      await expectEventually(() => expect(ended.isOver).toBe(true), soon);
      expect(lasts.isOver).toBe(false);
      lasts.socket.destroy();
    },
  );

  test('events go on while identity-service is away', async () => {
    const stream = events(await platform.createKey());
    await expectEventually(() => expect(stream.text).toContain('first'), soon);
    const inVain = async () => {
      const labels = { outcome: 'unavailable' };
      return (await metricOf(platform.gateways[0], 'gateway_identity_answers_total', labels)) ?? 0;
    };
    const earlier = await inVain();
    for (const each of platform.identities) each.freeze();
    try {
      // The credential was looked at, and nothing was known.
      await expectEventually(async () => expect(await inVain()).toBeGreaterThan(earlier), soon);
      const ticks = () => stream.text.split('tick').length;
      const before = ticks();
      await expectEventually(() => expect(ticks()).toBeGreaterThan(before + 10), soon);
      expect(stream.isOver).toBe(false);
    } finally {
      for (const each of platform.identities) each.thaw();
    }
    stream.socket.destroy();
  });
});

test('a gateway that ends cuts them, and exits as usual', async () => {
  const key = await platform.createKey();
  const streams = [events(key), webSocket(key.keyString)];
  await expectEventually(() => {
    for (const { text } of streams) expect(text).toMatch(/^HTTP\/1\.1 (200|101) /);
  }, soon);
  expect(await platform.gateways[0]?.stop()).toEqual({ code: 0, signal: null });
  await expectEventually(() => expect(streams.map(({ isOver }) => isOver)).toEqual([true, true]), soon);
});
