import type { Duplex } from 'node:stream';
import type { EdgeRequest, EdgeResponse } from './exchange.ts';

const newestResponses = new WeakMap<Duplex, EdgeResponse>();

/** The response, finished or not, to the newest request that was read from a connection. */
export function newestResponseOn(socket: Duplex): EdgeResponse | undefined {
  return newestResponses.get(socket);
}

/**
 * Whether a request is to be read at all. What stands behind a request that was answered with `Connection: close` may be
 * its body in another reading, and the client will not read the response (RFC 9112 sections 9.6 and 11.2).
 */
export function isToBeRead(req: EdgeRequest, res: EdgeResponse): boolean {
  if (newestResponses.get(req.socket)?.shouldKeepAlive === false) return false;
  newestResponses.set(req.socket, res);
  return true;
}
