import { createServer, type Server, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { createAuthority } from '../../../tests/harness/certificates.ts';
import { createConnect, type UpstreamAddress } from './connect.ts';

const { ca, cert, key } = createAuthority().sign(['127.0.0.1']);
const context = createSecureContext({ ca, cert, key });
const open: (Server | Socket)[] = [];

afterEach(() => {
  for (const one of open.splice(0)) 'close' in one ? one.close() : one.destroy();
});

/** An address with TLS whose server begins its handshake after `delayMs`, or never where absent. */
async function handshakeAfter(delayMs?: number) {
  const failures: Error[] = [];
  const server = createServer((socket) => {
    open.push(socket.on('error', () => undefined));
    if (delayMs === undefined) return;
    setTimeout(() => new TLSSocket(socket, { isServer: true, secureContext: context }), delayMs);
  });
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const listening = server.address();
  const port = typeof listening === 'object' ? (listening?.port ?? 0) : 0;
  const tls = { context, session: undefined };
  const address: UpstreamAddress = {
    host: '127.0.0.1',
    port,
    tls,
    onFailure: (error) => void failures.push(error),
  };
  return { address, failures };
}

const connectTo = async (...addresses: UpstreamAddress[]) => {
  const socket = await promisify(createConnect(addresses))();
  if (socket === null) throw new Error('neither a socket nor an error');
  open.push(socket);
  return socket;
};

test('a slow handshake goes on beside the next attempt, so a starved upstream still gets its requests', async () => {
  const { address, failures } = await handshakeAfter(1_500);
  const socket = await connectTo(address);
  expect(socket.destroyed).toBe(false);
  // The second attempt, whose handshake would have ended a second later.
  await new Promise(setImmediate);
  expect(failures).toHaveLength(1);
});

test('an address that is silent during its handshake is overtaken by the next, and counted', async () => {
  const silent = await handshakeAfter();
  const working = await handshakeAfter(0);
  const socket = await connectTo(silent.address, working.address);
  expect(socket.remotePort).toBe(working.address.port);
  await new Promise(setImmediate);
  expect(silent.failures).toHaveLength(1);
  expect(working.failures).toEqual([]);
});

test('addresses that all stay silent fail with a time-out', async () => {
  const silent = await handshakeAfter();
  await expect(connectTo(silent.address)).rejects.toMatchObject({ name: 'UpstreamTimeout' });
  expect(silent.failures).toHaveLength(2);
});
