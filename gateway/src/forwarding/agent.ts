import { Agent, type ClientRequest } from 'node:http';
import { createConnection, isIP, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, type SecureContext } from 'node:tls';
import { hostPort } from '@platform/service-kit/addresses.ts';
import type { GrpcTls } from '@platform/service-kit/grpc/tls.ts';
import type { Logger } from '@platform/service-kit/logger.ts';

/** Address of an upstream and how to connect to it. */
interface UpstreamAddress {
  readonly host: string;
  readonly port: number;
  /** Absent for plain text. */
  readonly tls?: UpstreamTls | undefined;
  /** Called when a connection fails. */
  readonly onFailure?: (error: Error) => void;
}

interface UpstreamTls {
  /** The gateway's certificate, and the CA of the upstream's. */
  readonly context: SecureContext;
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

/**
 * The address of an origin; https uses the certificates of `tls`.
 * @throws without certificates for https
 */
export function upstreamAddress(
  origin: string,
  tls: GrpcTls,
  logger: Logger,
  countFailure: () => void,
): UpstreamAddress {
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
  if (tls.kind === 'plain') throw new Error('an https origin needs certificates');
  const { ca, cert, key } = tls;
  const context = createSecureContext({ ca, cert, key });
  return { ...address, tls: { context, session: undefined } };
}

function createFailureLog(upstream: string, logger: Logger): (error: Error) => void {
  let quietUntil = 0;
  return (error) => {
    const now = performance.now();
    if (now < quietUntil) return;
    quietUntil = now + logIntervalMs;
    logger.warn({ upstream, err: error }, 'upstream not connected');
  };
}

/**
 * Connects to an upstream. With TLS the CA must have signed its certificate, which must name the host. Failures emit
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
  const socket = connectTls({
    host,
    port,
    secureContext: tls.context,
    // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED may disable it.
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

/*
 * Keep-alive connections to one upstream with several addresses. http.Agent computes a name per request to serve any
 * origin; one upstream needs only a stack. The newest free connection is reused first, so that others grow idle and
 * are closed before the upstream would close them under a request.
 */
export interface UpstreamAgentOptions {
  readonly addresses: readonly UpstreamAddress[];
  /** Milliseconds without a byte after which a request in progress fails. */
  readonly timeoutMs: number;
  readonly maxConnections: number;
  /**
   * Milliseconds after which a connection gets no further request. One name may stand for many replicas: under steady load
   * connections never grow idle, and a replica that is added would get none.
   */
  readonly maxAgeMs: number;
}

/** Attempts to connect that a request gets at least: behind one name another replica may take the second. */
const minAttempts = 2;

const connectTimeoutMs = 1_000;

const idleLimitMs = 4_000;

/** The upstream was silent for longer than its time-out. */
export class UpstreamTimeout extends Error {
  override readonly name = 'UpstreamTimeout';
}

/** onSocket of ClientRequest, whose published type lacks the error. */
interface PendingRequest extends ClientRequest {
  onSocket(socket: Socket | null, error?: Error): void;
}

interface FreeSocket {
  readonly socket: Socket;
  readonly since: number;
}

/** Unsolicited bytes would be read as the response to the next request. */
function destroyOnUnsolicitedData(this: Socket): void {
  this.destroy();
}

export class UpstreamAgent extends Agent {
  readonly #options: UpstreamAgentOptions;
  readonly #idleTimer: NodeJS.Timeout;
  #free: FreeSocket[] = [];
  #waiting: PendingRequest[] = [];
  /** Open connections, and when each was opened. */
  readonly #open = new Map<Socket, number>();
  #connecting = 0;
  #nextAddress = 0;

  constructor(options: UpstreamAgentOptions) {
    super({ keepAlive: true });
    this.#options = options;
    this.#idleTimer = setInterval(() => this.#closeIdle(performance.now() - idleLimitMs), 1_000);
    this.#idleTimer.unref();
  }

