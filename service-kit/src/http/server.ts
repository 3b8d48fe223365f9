import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { Server as NetServer } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { GrpcTls, MutualTls } from '../grpc/tls.ts';

/** A server that listens. */
interface HttpServer {
  readonly server: Server;
  readonly port: number;
}

/** Milliseconds of an idle connection: longer than the gateway's own limit, so that the gateway closes first. */
const keepAliveTimeout = 65_000;

/** Milliseconds to receive a head, and a whole request. */
const headersTimeout = 10_000;

const requestTimeout = 30_000;

/** Bytes of a head: 16 kB of the client, and the gateway's own headers. */
const maxHeaderSize = 32_768;

/** Milliseconds for a TLS handshake. */
const handshakeTimeout = 5_000;

interface HttpServerOptions {
  readonly host: string;
  readonly port: number;
  /** `mutual`: clients need a certificate of the CA. */
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
  const server = tls.kind === 'plain' ? createServer(limits, app) : startTlsServer(tls, limits, app);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  return { server, port: portOf(server) };
}

function startTlsServer(tls: MutualTls, limits: ServerOptions, app: RequestListener): Server {
  const { ca, cert, key } = tls;
  const mutual = { ca, cert, key, requestCert: true, rejectUnauthorized: true };
  const server = createTlsServer({ ...limits, ...mutual, handshakeTimeout }, app);
  tls.onRenewed?.((renewed) => server.setSecureContext({ ...renewed }));
  return server;
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the HTTP server has no port');
  return address.port;
}

/** The methods of an HTTP or HTTPS server that drain it. */
interface DrainableServer extends NetServer {
  closeIdleConnections(): void;
  closeAllConnections(): void;
}

/** Connections that may wait in the kernel (Node's default backlog). */
const backlog = 511;

/** Accepts connections that wait in the kernel, one per turn of the event loop. Closing the server would reset them. */
async function acceptWaiting(server: NetServer): Promise<void> {
  let accepted = true;
  const note = () => {
    accepted = true;
  };
  server.on('connection', note);
  for (let turn = 0; accepted && turn < backlog; turn++) {
    accepted = false;
    // The first immediate may run before this turn's connection, the second runs after it.
    await setImmediate();
    await setImmediate();
  }
  server.off('connection', note);
}

/** Milliseconds that idle keep-alive connections get for a last request, or to close. */
const idleGraceMs = 6_000;

/** Milliseconds after which running requests are aborted. */
const hardLimitMs = 20_000;

/** Events by which a server gets requests. */
const requestEvents = ['request', 'checkContinue', 'checkExpectation'];

/**
 * Closes an HTTP server without losing a request: accepts no connections, sends `Connection: close` with every response,
 * and closes idle connections late, since a request may already be on its way.
 */
export async function drainHttpServer(server: DrainableServer): Promise<void> {
  for (const event of requestEvents) {
    // Without an existing listener, ours would disable Node's default response.
    if (server.listenerCount(event) === 0) continue;
    server.prependListener(event, (_req, res) => {
      res.shouldKeepAlive = false;
    });
  }
  await acceptWaiting(server);
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
