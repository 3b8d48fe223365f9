import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from 'node:tls';
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import { peakRssOf } from '../../bench/process-usage.ts';
import { expectEventually } from '../../harness/expect-eventually.ts';
import {
  endHeaders,
  endStream,
  frame,
  frames,
  headerBlock,
  openHttp2,
  publicCertificate,
} from '../../harness/http2-client.ts';
import { metricOf } from '../../harness/metrics.ts';
import { requestBytes } from '../../harness/request-bytes.ts';
import { running } from '../../harness/running.ts';
import { sharedBehind } from '../../harness/shared-platform.ts';

/* Clients that ask for much and read nothing, each with an address of its own. `UNREAD_CONNECTIONS=2000` has as many of them. */

const connections = Number(process.env.UNREAD_CONNECTIONS ?? 200);

/** Requests of each connection. */
const requests = 100;

/** Without bounds a container with 768 MiB was full. Of it some 400 are in use, and the rest is what V8 has not collected yet. */
const maxMegabytes = 650;

const certificate = publicCertificate();
const platform = running(() => sharedBehind({ gatewayEnv: () => certificate.env }));
let port: number;
let path: string;
beforeAll(async () => {
  port = platform.gatewayPorts[0] ?? 0;
  path = `/dashboard/assets/${largestBuffered()}`;
});

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** The largest file of the dashboard that the gateway sends in one write. */
function largestBuffered(): string {
  const directory = new URL('../../../dashboard/dist/assets/', import.meta.url);
  const files = readdirSync(directory).map((name) => ({
    name,
    size: statSync(new URL(name, directory)).size,
  }));
  const buffered = files.filter(({ name, size }) => name.endsWith('.js') && size <= 65_536);
  const [largest] = buffered.toSorted((a, b) => b.size - a.size);
  if (largest === undefined) throw new Error('The dashboard has no script of this size.');
  return largest.name;
}

const pipelined = () => Buffer.from(requestBytes('GET', path, []).repeat(requests));

/** A window of 0 for every stream, then the streams. */
function streams(): Buffer {
  const initialWindowSize = Buffer.of(0, 4, 0, 0, 0, 0);
  const block = headerBlock([
    [':method', 'GET'],
    [':scheme', 'https'],
    [':authority', 'x'],
    [':path', path],
  ]);
  return Buffer.concat([
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    frame(frames.settings, 0, 0, initialWindowSize),
    ...Array.from({ length: requests }, (_, index) =>
      frame(frames.headers, endStream | endHeaders, 2 * index + 1, block),
    ),
  ]);
}

/** A connection that asks, and reads nothing; a refused one counts as closed. */
async function open(index: number, protocol: string, bytes: Buffer): Promise<void> {
  const own = { localAddress: `127.1.${index >> 8}.${index & 255}` };
  const socket = connect({ port, host: '127.0.0.1', ca: certificate.ca, ALPNProtocols: [protocol], ...own });
  socket.on('error', () => undefined);
  sockets.push(socket);
  await Promise.race([once(socket, 'secureConnect'), once(socket, 'close')]).catch(() => undefined);
  socket.pause().write(bytes);
}

/** Statuses of a client that reads, until it is stopped; then the 99th percentile of its milliseconds. */
function startReading() {
  const client = openHttp2(port, certificate.ca);
  const [statuses, took]: [number[], number[]] = [[], []];
  let isOver = false;
  const reading = (async () => {
    while (!isOver) {
      const startedAt = performance.now();
      statuses.push((await client.request('GET', '/docs')).status);
      took.push(performance.now() - startedAt);
      await delay(20);
    }
  })();
  const stop = async () => {
    isOver = true;
    await reading;
    client.close();
    return took.toSorted((a, b) => a - b)[Math.floor(took.length * 0.99)];
  };
  return { statuses, stop };
}

test.each([
  ['HTTP/1.1', 'http/1.1', pipelined],
  ['HTTP/2', 'h2', streams],
])(
  'responses that clients do not read take bounded memory over %s, and others are served',
  async (name, protocol, bytesOf) => {
    const [gateway] = platform.gateways;
    const closed = async () =>
      (await metricOf(gateway, 'gateway_unread_closed_total', { bound: 'process' })) ?? 0;
    const closedBefore = await closed();
    const reader = startReading();
    const bytes = bytesOf();
    const indexes = Array.from({ length: connections }, (_, index) => index);
    for (let at = 0; at < connections; at += 20)
      await Promise.all(indexes.slice(at, at + 20).map((index) => open(index, protocol, bytes)));
    const seen = reader.statuses.length;
    await expectEventually(() => expect(reader.statuses.length).toBeGreaterThan(seen + 50), {
      withinMs: 30_000,
    });
    const p99 = await reader.stop();
    expect(await closed()).toBeGreaterThan(closedBefore);
    const peak = peakRssOf(gateway?.pid ?? 0);
    if (connections >= 2_000) process.stderr.write(`${name}: ${peak} MB, p99 ${p99} ms\n`);
    expect(peak).toBeLessThan(maxMegabytes);
    // A gateway whose processor is taken by others sheds load; clients repeat a stream that is refused unread (0).
    expect(reader.statuses.filter((status) => ![200, 503, 0].includes(status))).toEqual([]);
    expect(reader.statuses).toContain(200);
  },
);
