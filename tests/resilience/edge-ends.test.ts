import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { expectEventually } from '../harness/expect-eventually.ts';
import { publicCertificate } from '../harness/http2-client.ts';
import { metricIn, metricsOf } from '../harness/metrics.ts';
import { rawUpstream } from '../harness/raw-upstream.ts';
import { running } from '../harness/running.ts';
import { sharedBehind } from '../harness/shared-platform.ts';

const listening = '0A';

/** Open connections of a process on the loopback address with this port on either side (Linux). */
function connectionsOf(pid: number, port: number): number {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const inodes = new Set<string>();
  for (const line of readFileSync(`/proc/${pid}/net/tcp`, 'utf8').split('\n').slice(1)) {
    const [, local, remote, state, , , , , , inode = ''] = line.trim().split(/\s+/);
    const concerns = local?.endsWith(suffix) === true || remote?.endsWith(suffix) === true;
    if (concerns && state !== listening) inodes.add(`socket:[${inode}]`);
  }
  return descriptorsOf(pid).filter((target) => inodes.has(target)).length;
}

function descriptorsOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${descriptor}`)];
    } catch {
      // Closed meanwhile.
      return [];
    }
  });
}

/*
 * Whatever ends an exchange ends both of its connections, over every transport where it differs, at every stage.
 */

const certificate = publicCertificate();

/** Gateways: one as it comes, one that ends TLS. No time limit of theirs hides a connection that stays. */
const [plain, secure] = [0, 1];

const upstream = running(rawUpstream);
const platform = running(() =>
  sharedBehind({
    gateways: 2,
    upstreams: [upstream.origin],
    gatewayEnv: (index) => ({
      UPSTREAM_TIMEOUT_MS: '18000',
      MAX_BODY_BYTES: '100000000',
      ...(index === secure && certificate.env),
    }),
  }),
);
let key: string;

beforeAll(async () => {
  key = (await platform.createKey()).keyString;
});

interface Client {
  /** Bytes of the response so far, or of its body over HTTP/2. */
  received(): string;
  /** Bytes that have left it. */
  sent(): number;
  /** Reads the response from now on. */
  reads(): void;
  /** Whether the exchange has ended for it: with a whole response, or with its connection or stream. */
  isOver(): boolean;
  resets(): void;
  closes(): void;
  halfCloses(): void;
  cancels(): void;
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes of the body to send, of which Content-Length may promise more. */
  readonly bytes: number;
  /** Whether the client reads the response. */
  readonly reads: boolean;
}

/** Connections of clients of a row: one that fails leaves none for the next. */
const opened: Socket[] = [];
afterEach(() => {
  for (const tcp of opened.splice(0)) tcp.destroy();
});

const tcpTo = (gateway: number): Socket => {
  const tcp = connect({ port: platform.gatewayPorts[gateway] ?? 0, host: '127.0.0.1', allowHalfOpen: true });
  tcp.on('error', () => undefined);
  opened.push(tcp);
  return tcp;
};

function tlsOver(tcp: Socket, protocol: string): TLSSocket {
  const tls = connectTls({ socket: tcp, ca: certificate.ca, host: '127.0.0.1', ALPNProtocols: [protocol] });
  tls.on('error', () => undefined);
  return tls;
}

function talkHttp1(tcp: Socket, socket: Socket, sent: Sent): Client {
  let text = '';
  let isClosed = false;
  const lines = Object.entries({ Host: 'api.test', ...sent.headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.write(`${sent.method} ${sent.path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  if (sent.bytes > 0) socket.write('x'.repeat(sent.bytes));
  const reads = () => void socket.on('data', (chunk) => (text += chunk));
  if (sent.reads) reads();
  socket.once('end', () => (isClosed = true)).once('close', () => (isClosed = true));
  return {
    received: () => text,
    sent: () => tcp.bytesWritten - tcp.writableLength,
    reads,
    isOver: () => isClosed || /^HTTP\/1\.1 50[234] [\s\S]*\r\n\r\n\{.*\}$/.test(text),
    resets: () => tcp.resetAndDestroy(),
    closes: () => socket.destroy(),
    halfCloses: () => socket.end(),
    cancels: () => tcp.resetAndDestroy(),
  };
}

