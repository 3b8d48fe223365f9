import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

// Linux hands ports from 32768 on to outgoing connections, other systems from 49152 on: any client may take one of those
// between this result and the listen. Browsers refuse some ports up to 10080.
const lowestPort = 11_000;
// Small, because each test file claims a block, and a worker keeps the blocks of all its earlier files.
const blockSize = 20;
const blocks = 1_050;
const maxAttempts = 2_000;

/** Unused ports of the block that this process has claimed. */
let next = 0;
let end = 0;
let claim: Promise<void> | undefined;

/**
 * A free TCP port of the loopback address that no other process gets from this function.
 * @throws when every block of ports is claimed
 */
export async function freePort(): Promise<number> {
  for (;;) {
    if (next === end) {
      claim ??= claimBlock().finally(() => {
        claim = undefined;
      });
      await claim;
      continue;
    }
    const port = next++;
    const probe = await listenOn(port);
    if (probe === undefined) continue;
    await new Promise((resolve) => probe.close(resolve));
    return port;
  }
}

/** Claims a block of ports by listening on its first port, for as long as the process lives. */
async function claimBlock(): Promise<void> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const first = lowestPort + blockSize * randomInt(blocks);
    const mark = await listenOn(first);
    if (mark === undefined) continue;
    mark.unref();
    next = first + 1;
    end = first + blockSize;
    return;
  }
  throw new Error(`no free ports between ${lowestPort} and ${lowestPort + blockSize * blocks}`);
}

/** A server that accepts nothing; undefined when the port is in use. */
function listenOn(port: number): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
