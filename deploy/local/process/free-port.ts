import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

// Below what systems hand to outgoing connections (Linux from 32768, others from 49152): any client may take
// a port from there between this answer and the listen. Above the last port that browsers refuse (10080).
const lowestPort = 11_000;
const portsEnd = 32_000;

const given = new Set<number>();

/** A TCP port of the loopback address that nothing listens on and that this process was not given before. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowestPort, portsEnd);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    );
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
