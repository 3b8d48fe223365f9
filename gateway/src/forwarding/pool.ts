import type { Socket } from 'node:net';
import { type buildConnector, Client, type Dispatcher, errors } from 'undici';
import { idleLimitMs, type UpstreamConnectionOptions } from './agent.ts';
import { type Connect, createConnect, UpstreamBusy, UpstreamTimeout } from './connect.ts';

/** A request on a connection of a pool: undici reports its response here. */
export interface PooledRequest
  extends Required<
    Omit<Dispatcher.DispatchHandler, 'onResponseStarted' | 'onBodySent' | 'onRequestSent' | 'onResponseError'>
  > {
  /** Also called when a request found no connection in time. */
  onResponseError(controller: unknown, error: Error): void;
  readonly options: Dispatcher.DispatchOptions;
  /** Whether the response has no receiver left. */
  readonly isAborted: boolean;
  /** Whether the response is paused because its receiver does not read. */
  readonly isPaused: boolean;
  /** Set before the request is sent on it. */
  connection: PooledConnection | undefined;
}

interface WaitingRequest {
  readonly request: PooledRequest;
  readonly since: number;
}

/** One keep-alive connection. undici reconnects if it was closed before the request was sent. */
export class PooledConnection {
  readonly client: Client;
  readonly #defaultTimeoutMs: number;
  #timeoutMs: number;
  #socket: Socket | undefined;
  #openedAt = 0;
  #request: PooledRequest | undefined;
  /** Bytes read and written at the last check, and the time at which they last changed or the request began. */
  #bytes = 0;
  #changedAt = 0;

  /** @param timeoutMs see UpstreamConnectionOptions */
  constructor(connect: (connection: PooledConnection) => buildConnector.connector, timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
    this.#defaultTimeoutMs = timeoutMs;
    this.client = new Client('http://upstream', {
      connect: connect(this),
      allowH2: false,
      keepAliveTimeout: idleLimitMs,
      keepAliveMaxTimeout: idleLimitMs,
      // `endSilence` does the same for both.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  adopt(socket: Socket): void {
    this.#socket = socket;
    this.#openedAt = performance.now();
    this.#changedAt = this.#openedAt;
  }

  /** The request is about to be sent. */
  begin(request: PooledRequest): void {
    this.#request = request;
    this.#changedAt = performance.now();
  }

  /** No request is in progress. */
  end(): void {
    this.#request = undefined;
    this.#timeoutMs = this.#defaultTimeoutMs;
  }

  /** Sets the milliseconds without a byte after which the request in progress fails. */
  setTimeout(ms: number): void {
    this.#timeoutMs = ms;
  }

  /** Ends a request in progress whose time without a byte has passed; time in which its receiver does not read is not counted. */
  endSilence(now: number): void {
    const socket = this.#socket;
    if (this.#request === undefined || socket === undefined) return;
    const bytes = socket.bytesRead + socket.bytesWritten;
    if (bytes !== this.#bytes || this.#request.isPaused) {
      this.#bytes = bytes;
      this.#changedAt = now;
    } else if (now - this.#changedAt >= this.#timeoutMs) {
      socket.destroy(new UpstreamTimeout('the upstream is silent'));
    }
  }

  get isBusy(): boolean {
    return this.#request !== undefined;
  }

  get isOpen(): boolean {
    return this.#socket?.destroyed === false;
  }

  /** Whether the connection ended with an error. undici also reports one when a response asked to close it. */
  get isBroken(): boolean {
    const error = this.#socket?.errored ?? null;
    return error !== null && !(error instanceof errors.InformationalError);
  }

  isOlderThan(ms: number): boolean {
    return performance.now() - this.#openedAt > ms;
  }

  /** Closes with an error. Without one, undici would take the close for the end of a response without a length. */
  close(): void {
    this.#socket?.destroy(new errors.SocketError('closed'));
  }
}

/** Milliseconds between checks of all connections. Socket time-outs would cost 5 µs for each read and write. */
function silenceCheckMs(timeoutMs: number): number {
  return Math.min(250, Math.max(10, Math.floor(timeoutMs / 30)));
}

/*
 * Keep-alive connections to one upstream for requests whose body is buffered. As in UpstreamAgent, the newest free one is
 * used first. undici takes half the time of http.ClientRequest, which creates a stream for each message.
 */
export class UpstreamPool {
  readonly #options: UpstreamConnectionOptions;
  readonly #connectOne: Connect;
  #free: PooledConnection[] = [];
  #waiting: WaitingRequest[] = [];
  readonly #open = new Set<PooledConnection>();
  /** Set while a request is in progress or waits: idle pools wake no process. */
  #silenceTimer: NodeJS.Timeout | undefined;
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
    if (connection === undefined) this.#wait(request);
    else this.#send(request, connection);
  }

  /** The connection's request is complete. */
  release(connection: PooledConnection): void {
    connection.end();
    if (!connection.isOpen) return;
    if (connection.isOlderThan(this.#options.maxAgeMs)) {
      connection.close();
      return;
    }
    const next = this.#nextWaiting();
    if (next === undefined) this.#free.push(connection);
    else this.#send(next, connection);
  }

  /** The connection's request has failed, perhaps before it was sent. */
  discard(connection: PooledConnection): void {
    connection.end();
    connection.close();
  }

  destroy(): void {
    clearInterval(this.#silenceTimer);
    for (const connection of this.#open) connection.close();
  }

  #send(request: PooledRequest, connection: PooledConnection): void {
    this.#watchSilence();
    connection.begin(request);
    request.connection = connection;
    connection.client.dispatch(request.options, request);
  }

  #wait(request: PooledRequest): void {
    this.#waiting.push({ request, since: performance.now() });
    this.#watchSilence();
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

  #watchSilence(): void {
    if (this.#silenceTimer !== undefined) return;
    // setImmediate runs after pending reads: a process that was suspended first reads what arrived in the meantime.
    const look = () => setImmediate(() => this.#endSilence(performance.now()));
    this.#silenceTimer = setInterval(look, silenceCheckMs(this.#options.timeoutMs)).unref();
  }

  #endSilence(now: number): void {
    this.#refuseLate(now - this.#options.maxWaitMs);
    let isBusy = this.#connecting + this.#waiting.length > 0;
    for (const connection of this.#open) {
      connection.endSilence(now);
      isBusy ||= connection.isBusy;
    }
    if (isBusy) return;
    clearInterval(this.#silenceTimer);
    this.#silenceTimer = undefined;
  }

  #refuseLate(before: number): void {
    while ((this.#waiting[0]?.since ?? before) < before) {
      const { request } = this.#waiting.shift() ?? {};
      if (request?.isAborted === false) request.onResponseError(undefined, new UpstreamBusy());
    }
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
    for (let entry = this.#waiting.shift(); entry !== undefined; entry = this.#waiting.shift()) {
      if (!entry.request.isAborted) return entry.request;
    }
    return undefined;
  }
}