  /** Called by ClientRequest. */
  addRequest(request: PendingRequest): void {
    const socket = this.#takeFree();
    if (socket !== undefined) {
      request.reusedSocket = true;
      request.onSocket(socket);
      return;
    }
    this.#waiting.push(request);
    if (this.#connecting < this.#waiting.length) this.#connect();
  }

  /** Milliseconds without a byte after which a request in progress fails. */
  get timeoutMs(): number {
    return this.#options.timeoutMs;
  }

  /** Open connections. */
  get connections(): number {
    return this.#open.size;
  }

  override destroy(): void {
    clearInterval(this.#idleTimer);
    for (const socket of this.#open.keys()) socket.destroy();
  }

  #takeFree(): Socket | undefined {
    for (let entry = this.#free.pop(); entry !== undefined; entry = this.#free.pop()) {
      const { socket } = entry;
      socket.off('data', destroyOnUnsolicitedData);
      if (socket.writable && !socket.destroyed) return socket;
    }
    return undefined;
  }

  #connect(): void {
    if (this.#open.size + this.#connecting >= this.#options.maxConnections) return;
    this.#connecting++;
    this.#tryAddress(this.#nextAddress++, Math.max(minAttempts, this.#options.addresses.length));
  }

  /** Tries the addresses in turn, skipping those that fail. */
  #tryAddress(index: number, attemptsLeft: number): void {
    const address = this.#options.addresses[index % this.#options.addresses.length];
    if (address === undefined) throw new Error('an upstream needs an address');
    const { socket, readyEvent } = connectUpstream(address);
    const timer = setTimeout(() => socket.destroy(new UpstreamTimeout('connect')), connectTimeoutMs);
    const fail = (error: Error) => {
      clearTimeout(timer);
      if (attemptsLeft > 1) {
        this.#tryAddress(index + 1, attemptsLeft - 1);
        return;
      }
      this.#connecting--;
      this.#nextWaiting()?.onSocket(null, error);
    };
    socket.once('error', fail);
    socket.once(readyEvent, () => {
      clearTimeout(timer);
      socket.off('error', fail);
      this.#connecting--;
      this.#adopt(socket);
    });
  }

  #adopt(socket: Socket): void {
    this.#open.set(socket, performance.now());
    socket.on('timeout', () => socket.destroy(new UpstreamTimeout('the upstream is silent')));
    // ClientRequest listens only while it holds the socket; an unhandled error would end the process.
    socket.on('error', () => undefined);
    socket.on('free', () => {
      if (performance.now() - (this.#open.get(socket) ?? 0) > this.#options.maxAgeMs) socket.destroy();
      else this.#release(socket);
    });
    // An upgraded connection leaves the agent.
    socket.on('agentRemove', () => this.#forget(socket));
    socket.on('close', () => this.#forget(socket));
    this.#release(socket);
  }

  #release(socket: Socket): void {
    if (socket.destroyed || !socket.writable) return;
    // A stream may have raised the time-out.
    socket.setTimeout(this.#options.timeoutMs);
    const request = this.#nextWaiting();
    if (request !== undefined) {
      request.onSocket(socket);
      return;
    }
    socket.once('data', destroyOnUnsolicitedData).resume();
    this.#free.push({ socket, since: performance.now() });
  }

  #forget(socket: Socket): void {
    this.#open.delete(socket);
    this.#free = this.#free.filter((entry) => entry.socket !== socket);
    if (this.#waiting.length > this.#connecting) this.#connect();
  }

  #nextWaiting(): PendingRequest | undefined {
    for (let request = this.#waiting.shift(); request !== undefined; request = this.#waiting.shift()) {
      if (!request.destroyed) return request;
    }
    return undefined;
  }

  #closeIdle(before: number): void {
    for (const { socket, since } of this.#free) {
      if (since < before) socket.destroy();
    }
  }
}
