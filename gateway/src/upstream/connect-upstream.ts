import { createConnection, isIP, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, type SecureContext } from 'node:tls';
import { hostPort } from '@platform/service-kit/addresses.ts';
import type { GrpcTls } from '@platform/service-kit/grpc-tls.ts';
import type { Logger } from '@platform/service-kit/logger.ts';

/** Where an upstream listens, and how it is spoken to. */
export interface UpstreamAddress {
  readonly host: string;
  readonly port: number;
  /** Absent for plain text. */
  readonly tls?: UpstreamTls | undefined;
  /** Hears why a connection did not come about. */
  readonly onFailure?: (error: Error) => void;
}

interface UpstreamTls {
  /** The gateway's certificate, and the CA that the upstream's must be of. */
  readonly context: SecureContext;
  /** Session of the latest handshake: the next one resumes it, without certificates on the wire. */
  session: Buffer | undefined;
}

/** A connection under way. */
export interface UpstreamConnection {
  readonly socket: Socket;
  /** Once the socket emits it, the upstream is connected and, with TLS, who it should be. */
  readonly readyEvent: 'connect' | 'secureConnect';
}

/** Milliseconds between two lines about one address: requests that failed have lines of their own. */
const quietMs = 1_000;

/** The address of an origin; https takes the certificates of `tls`. @throws when it has none */
export function upstreamAddress(origin: string, tls: GrpcTls, logger: Logger): UpstreamAddress {
  const { protocol, hostname, port: given } = new URL(origin);
  const host = hostname.replace(/^\[|\]$/g, '');
  const port = Number(given || (protocol === 'http:' ? 80 : 443));
  const address = { host, port, onFailure: failureLog(hostPort(host, port), logger) };
  if (protocol === 'http:') return address;
  if (tls.kind === 'plain') throw new Error('an https origin needs certificates');
  const { ca, cert, key } = tls;
  const context = createSecureContext({ ca, cert, key });
  return { ...address, tls: { context, session: undefined } };
}

function failureLog(upstream: string, logger: Logger): (error: Error) => void {
  let quietUntil = 0;
  return (error) => {
    const now = performance.now();
    if (now < quietUntil) return;
    quietUntil = now + quietMs;
    logger.warn({ upstream, err: error }, 'upstream not connected');
  };
}

/**
 * Opens a connection to an upstream. With TLS the upstream's certificate must be of the CA and name the host; whatever is
 * wrong is an `error` before the ready event, so that nothing has been sent.
 */
export function connectUpstream(address: UpstreamAddress): UpstreamConnection {
  const { host, port, tls, onFailure } = address;
  const connection: UpstreamConnection =
    tls === undefined
      ? { socket: createConnection({ host, port, noDelay: true, keepAlive: true }), readyEvent: 'connect' }
      : { socket: connectWithTls(host, port, tls), readyEvent: 'secureConnect' };
  if (onFailure !== undefined) {
    const { socket, readyEvent } = connection;
    socket.once('error', onFailure).once(readyEvent, () => socket.off('error', onFailure));
  }
  return connection;
}

function connectWithTls(host: string, port: number, tls: UpstreamTls): Socket {
  const socket = connectTls({
    host,
    port,
    secureContext: tls.context,
    // Said, lest NODE_TLS_REJECT_UNAUTHORIZED says otherwise.
    rejectUnauthorized: true,
    ...(isIP(host) === 0 && { servername: host }),
    ...(tls.session !== undefined && { session: tls.session }),
  });
  socket.setNoDelay(true).setKeepAlive(true);
  socket.on('session', (session) => {
    tls.session = session;
  });
  return socket;
}
