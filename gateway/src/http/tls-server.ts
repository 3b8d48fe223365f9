import { createServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import type { Logger } from '@platform/service-kit/logger.ts';
import type { Certificate } from './certificate.ts';
import { type EdgeServer, edgeOptions } from './edge-server.ts';
import { Http2Sessions } from './http2-sessions.ts';

/** A server that ends TLS itself and speaks HTTP/2 or HTTP/1.1, as the client chooses (ALPN). */
export interface TlsServer {
  readonly server: EdgeServer;
  /** From now on new connections see this certificate. */
  renew(certificate: Certificate): void;
  /** Ends connections of HTTP/2 with what runs on them. HTTP/1.1 has its own way: `Connection: close`. */
  closeSessions(): void;
}

const minVersion = 'TLSv1.2';
/** Milliseconds for a handshake, as for the head of a request. */
const handshakeTimeout = 10_000;
const ALPNProtocols = ['h2', 'http/1.1'];

/** @param maxStreams requests over HTTP/2 that may be under way at a time, on all connections */
export function createTlsServer(certificate: Certificate, maxStreams: number, logger: Logger): TlsServer {
  const server = createServer({
    ...edgeOptions,
    ...certificate,
    minVersion,
    handshakeTimeout,
    ALPNProtocols,
  });
  // Where no handshake was made there is no client that could read a response.
  server.removeAllListeners('tlsClientError').on('tlsClientError', (_error, socket) => socket.destroy());

  const serveHttp1 = server.listeners('secureConnection');
  const serve = (connection: object) => {
    for (const listener of serveHttp1) Reflect.apply(listener, server, [connection]);
  };
  const sessions = new Http2Sessions({ maxStreams, serve, logger });
  server.removeAllListeners('secureConnection').on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol === 'h2') sessions.accept(socket);
    else serve(socket);
  });
  const closeAllConnections = server.closeAllConnections.bind(server);
  server.closeAllConnections = () => {
    closeAllConnections();
    sessions.destroy();
  };
  return {
    server,
    renew: (renewed) => server.setSecureContext({ ...renewed, minVersion }),
    closeSessions: () => sessions.close(),
  };
}
