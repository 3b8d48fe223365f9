import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { EdgeRequest } from './exchange.ts';

/** An answer of the gateway's server. */
export type EdgeAnswer = ServerResponse<EdgeRequest>;

const lastAnswers = new WeakMap<Duplex, EdgeAnswer>();

/** The answer, finished or not, to the newest request that was read from a connection. */
export function lastAnswerOn(socket: Duplex): EdgeAnswer | undefined {
  return lastAnswers.get(socket);
}

/**
 * Whether a request is to be read at all. What stands behind a request that was answered with `Connection: close` may be
 * its body in another reading, and nobody would hear the answer (RFC 9112 sections 9.6 and 11.2).
 */
export function isToBeRead(req: EdgeRequest, res: EdgeAnswer): boolean {
  if (lastAnswers.get(req.socket)?.shouldKeepAlive === false) return false;
  lastAnswers.set(req.socket, res);
  return true;
}
