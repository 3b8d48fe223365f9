import type { Duplex } from 'node:stream';
import type { EdgeRequest, EdgeResponse } from './exchange.ts';

export type Handle = (req: EdgeRequest, res: EdgeResponse) => void;

/** Pipelined requests of a connection that may wait. After them the connection is closed; clients retry the others. */
const maxWaiting = 100;

/** Pipelined requests after which the connection is cut, because Node creates objects for all that arrive. */
const maxRead = 1_000;

/** Estimated memory of a waiting request without its body, in bytes. */
const requestBytes = 8_192;

const current = Symbol('current response');

const waiting = Symbol('waiting responses');

const afterLast = Symbol('after the last waiting request was handled');

/** Properties instead of WeakMaps: entries per request make V8's garbage collection slow. */
export interface Connection extends Duplex {
  [current]?: EdgeResponse | undefined;
  [waiting]?: EdgeResponse[];
  [afterLast]?: () => void;
}

/** The response in progress on a connection, or the one after which no other may follow. */
export function currentResponseOn(connection: Connection): EdgeResponse | undefined {
  return connection[current];
}

/** Bytes of memory that the waiting requests of a connection take. */
export function waitingBytes({ [waiting]: queue = [] }: Connection): number {
  return queue.reduce((bytes, { req }) => bytes + requestBytes + req.readableLength, 0);
}

/** The response to the last request of a connection that will still be handled; it may not have begun. */
export function lastResponseOn(connection: Connection): EdgeResponse | undefined {
  return connection[waiting]?.slice(0, maxWaiting).at(-1) ?? connection[current];
}

/** Calls back when the last request that will be handled has begun; at once if it already has. */
export function onceLastIsHandled(connection: Connection, run: () => void): void {
  if (lastResponseOn(connection) === connection[current]) run();
  else connection[afterLast] = run;
}

/** Closes a connection after a response. */
export function closeAfter(response: EdgeResponse, connection: Duplex): void {
  if (!response.shouldKeepAlive) return;
  response.shouldKeepAlive = false;
  if (response.headersSent) response.once('finish', () => connection.end());
}

/**
 * Handles the requests of a connection one by one, each after the previous response was sent, so that a client that does
 * not read holds one response. Requests after a response with `Connection: close` are not handled: another parser might
 * take their bytes for the previous body, and the client would not read the response (RFC 9112 sections 9.6, 11.2).
 */
export function inTurn(handle: Handle): Handle {
  const handleNow = (connection: Connection, res: EdgeResponse) => {
    connection[current] = res;
    handle(res.req, res);
    // Runs before `handleNext`. Kept until the next request, it would be copied by collections of the nursery, with all it holds.
    res.req.exchange.atEnd(() => {
      if (mayFollow(res, connection)) connection[current] = undefined;
    });
    if (hasWaiting(connection)) res.once('close', () => handleNext(connection, res));
  };
  const handleNext = (connection: Connection, previous: EdgeResponse) => {
    const next = mayFollow(previous, connection) ? connection[waiting]?.shift() : undefined;
    if (next === undefined) return;
    next.req.exchange.begin();
    handleNow(connection, next);
    if (!hasWaiting(connection)) connection[afterLast]?.();
  };
  return (req, res) => {
    const connection: Connection = req.socket;
    const previous = connection[current];
    if (previous === undefined) {
      handleNow(connection, res);
      return;
    }
    if (previous.closed) return;
    if (!hasWaiting(connection)) previous.once('close', () => handleNext(connection, previous));
    wait(connection, res);
  };
}

function mayFollow(previous: EdgeResponse, connection: Duplex): boolean {
  return previous.shouldKeepAlive && !connection.destroyed;
}

function hasWaiting({ [waiting]: queue = [] }: Connection): boolean {
  return queue.length > 0;
}

function wait(connection: Connection, res: EdgeResponse): void {
  const queue = connection[waiting] ?? [];
  connection[waiting] = queue;
  queue.push(res);
  if (queue.length === maxWaiting) closeAfter(res, connection);
  if (queue.length > maxRead) connection.destroy();
}
