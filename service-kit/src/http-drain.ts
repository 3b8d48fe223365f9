import { Server as NetServer } from 'node:net';

/** What an HTTP or HTTPS server offers to its end. */
export interface DrainableServer extends NetServer {
  closeIdleConnections(): void;
  closeAllConnections(): void;
}

/** Milliseconds that idle keep-alive connections get to send a last request, or to go by themselves. */
const idleGraceMs = 6_000;
/** Milliseconds after which running requests are cut off. */
const hardLimitMs = 20_000;

/**
 * Ends an HTTP server without losing a request: no new connections; every connection is told `close` with its next
 * response; idle ones are closed late, since a request may already be on its way on them.
 */
export async function drainHttpServer(server: DrainableServer): Promise<void> {
  server.prependListener('request', (_req, res) => {
    res.shouldKeepAlive = false;
  });
  // http.Server.close would also cut idle connections at once.
  const closed = new Promise<void>((resolve) => {
    NetServer.prototype.close.call(server, () => resolve());
  });
  let reaper: NodeJS.Timeout | undefined;
  const idle = setTimeout(() => {
    reaper = setInterval(() => server.closeIdleConnections(), 250);
  }, idleGraceMs);
  const hard = setTimeout(() => server.closeAllConnections(), hardLimitMs);
  await closed;
  clearTimeout(idle);
  clearInterval(reaper);
  clearTimeout(hard);
}
