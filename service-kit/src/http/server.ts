import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { Server as NetServer } from 'node:net';
import type { GrpcTls } from '../grpc/tls.ts';

/** A server that listens. */
interface HttpServer {
  readonly server: Server;
  readonly port: number;
}

/** Milliseconds that an idle connection stays open: longer than the gateway keeps one, so that it closes first. */
const keepAliveTimeout = 65_000;

/** Milliseconds to send a head, and a whole request. */
const headersTimeout = 10_000;

const requestTimeout = 30_000;

/** Bytes of a head: what the gateway takes (16 kB), and what it adds. */
const maxHeaderSize = 32_768;

/** Milliseconds for a TLS handshake. */
const handshakeTimeout = 5_000;

interface HttpServerOptions {
  readonly host: string;
  readonly port: number;
  /** `mutual`: only clients with a certificate of the CA get in. */
  readonly tls: GrpcTls;
}

/** Listens for HTTP, as a service behind the gateway. @throws when the address cannot be bound */
export async function startHttpServer(app: RequestListener, options: HttpServerOptions): Promise<HttpServer> {
  const { host, port, tls } = options;
  const limits = {
    keepAliveTimeout,
    headersTimeout,
    requestTimeout,
    connectionsCheckingInterval: 1_000,
    maxHeaderSize,
  };
  const server =
    tls.kind === 'plain'
      ? createServer(limits, app)
      : createTlsServer({ ...limits, ...mutual(tls), handshakeTimeout }, app);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  return { server, port: portOf(server) };
}

function mutual({ ca, cert, key }: Extract<GrpcTls, { kind: 'mutual' }>) {
  return { ca, cert, key, requestCert: true, rejectUnauthorized: true };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the HTTP server has no port');
  return address.port;
}

/** What an HTTP or HTTPS server offers to its end. */
interface DrainableServer extends NetServer {
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
