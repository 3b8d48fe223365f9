import type { Socket } from 'node:net';
import { type buildConnector, Client, type Dispatcher, errors } from 'undici';
import { idleLimitMs, type UpstreamConnectionOptions } from './agent.ts';
import { type Connect, createConnect, UpstreamTimeout } from './connect.ts';

/** A request on a connection of a pool: undici reports its response here. */
export interface PooledRequest
  extends Required<Omit<Dispatcher.DispatchHandler, 'onResponseStarted' | 'onBodySent' | 'onRequestSent'>> {
  readonly options: Dispatcher.DispatchOptions;
  /** Whether the response has no receiver left. */
  readonly isAborted: boolean;
  /** Set before the request is sent on it. */
  connection: PooledConnection | undefined;
}

/** One keep-alive connection: undici reconnects it where it was closed before the request was sent. */
export class PooledConnection {
  readonly client: Client;
  #socket: Socket | undefined;
  #openedAt = 0;
  #timeoutMs: number;
  readonly #defaultTimeoutMs: number;
  /** Whether a request is in progress. */
  isBusy = false;

  /** @param timeoutMs see UpstreamConnectionOptions */
  constructor(connect: (connection: PooledConnection) => buildConnector.connector, timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
    this.#defaultTimeoutMs = timeoutMs;
    this.client = new Client('http://upstream', {
      connect: connect(this),
      allowH2: false,
      keepAliveTimeout: idleLimitMs,
      keepAliveMaxTimeout: idleLimitMs,
      // The socket has one time-out for both: see `setTimeout`.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  adopt(socket: Socket): void {
    this.#socket = socket;
    this.#openedAt = performance.now();
    socket.setTimeout(this.#timeoutMs);
    // Between two requests it is no error: undici would report one to the next request.
    socket.on('timeout', () =>
      socket.destroy(this.isBusy ? new UpstreamTimeout('the upstream is silent') : undefined),
    );
  }

  /** Milliseconds without a byte after which the request in progress fails. */
  setTimeout(ms: number): void {
    if (ms === this.#timeoutMs) return;
    this.#timeoutMs = ms;
    this.#socket?.setTimeout(ms);
  }

  resetTimeout(): void {
    this.setTimeout(this.#defaultTimeoutMs);
  }

  get isOpen(): boolean {
    return this.#socket?.destroyed === false;
  }

  /** Whether it ended by an error; undici also names one where a response asked for the end. */
  get isBroken(): boolean {
    const error = this.#socket?.errored ?? null;
    return error !== null && !(error instanceof errors.InformationalError);
  }

  isOlderThan(ms: number): boolean {
    return performance.now() - this.#openedAt > ms;
  }

  /** With an error: else undici would take this for the end of a response that has no length. */
  close(): void {
    this.#socket?.destroy(new errors.SocketError('closed'));
  }
}

/*
 * Keep-alive connections to one upstream for requests whose body is at hand, with the rules of UpstreamAgent: a stack, the
 * newest first. undici writes and parses in half the time of http.ClientRequest, which makes a stream of each message.
 */
export class UpstreamPool {
  readonly #options: UpstreamConnectionOptions;
  readonly #connectOne: Connect;
  #free: PooledConnection[] = [];
  #waiting: PooledRequest[] = [];
  readonly #open = new Set<PooledConnection>();
  #connecting = 0;

  constructor(options: UpstreamConnectionOptions) {
    this.#options = options;
    this.#connectOne = createConnect(options.addresses);
  }

  /** Milliseconds without a byte after which a request in progress fails. */
  get timeoutMs(): number {
    return this.#options.timeoutMs;
  }

  /** Open connections. */
  get connections(): number {
    return this.#open.size;
  }

  /** Sends a request as soon as there is a connection for it. */
  dispatch(request: PooledRequest): void {
    const connection = this.#free.pop() ?? this.#create();
    if (connection === undefined) this.#waiting.push(request);
    else this.#send(request, connection);
  }

  /** The connection's request is complete. */
  release(connection: PooledConnection): void {
    connection.isBusy = false;
    if (!connection.isOpen) return;
    if (connection.isOlderThan(this.#options.maxAgeMs)) {
      connection.close();
      return;
    }
    connection.resetTimeout();
    const next = this.#nextWaiting();
    if (next === undefined) this.#free.push(connection);
    else this.#send(next, connection);
  }

  /** The connection's request has failed, perhaps before it was sent. */
  discard(connection: PooledConnection): void {
    connection.isBusy = false;
    connection.close();
  }

  destroy(): void {
    for (const connection of this.#open) connection.close();
  }

  #send(request: PooledRequest, connection: PooledConnection): void {
    connection.isBusy = true;
    request.connection = connection;
    connection.client.dispatch(request.options, request);
  }

  #create(): PooledConnection | undefined {
    if (this.#open.size + this.#connecting >= this.#options.maxConnections) return undefined;
    return new PooledConnection((connection) => this.#connectFor(connection), this.#options.timeoutMs);
  }

  #connectFor(connection: PooledConnection): buildConnector.connector {
    return (_options, done) => {
      this.#connecting++;
      this.#connectOne((error, socket) => {
        this.#connecting--;
        if (socket === null) {
          done(error ?? new Error('not connected'), null);
          this.#startWaiting();
          return;
        }
        this.#open.add(connection);
        connection.adopt(socket);
        socket.once('close', () => this.#forget(connection));
        done(null, socket);
      });
    };
  }

  #forget(connection: PooledConnection): void {
    this.#open.delete(connection);
    if (!connection.isBusy) this.#free = this.#free.filter((free) => free !== connection);
    this.#startWaiting();
  }

  #startWaiting(): void {
    const next = this.#nextWaiting();
    if (next !== undefined) this.dispatch(next);
  }

  #nextWaiting(): PooledRequest | undefined {
    for (let request = this.#waiting.shift(); request !== undefined; request = this.#waiting.shift()) {
      if (!request.isAborted) return request;
    }
    return undefined;
  }
}
