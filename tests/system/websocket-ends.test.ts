import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createCheckedToken } from '@platform/service-kit/secrets/checked-token.ts';
import {
  closeClients,
  connectTo,
  handshakeBytes,
  openWebSocket,
  readAll,
  readHead,
} from '../../gateway/testing/websocket-client.ts';
import { GatewayProcess, type TestCredential } from '../../gateway/testing/websocket-process.ts';
import { accept, WebSocketUpstream } from '../../gateway/testing/websocket-upstream.ts';
import { createAuthority } from '../harness/certificates.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { metricIn } from '../harness/metrics.ts';

/*
 * Whatever ends a WebSocket ends both of its connections within a second: the gateway, a process of its own, keeps no descriptor.
 */

const [key, other] = [createCheckedToken('sk'), createCheckedToken('sk')];
const certificate = createAuthority().sign(['127.0.0.1']);
const soon = { withinMs: 1_000 };

let upstream: WebSocketUpstream;
let plain: GatewayProcess;
let secure: GatewayProcess;
/** One with a time limit of two seconds. */
let impatient: GatewayProcess;
/** Descriptors of each gateway without a connection. */
const idle = new Map<GatewayProcess, number>();

const credentials = {
  [key]: { credentialId: 'key_1' },
  [other]: { credentialId: 'key_2', businessId: 2 },
};

async function start(options: object = {}): Promise<GatewayProcess> {
  // Longer than any wait here, so that it does not end what the gateway forgot.
  const gateway = await GatewayProcess.start({
    upstreamPort: upstream.port,
    upstreamTimeout: '18s',
    ...options,
  });
  idle.set(gateway, gateway.sockets());
  gateway.allow(credentials);
  return gateway;
}

beforeAll(async () => {
  upstream = await WebSocketUpstream.start();
  [plain, secure, impatient] = await Promise.all([
    start(),
    start({ tls: certificate }),
    start({ idleMs: 2_000 }),
  ]);
});
afterEach(async () => {
  closeClients();
  upstream.reset();
  for (const gateway of [plain, secure, impatient]) {
    gateway.allow(credentials);
    await expectEventually(async () => expect(await left(gateway)).toEqual(nothing), soon);
  }
});
afterAll(() => {
  for (const gateway of idle.keys()) gateway.kill();
  upstream.close();
});

/** Both ends of a WebSocket. */
interface Ends {
  readonly client: Socket;
  readonly upstream: Socket;
}

/** Writes for as long as the other side reads. */
function flood(socket: Socket): void {
  const write = () => {
    while (!socket.destroyed && socket.write('x'.repeat(65_536)));
  };
  socket.on('drain', write);
  write();
}

/** Waits until neither end can send. */
const untilStuck = (ends: Ends) =>
  expectEventually(
    async () => {
      const moved = () => [ends.client, ends.upstream].map((s) => s.bytesWritten - s.writableLength);
      const before = moved();
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(moved()).toEqual(before);
    },
    { withinMs: 5_000 },
  );

const stages: Readonly<Record<string, (ends: Ends) => Promise<void>>> = {
  'with no byte in flight': async ({ client, upstream }) => {
    client.resume();
    upstream.resume();
  },
  'while bytes flow both ways': async ({ client, upstream }) => {
    upstream.pipe(upstream);
    client.resume();
    flood(client);
  },
  'while the client does not read': async (ends) => {
    ends.upstream.resume();
    flood(ends.upstream);
    await untilStuck(ends);
  },
  'while the upstream does not read': async (ends) => {
    ends.client.resume();
    flood(ends.client);
    await untilStuck(ends);
  },
};

async function open(gateway: GatewayProcess, bearer = key): Promise<Ends> {
  const accepted = new Promise<Socket>((resolve) => {
    upstream.onHandshake = (socket, request) => {
      accept(() => socket.pause())(socket, request);
      resolve(request.socket);
    };
  });
  const over = await connectClient(gateway);
  expect((await openWebSocket({ port: gateway.port, bearer, over })).status).toBe(101);
  return { client: over, upstream: await accepted };
}

const connectClient = (gateway: GatewayProcess) =>
  connectTo(gateway.port, gateway === secure ? certificate.ca : undefined);

/** Sends a handshake to which the upstream does not respond. */
async function begin(gateway: GatewayProcess): Promise<Ends> {
  const received = new Promise<Socket>((resolve) => {
    upstream.onHandshake = (_, { socket }) => resolve(socket);
  });
  const client = await connectClient(gateway);
  client.write(handshakeBytes({ port: gateway.port, bearer: key }));
  return { client, upstream: await received };
}

/** Descriptors and slots that a gateway keeps. */
const left = async (gateway: GatewayProcess) => ({
  sockets: gateway.sockets() - (idle.get(gateway) ?? 0),
  slots: metricIn((await gateway.report()).metrics, 'gateway_websockets', { upstream: 'shop' }),
});

const nothing = { sockets: 0, slots: 0 };

/** Both ends are closed. Those of this process see it where they read. */
const expectOver = async (gateway: GatewayProcess, ends: Ends) => {
  await expectEventually(async () => expect(await left(gateway)).toEqual(nothing), soon);
  for (const end of Object.values(ends)) end.resume();
  await expectEventually(
    () => expect(Object.values(ends).map((end) => end.readableEnded || end.destroyed)).toEqual([true, true]),
    soon,
  );
};

