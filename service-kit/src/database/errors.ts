import { AppError } from '../values/app-error.ts';

/*
 * Errors of an unavailable PostgreSQL. They come from three layers, each wrapping the one below: Node's socket, pg and
 * its pool, Prisma.
 */

/**
 * SQLSTATE (PostgreSQL appendix A), whole classes first: 08 the connection, 53 resources (disk full, out of memory, too
 * many connections), 58 errors of the system below (I/O). Then: a standby that does not write (yet), sessions and
 * statements that were ended, a password that is being changed, deadlocks and conflicts, a server that starts or ends.
 */
const sqlStates = /^(08\w{3}|53\w{3}|58\w{3}|25006|25P0[34]|28000|28P01|40001|40P01|55P03|57014|57P0[1-5])$/;

/** Node's socket and name resolution errors. */
const socketCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT', // a UNIX socket without a server
]);

/**
 * Prisma: password refused, not reachable, timed out, access denied, closed, pool exhausted, transaction not started or
 * gone, conflict or deadlock, too many connections.
 */
const prismaCodes = new Set([
  'P1000',
  'P1001',
  'P1002',
  'P1008',
  'P1010',
  'P1017',
  'P2024',
  'P2028',
  'P2034',
  'P2037',
]);

/** Kinds of Prisma's adapter for pg; a raw query reports them as P2010. */
const adapterKinds = new Set([
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TooManyConnections',
  'AuthenticationFailed',
  'DatabaseAccessDenied',
  'TransactionWriteConflict',
  'TlsConnectionError',
]);

/** Errors of pg, pg-pool and `ConnectionPool` that carry no code. */
const texts = [
  'no database connection is free',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Query read timeout',
  'Connection terminated',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
];

/** Whether an error, or one that it wraps, means that the database is unavailable. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return chain(error).some(({ code, originalCode, kind, message }) => {
    if (isUnavailableCode(code) || isUnavailableCode(originalCode)) return true;
    if (typeof kind === 'string' && adapterKinds.has(kind)) return true;
    return typeof message === 'string' && texts.some((text) => message.includes(text));
  });
}

/** SQLSTATE of such an error; undefined if PostgreSQL sent none, or another one. */
export function unavailableSqlState(error: unknown): string | undefined {
  const codes = chain(error).flatMap(({ code, originalCode }) => [code, originalCode]);
  return codes.filter((code) => typeof code === 'string').find((code) => sqlStates.test(code));
}

/** An AppError `unavailable` for an unavailable database; any other error as it is. */
export function toDatabaseError(error: unknown): unknown {
  if (error instanceof AppError || !isDatabaseUnavailable(error)) return error;
  return databaseUnavailable(error);
}

/** The error for clients while the database is unavailable. */
export function databaseUnavailable(cause: unknown): AppError {
  return new AppError('unavailable', 'database_unavailable', 'the service is temporarily unavailable', cause);
}

function isUnavailableCode(code: unknown): boolean {
  if (typeof code !== 'string') return false;
  return socketCodes.has(code) || prismaCodes.has(code) || sqlStates.test(code);
}

interface Link {
  readonly code?: unknown;
  readonly originalCode?: unknown;
  readonly kind?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  readonly meta?: { readonly driverAdapterError?: unknown };
}

/** The error and its causes, at most eight. */
function chain(error: unknown): Link[] {
  const links: Link[] = [];
  const queue: unknown[] = [error];
  while (queue.length > 0 && links.length < 8) {
    const next = queue.shift();
    if (typeof next !== 'object' || next === null) continue;
    const link: Link = next;
    links.push(link);
    queue.push(link.cause, link.meta?.driverAdapterError);
  }
  return links;
}
