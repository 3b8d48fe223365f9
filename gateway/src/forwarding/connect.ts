import { createConnection, isIP, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import type { Certificates, GrpcTls } from '@platform/service-kit/grpc/tls.ts';
import { logRarely } from '@platform/service-kit/telemetry/log-rarely.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { hostPort } from '@platform/service-kit/values/addresses.ts';

/** Address of an upstream and how to connect to it. */
export interface UpstreamAddress {
  readonly host: string;
  readonly port: number;
  /** Absent for plain text. */
  readonly tls?: UpstreamTls | undefined;
  /** Called when a connection fails. */
  readonly onFailure?: (error: Error) => void;
}

interface UpstreamTls {
  /** The gateway's certificate, and the authorities of the upstream's. */
  context: SecureContext;
  /** Session of the latest handshake, for resumption. */
  session: Buffer | undefined;
}

/** A connection being opened. */
interface UpstreamConnection {
  readonly socket: Socket;
  /** Event after which the upstream is connected and, with TLS, verified. */
  readonly readyEvent: 'connect' | 'secureConnect';
}

/** Milliseconds between log lines for one address; failed requests have their own. */
const logIntervalMs = 1_000;

/** Whose upstream an origin is: of the operator's services the certificate may be of any authority that this machine trusts. */
export type UpstreamOwner = 'platform' | 'operator';

export interface OriginOptions {
  readonly owner: UpstreamOwner;
  /** The gateway's certificate, and the platform's authority. */
  readonly tls: GrpcTls;
  readonly logger: Logger;
  readonly countFailure: () => void;
}

/**
 * The address of an origin.
 * @throws for https without certificates, unless the upstream is the operator's
 */
export function upstreamAddress(origin: string, options: OriginOptions): UpstreamAddress {
  const { owner, tls, logger, countFailure } = options;
  const { protocol, hostname, port: given } = new URL(origin);
  const host = hostname.replace(/^\[|\]$/g, '');
  const port = Number(given || (protocol === 'http:' ? 80 : 443));
  const logFailure = createFailureLog(hostPort(host, port), logger);
  const onFailure = (error: Error) => {
    countFailure();
    logFailure(error);
  };
  const address = { host, port, onFailure };
  if (protocol === 'http:') return address;
  if (tls.kind === 'plain') {
    if (owner === 'platform') throw new Error('an https origin needs certificates');
    return { ...address, tls: { context: createSecureContext(), session: undefined } };
  }
  const upstreamTls: UpstreamTls = { context: contextOf(owner, tls), session: undefined };
  tls.onRenewed?.((renewed) => {
    upstreamTls.context = contextOf(owner, renewed);
    // Full handshakes, so that a new authority decides.
    upstreamTls.session = undefined;
  });
  return { ...address, tls: upstreamTls };
}

const contextOf = (owner: UpstreamOwner, { ca, cert, key }: Certificates) =>
  createSecureContext({ ca: owner === 'operator' ? [ca, ...getCACertificates()] : ca, cert, key });

function createFailureLog(upstream: string, logger: Logger): (error: Error) => void {
  return logRarely(logIntervalMs, (_, err) => logger.warn({ upstream, err }, 'upstream not connected'));
}

/**
 * Connects to an upstream. With TLS an authority must have signed its certificate, which must name the host. Failures emit
 * `error` before the ready event, so that nothing has been sent.
 */
function connectUpstream(address: UpstreamAddress): UpstreamConnection {
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
  const { context } = tls;
  const socket = connectTls({
    host,
    port,
    secureContext: context,
    // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED may disable it.
    rejectUnauthorized: true,
    ...(isIP(host) === 0 && { servername: host }),
    ...(tls.session !== undefined && { session: tls.session }),
  });
  socket.setNoDelay(true).setKeepAlive(true);
  socket.on('session', (session) => {
    if (tls.context === context) tls.session = session;
  });
  return socket;
}

/** Minimum number of attempts to connect: behind one name, another replica may accept the second one. */
const minAttempts = 2;

/** Milliseconds after which the next attempt starts beside one that is neither connected nor failed. */
const nextAttemptMs = 1_000;

/** Milliseconds for all attempts together: a handshake on a starved processor can need more than one second. */
const connectTimeoutMs = 5_000;

/** The upstream was silent for longer than its time-out. */
export class UpstreamTimeout extends Error {
  override readonly name = 'UpstreamTimeout';
}

/** No connection to the upstream became free in time. */
export class UpstreamBusy extends Error {
  override readonly name = 'UpstreamBusy';
}

/** Called with a socket that is connected, or with the error of the last attempt and null. */
type Connected = (error: Error | null, socket: Socket | null) => void;

/** Opens a connection to an upstream. */
export type Connect = (done: Connected) => void;

/**
 * Opens connections to the addresses of one upstream in turn. An address that fails is skipped; one that is slow competes with
 * the next (the way of RFC 8305), and the first socket that is connected is used.
 */
export function createConnect(addresses: readonly UpstreamAddress[]): Connect {
  let nextAddress = 0;
  return (done) => {
    const attempts = new Attempts(addresses, nextAddress++, done);
    attempts.start();
  };
}

/** The attempts to open one connection. */
class Attempts {
  readonly #addresses: readonly UpstreamAddress[];
  readonly #done: Connected;
  readonly #pending = new Set<Socket>();
  readonly #deadline: NodeJS.Timeout;
  #next: NodeJS.Timeout | undefined;
  #index: number;
  #left: number;

  constructor(addresses: readonly UpstreamAddress[], firstIndex: number, done: Connected) {
    this.#addresses = addresses;
    this.#index = firstIndex;
    this.#left = Math.max(minAttempts, addresses.length);
    this.#done = done;
    this.#deadline = setTimeout(() => this.#end(new UpstreamTimeout('connect'), null), connectTimeoutMs);
  }

  start(): void {
    const address = this.#addresses[this.#index++ % this.#addresses.length];
    if (address === undefined) throw new Error('an upstream needs an address');
    const { socket, readyEvent } = connectUpstream(address);
    this.#pending.add(socket);
    this.#left--;
    clearTimeout(this.#next);
    if (this.#left > 0) this.#next = setTimeout(() => this.start(), nextAttemptMs);
    // For as long as the socket lives: an unhandled error would end the process.
    socket.on('error', (error) => this.#failed(socket, error));
    socket.once(readyEvent, () => this.#end(null, socket));
  }

  #failed(socket: Socket, error: Error): void {
    if (!this.#pending.delete(socket)) return;
    if (this.#left > 0) this.start();
    else if (this.#pending.size === 0) this.#end(error, null);
  }

  #end(error: Error | null, connected: Socket | null): void {
    clearTimeout(this.#deadline);
    clearTimeout(this.#next);
    const others = [...this.#pending].filter((socket) => socket !== connected);
    this.#pending.clear();
    for (const socket of others) socket.destroy(new UpstreamTimeout('connect'));
    this.#done(error, connected);
  }
}