/** Ends by a side. A side that stands behind bytes that the other does not read is seen when it reads, or by the time limit. */
const sides: Readonly<Record<string, { act: (ends: Ends) => void; hidden: string }>> = {
  'the client closes': { act: ({ client }) => client.destroy(), hidden: 'while the upstream does not read' },
  'the client half-closes': { act: ({ client }) => client.end(), hidden: 'while the upstream does not read' },
  'the client resets': {
    act: ({ client }) => client.resetAndDestroy(),
    hidden: 'while the upstream does not read',
  },
  'the upstream closes': {
    act: ({ upstream }) => upstream.destroy(),
    hidden: 'while the client does not read',
  },
  'the upstream half-closes': {
    act: ({ upstream }) => upstream.end(),
    hidden: 'while the client does not read',
  },
  'the upstream resets': {
    act: ({ upstream }) => upstream.resetAndDestroy(),
    hidden: 'while the client does not read',
  },
};

describe.each(Object.entries(stages))('%s', (stage, prepare) => {
  test.each(Object.entries(sides))(
    '%s: the gateway keeps no connection or slot',
    async (name, { act, hidden }) => {
      for (const gateway of [plain, secure]) {
        // A reset is one of TCP.
        if (gateway === secure && name.includes('resets')) continue;
        const ends = await open(gateway);
        await prepare(ends);
        expect(await left(gateway)).toEqual({ sockets: 2, slots: 1 });
        act(ends);
        if (stage === hidden) for (const end of Object.values(ends)) end.resume();
        await expectOver(gateway, ends);
      }
    },
  );

  test('a revoked credential ends its WebSockets on both gateways, and no other', async () => {
    await expectCredentialEnds('invalid', prepare);
  });

  test('no byte for the time limit: the gateway keeps no connection or slot', async () => {
    const ends = await open(impatient);
    await prepare(ends);
    if (stage === 'while bytes flow both ways') {
      await new Promise((resolve) => setTimeout(resolve, 4_000));
      expect(await left(impatient)).toEqual({ sockets: 2, slots: 1 });
      ends.client.removeAllListeners('drain');
    }
    await expectEventually(async () => expect(await left(impatient)).toEqual(nothing), {
      withinMs: 5_000,
    });
  });
});

describe('before the response of the upstream', () => {
  test.each(Object.entries(sides))('%s: the gateway keeps no connection or slot', async (name, { act }) => {
    for (const gateway of [plain, secure]) {
      if (gateway === secure && name.includes('resets')) continue;
      const ends = await begin(gateway);
      expect(await left(gateway)).toEqual({ sockets: 2, slots: 1 });
      act(ends);
      await expectOver(gateway, ends);
    }
  });

  test('a revoked credential is refused as by a new request', async () => {
    for (const gateway of [plain, secure]) {
      const ends = await begin(gateway);
      gateway.allow({ ...credentials, [key]: { outcome: 'invalid' } });
      expect((await readHead(ends.client)).status).toBe(401);
      await expectOver(gateway, ends);
    }
  });

  test('a gateway that stops responds with 503, and exits', async () => {
    const gateway = await start();
    const { client } = await begin(gateway);
    await gateway.stop();
    expect((await readHead(client)).status).toBe(503);
  });
});

test('an upstream that stops within another response is left, also where its client has read late', async () => {
  const gateway = await start({ upstreamTimeout: '800ms' });
  upstream.onHandshake = (socket) =>
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 9000001\r\n\r\n${'z'.repeat(9_000_000)}`);
  const opened = await openWebSocket({ port: gateway.port, bearer: key });
  opened.socket.pause();
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const received = readAll(opened);
  await expectEventually(async () => expect(await left(gateway)).toEqual(nothing), { withinMs: 5_000 });
  expect((await received).length).toBe(9_000_000);
});

/** Ends the WebSockets of a credential, on two gateways, by a new result of its check. */
async function expectCredentialEnds(
  outcome: NonNullable<TestCredential['outcome']>,
  prepare: (ends: Ends) => Promise<void>,
): Promise<void> {
  const gateways = [plain, secure];
  for (const gateway of gateways) await prepare(await open(gateway));
  const others = [await open(plain, other), await open(secure, other)];
  for (const gateway of gateways) gateway.allow({ ...credentials, [key]: { outcome } });
  for (const gateway of gateways) {
    const ofOther = { sockets: 2, slots: 1 };
    await expectEventually(async () => expect(await left(gateway)).toEqual(ofOther), { withinMs: 2_000 });
  }
  for (const { client, upstream } of others) expect(client.destroyed || upstream.destroyed).toBe(false);
  const lines = (await plain.report()).lines.filter(({ refusal }) => refusal === 'access_ended');
  expect(lines.at(-1)).toMatchObject({ status: 101, complete: false, credential: 'key_1' });
}

test.each(['expired', 'key_frozen', 'frozen', 'ip_denied', 'scope_denied', 'application_suspended'] as const)(
  'a credential that becomes %s ends its WebSockets on both gateways, and no other',
  async (outcome) => expectCredentialEnds(outcome, async () => undefined),
);

test('a gateway that stops ends its WebSockets, whatever is in flight, and exits', async () => {
  const gateway = await start();
  for (const prepare of Object.values(stages)) await prepare(await open(gateway));
  await gateway.stop();
  await expectEventually(async () => expect((await left(gateway)).slots).toBe(0), soon);
  const { lines } = await gateway.report();
  const cut = { status: 101, refusal: 'stopping', complete: false };
  expect(lines).toMatchObject([cut, cut, cut, cut]);
});