function talkHttp2(tcp: Socket, sent: Sent): Client {
  const session = connectHttp2('https://127.0.0.1', { createConnection: () => tlsOver(tcp, 'h2') });
  session.on('error', () => undefined);
  const { Authorization: authorization = '', ...headers } = sent.headers;
  const stream = session.request(
    { ':method': sent.method, ':path': sent.path, authorization, ...headers },
    { endStream: sent.bytes === 0 },
  );
  stream.on('error', () => undefined);
  let text = '';
  let isClosed = false;
  if (sent.bytes > 0) stream.write('x'.repeat(sent.bytes));
  if (Number(sent.headers['content-length'] ?? 0) === sent.bytes) stream.end();
  const reads = () => void stream.on('data', (chunk) => (text += chunk));
  if (sent.reads) reads();
  stream.once('close', () => (isClosed = true));
  return {
    received: () => text,
    sent: () => tcp.bytesWritten - tcp.writableLength,
    reads,
    isOver: () => isClosed,
    resets: () => tcp.resetAndDestroy(),
    closes: () => session.destroy(),
    halfCloses: () => tcp.end(),
    cancels: () => stream.close(8),
  };
}

/** Client sides. */
const transports: Readonly<Record<string, (sent: Sent) => Promise<Client>>> = {
  'HTTP/1.1': async (sent) => {
    const tcp = tcpTo(plain);
    await once(tcp, 'connect');
    return talkHttp1(tcp, tcp, sent);
  },
  TLS: async (sent) => {
    const tcp = tcpTo(secure);
    const tls = tlsOver(tcp, 'http/1.1');
    await once(tls, 'secureConnect');
    return talkHttp1(tcp, tls, sent);
  },
  'HTTP/2': async (sent) => talkHttp2(tcpTo(secure), sent),
};

const large = 70_000;
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const ok = (...lines: string[]) => ['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n');

interface Stage {
  readonly path?: string;
  /** Bytes of a streamed body that are sent, and that Content-Length promises beyond them; a whole one where absent. */
  readonly sends?: number;
  readonly missing?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly reads?: boolean;
  /** Behavior of the upstream with a request. */
  readonly upstream: (socket: Socket) => void;
  /** Bytes that the client must have received before a side leaves. */
  readonly shows?: string;
  /** Ways of the request to the upstream; both where absent. */
  readonly ways?: readonly Way[];
  /** Whether the upstream reads nothing behind the head of the request. */
  readonly isUnread?: boolean;
  /** Whether no byte moves before a side leaves. */
  readonly isStuck?: boolean;
}

type Way = 'at hand' | 'streamed';

/** Writes for as long as the other side reads. */
function writeAll(socket: Socket): void {
  socket.write(ok('Content-Length: 900000000'));
  const write = () => {
    while (socket.write('x'.repeat(large)));
  };
  socket.on('drain', write);
  write();
}

const stages: Readonly<Record<string, Stage>> = {
  'before the head': { upstream: () => undefined },
  'in a long poll': { path: '/v2/events?wait=30', ways: ['at hand'], upstream: () => undefined },
  'in a small body': { upstream: (socket) => socket.write(`${ok('Content-Length: 1000')}some`) },
  'in a large body': {
    upstream: (socket) => socket.write(`${ok('Content-Length: 9000000')}${'x'.repeat(9_000)}`),
    shows: 'xxx',
  },
  'in a stream of events': {
    upstream: (socket) =>
      socket.write(
        `${ok('Content-Type: text/event-stream', 'Transfer-Encoding: chunked')}${chunk('data: 1\n\n')}`,
      ),
    shows: 'data: 1',
    ways: ['at hand'],
  },
  'in a compressed body': {
    ways: ['at hand'],
    headers: { 'accept-encoding': 'gzip' },
    upstream: (socket) =>
      socket.write(`${ok('Content-Type: application/json', 'Transfer-Encoding: chunked')}${chunk('[1,')}`),
  },
  'in a body that the client does not read': { upstream: writeAll, reads: false, isStuck: true },
  'in an upload': { missing: 1_000, ways: ['streamed'], upstream: () => undefined },
  'in an upload that the upstream does not read': {
    sends: 60_000_000,
    missing: 1_000,
    ways: ['streamed'],
    upstream: (socket) => socket.pause(),
    isUnread: true,
    isStuck: true,
  },
  'behind a response in the middle of the upload': {
    missing: 1_000,
    ways: ['streamed'],
    upstream: (socket) => socket.write(`${ok('Content-Length: 4')}done`),
  },
};

