import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import type { EdgeRequest } from './exchange.ts';

/** Milliseconds and bytes for which a client that has its response may go on sending its request. */
const drainMs = 2_000;
const drainBytes = 32 * 1024 * 1024;

/**
 * Ends a response, `rest` with it, once the request has come to its end: closing before would reset the connection, and a
 * client that sends before it reads would never see its response (RFC 9112 section 9.6). For a while the rest of the
 * request is read and forgotten; beyond the limit of bytes nothing more is read, and the client has the rest of the time
 * to notice.
 */
export function endResponse(req: EdgeRequest, res: ServerResponse, rest = ''): void {
  if (!hasUnreadBody(req)) {
    res.end(rest, 'latin1');
    return;
  }
  if (rest !== '') res.write(rest, 'latin1');
  let drained = 0;
  const end = req.exchange.guard(() => res.end());
  const timer = setTimeout(end, drainMs);
  finished(req, () => {
    clearTimeout(timer);
    end();
  });
  req.unpipe();
  req.on('data', (chunk: Buffer) => {
    drained += chunk.length;
    if (drained > drainBytes) req.pause();
  });
  req.resume();
}

/** Whether bytes of the request are still to come. Its connection cannot be used again then. */
export function hasUnreadBody(req: EdgeRequest): boolean {
  return !req.complete && req.exchange.body.isExpected;
}
