import type { Duplex } from 'node:stream';
import type { EdgeRequest, EdgeResponse } from './exchange.ts';

const newestResponse = Symbol('newest response');

/** A property, and not a WeakMap: with an entry per request, V8 collects garbage at length. */
interface Connection extends Duplex {
  [newestResponse]?: EdgeResponse;
}

/** The response, finished or not, to the newest request that was read from a connection. */
export function newestResponseOn(socket: Connection): EdgeResponse | undefined {
  return socket[newestResponse];
}

/**
 * Whether a request is to be read at all. What stands behind a request that was answered with `Connection: close` may be
 * its body in another reading, and the client will not read the response (RFC 9112 sections 9.6 and 11.2).
 */
export function isToBeRead(req: EdgeRequest, res: EdgeResponse): boolean {
  const connection: Connection = req.socket;
  if (connection[newestResponse]?.shouldKeepAlive === false) return false;
  connection[newestResponse] = res;
  return true;
}
