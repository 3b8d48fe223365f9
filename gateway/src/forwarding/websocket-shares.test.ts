import type { Duplex } from 'node:stream';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { createCheckedToken } from '@platform/service-kit/secrets/checked-token.ts';
import { expectEventually } from '../../../tests/harness/expect-eventually.ts';
import { metricIn } from '../../../tests/harness/metrics.ts';
import { closeClients, connectTo, openWebSocket, readHead } from '../../testing/websocket-client.ts';
import { GatewayProcess } from '../../testing/websocket-process.ts';
import { accept, WebSocketUpstream } from '../../testing/websocket-upstream.ts';

/* What WebSockets take of a gateway, a process of its own. */

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Five keys of one business, then one of another. */
const keys = range(6).map(() => createCheckedToken('sk'));
const [first = '', , , , fifth = '', other = ''] = keys;

let upstream: WebSocketUpstream;
let gateway: GatewayProcess;
beforeAll(async () => {
  upstream = await WebSocketUpstream.start();
  gateway = await GatewayProcess.start({ upstreamPort: upstream.port });
  const credentials = keys.map((key, index) => {
    const id = `key_${index}`;
    return [key, { credentialId: id, limitId: id, businessId: index < 5 ? 1 : 2 }] as const;
  });
  gateway.allow(Object.fromEntries(credentials));
});
afterEach(async () => {
  closeClients();
  upstream.reset();
  await expectEventually(async () => expect(await openNow()).toBe(0), { withinMs: 1_000 });
});
afterAll(() => {
  gateway.kill();
  upstream.close();
});

const openNow = async () =>
  metricIn((await gateway.report()).metrics, 'gateway_websockets', { upstream: 'shop' });

/** Through the trusted proxy of this machine, each credential from an address of its own. */
const open = (bearer: string, address = `192.0.2.${keys.indexOf(bearer) + 1}`) =>
  openWebSocket({ port: gateway.port, bearer, lines: [`X-Forwarded-For: ${address}`] });

test('a credential may have 32 open WebSockets, which take no slot from its requests; one that ends makes room', async () => {
  const opened = await Promise.all(range(32).map(() => open(first)));
  expect(opened.map(({ status }) => status)).toEqual(range(32).map(() => 101));
  const refused = await open(first);
  expect([refused.status, refused.headers['retry-after'], refused.headers.connection]).toEqual([
    503,
    '1',
    'close',
  ]);
  const over = await connectTo(gateway.port);
  over.write(`GET /v2/plain HTTP/1.1\r\nHost: api.test\r\nAuthorization: Bearer ${first}\r\n\r\n`);
  expect((await readHead(over)).status).toBe(200);
  const waiting = open(first);
  opened[0]?.socket.destroy();
  expect((await waiting).status).toBe(101);
});

test('a business may have 128 open WebSockets over all of its credentials, and leaves the others to the rest', async () => {
  const opened = await Promise.all(keys.slice(0, 4).flatMap((key) => range(32).map(() => open(key))));
  expect(opened.filter(({ status }) => status === 101)).toHaveLength(128);
  expect((await open(fifth)).status).toBe(503);
  expect((await open(other)).status).toBe(101);
});

test.each(['client', 'upstream'])(
  'a %s that does not read stops the other side, and the gateway holds less than half a megabyte',
  async (idle) => {
    let far: Duplex | undefined;
    upstream.onHandshake = accept((socket) => {
      far = socket.pause();
    });
    const { socket: near } = await open(first);
    const residentBefore = gateway.residentBytes();
    const sender = (idle === 'client' ? far : near) as Duplex;
    let sent = 0;
    const write = () => {
      do sent += 65_536;
      while (sender.write('x'.repeat(65_536)));
    };
    sender.on('drain', write);
    write();
    await expectEventually(
      async () => {
        const before = sent;
        await new Promise((resolve) => setTimeout(resolve, 500));
        expect(sent).toBe(before);
      },
      { withinMs: 5_000 },
    );
    // What has left the sender stands in the kernel.
    expect(sent).toBeGreaterThan(500_000);
    const { metrics } = await gateway.report();
    expect(metricIn(metrics, 'gateway_unread_bytes')).toBeLessThan(500_000);
    expect(gateway.residentBytes() - residentBefore).toBeLessThan(60_000_000);
  },
);