async function begin(transport: string, way: Way, stage: Stage) {
  const bytes = way === 'streamed' ? (stage.sends ?? large) : 0;
  const length = bytes + (stage.missing ?? 0);
  const heard = new Promise<Socket>((resolve) => {
    upstream.behave((socket) => {
      stage.upstream(socket);
      resolve(socket);
    });
  });
  const client = await transports[transport]?.({
    method: bytes > 0 ? 'POST' : 'GET',
    path: stage.path ?? '/v2/order',
    headers: {
      Authorization: `Bearer ${key}`,
      ...(bytes > 0 && { 'content-length': `${length}`, 'content-type': 'application/json' }),
      ...stage.headers,
    },
    bytes,
    reads: stage.reads !== false,
  });
  if (client === undefined) throw new Error(`There is no transport ${transport}.`);
  const socket = await heard;
  await expectEventually(() => expect(client.received()).toContain(stage.shows ?? ''), { withinMs: 2_000 });
  if (stage.isStuck) {
    await expectEventually(async () => {
      const moved = () => [socket.bytesWritten, client.sent()];
      const before = moved();
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(moved()).toEqual(before);
    }, soon);
  }
  return { client, socket };
}

const left = async (gateway: number) => {
  const { pid = 0, ports } = platform.gateways[gateway] ?? {};
  const metrics = await metricsOf(platform.gateways[gateway]);
  return {
    clients: connectionsOf(pid, ports?.http ?? 0),
    upstreams: connectionsOf(pid, Number(new URL(upstream.origin).port)),
    counted: metricIn(metrics, 'gateway_upstream_connections'),
    slots: metricIn(metrics, 'gateway_upstream_requests'),
  };
};

const nothing = { clients: 0, upstreams: 0, counted: 0, slots: 0 };

const soon = { withinMs: 1_000 };

const clientLeaves = ['resets', 'closes', 'halfCloses', 'cancels'] as const;

/** Transports over which leaving so is something of its own: a reset is one of TCP, and only HTTP/2 has streams to cancel. */
const differs: Readonly<Record<(typeof clientLeaves)[number], readonly string[]>> = {
  resets: ['HTTP/1.1', 'HTTP/2'],
  closes: ['HTTP/1.1', 'TLS', 'HTTP/2'],
  halfCloses: ['HTTP/1.1', 'TLS', 'HTTP/2'],
  cancels: ['HTTP/2'],
};
const gatewayOf = (transport: string) => (transport === 'HTTP/1.1' ? plain : secure);

const combinations = Object.keys(transports).flatMap((transport) =>
  (['at hand', 'streamed'] as const).map((way) => ({ transport, way })),
);

describe.each(Object.entries(stages))('%s', (_name, stage) => {
  const ways = combinations.filter(({ way }) => stage.ways?.includes(way) !== false);

  // A client that leaves behind unread bytes is not seen; the upstream's silence ends it.
  for (const leaves of stage.isUnread ? [] : clientLeaves) {
    test(`the client ${leaves}: the gateway keeps no connection or slot`, async () => {
      for (const { transport, way } of ways.filter(({ transport }) => differs[leaves].includes(transport))) {
        const { client } = await begin(transport, way, stage);
        client[leaves]();
        const row = `${transport}, ${way}`;
        await expectEventually(async () => {
          const { clients, ...rest } = await left(gatewayOf(transport));
          // A cancelled stream leaves its connection.
          expect({ row, clients: leaves === 'cancels' ? 0 : clients, ...rest }).toEqual({ row, ...nothing });
        }, soon);
        client.resets();
      }
    });
  }

  test.each(['closes', 'resets'])(
    'the upstream %s: the gateway keeps no connection or slot',
    async (leaves) => {
      for (const { transport, way } of ways.filter(({ transport }) => transport !== 'TLS')) {
        const { client, socket } = await begin(transport, way, stage);
        if (leaves === 'closes') socket.end();
        else socket.resetAndDestroy();
        client.reads();
        const row = `${transport}, ${way}`;
        await expectEventually(async () => {
          const { upstreams, counted, slots } = await left(gatewayOf(transport));
          expect({ row, isOver: client.isOver(), upstreams, counted, slots }).toEqual({
            row,
            isOver: true,
            upstreams: 0,
            counted: 0,
            slots: 0,
          });
        }, soon);
        client.resets();
      }
    },
  );
});
