import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream';

/** Milliseconds for which a refused client may go on sending. */
const lingerMs = 2_000;

/**
 * Reads and forgets what is still to come of a request that has been answered, for a while, and calls `done`. Closing at
 * once would reset the connection, and a client that sends before it reads would never see why (RFC 9112 section 9.6).
 */
export function lingerThen(req: IncomingMessage, done: () => void): void {
  const timer = setTimeout(done, lingerMs);
  finished(req, () => {
    clearTimeout(timer);
    done();
  });
  req.unpipe();
  req.resume();
}
