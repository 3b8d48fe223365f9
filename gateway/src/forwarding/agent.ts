import { Agent, type ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import {
  type Connect,
  createConnect,
  type UpstreamAddress,
  UpstreamBusy,
  UpstreamTimeout,
} from './connect.ts';

/*
 * Keep-alive connections to one upstream with several addresses. http.Agent computes a name per request to serve any
 * origin; one upstream needs only a stack. The newest free connection is reused first, so that others grow idle and
 * are closed before the upstream would close them under a request.
 */
export interface UpstreamConnectionOptions {
  readonly addresses: readonly UpstreamAddress[];
  /** Milliseconds without a byte after which a request in progress fails. */
  readonly timeoutMs: number;
  readonly maxConnections: number;
  /** Milliseconds that a request waits for a connection while all of them are in use. */
  readonly maxWaitMs: number;
  /**
   * Milliseconds after which a connection gets no further request. Under steady load connections are never idle: without
   * this limit, a replica that is added behind the same name would get none.
   */
  readonly maxAgeMs: number;
}

/** Milliseconds after which a free connection is closed: before the upstream would. */
export const idleLimitMs = 4_000;

/** onSocket of ClientRequest, whose published type lacks the error. */
interface PendingRequest extends ClientRequest {
  onSocket(socket: Socket | null, error?: Error): void;
}

/** Milliseconds between checks of waiting requests and free connections. */
const lookMs = 1_000;

interface WaitingRequest {
  readonly request: PendingRequest;
  readonly since: number;
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
  readonly #options: UpstreamConnectionOptions;
  readonly #connectOne: Connect;
  /** Set while a connection is free or a request waits. */
  #timer: NodeJS.Timeout | undefined;
  #free: FreeSocket[] = [];
  #waiting: WaitingRequest[] = [];
  /** Open connections, and when each was opened. */
  readonly #open = new Map<Socket, number>();
  #connecting = 0;

  constructor(options: UpstreamConnectionOptions) {
    super({ keepAlive: true });
    this.#options = options;
    this.#connectOne = createConnect(options.addresses);
  }

  /** Called by ClientRequest. */
  addRequest(request: PendingRequest): void {
    const socket = this.#takeFree();
    if (socket !== undefined) {
      request.reusedSocket = true;
      request.onSocket(socket);
      return;
    }
    this.#waiting.push({ request, since: performance.now() });
    this.#startTimer();
    if (this.#connecting < this.#waiting.length) this.#connect();
  }

  /** Milliseconds without a byte after which a request in progress fails. */
  get timeoutMs(): number {
    return this.#options.timeoutMs;
  }

  /** Opens a connection for the caller alone. */
  get openApart(): Connect {
    return this.#connectOne;
  }

  /** Open connections. */
  get connections(): number {
    return this.#open.size;
  }

  override destroy(): void {
    clearInterval(this.#timer);
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
    this.#connectOne((error, socket) => {
      this.#connecting--;
      if (socket === null) this.#nextWaiting()?.onSocket(null, error ?? undefined);
      else this.#adopt(socket);
    });
  }

  #adopt(socket: Socket): void {
    this.#open.set(socket, performance.now());
    socket.on('timeout', () => {
      // A paused socket waits for a client that does not read. The time restarts when the socket resumes.
      if (!socket.isPaused()) socket.destroy(new UpstreamTimeout('the upstream is silent'));
    });
    socket.on('resume', () => socket.setTimeout(socket.timeout ?? 0));
    socket.on('free', () => {
      if (performance.now() - (this.#open.get(socket) ?? 0) > this.#options.maxAgeMs) socket.destroy();
      else this.#release(socket);
    });
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
    this.#startTimer();
  }

  #forget(socket: Socket): void {
    this.#open.delete(socket);
    this.#free = this.#free.filter((entry) => entry.socket !== socket);
    if (this.#waiting.length > this.#connecting) this.#connect();
  }

  #nextWaiting(): PendingRequest | undefined {
    for (let entry = this.#waiting.shift(); entry !== undefined; entry = this.#waiting.shift()) {
      if (!entry.request.destroyed) return entry.request;
    }
    return undefined;
  }

  #startTimer(): void {
    this.#timer ??= setInterval(() => this.#look(performance.now()), lookMs).unref();
  }

  #look(now: number): void {
    for (const { socket, since } of this.#free) {
      if (since < now - idleLimitMs) socket.destroy();
    }
    this.#refuseLate(now - this.#options.maxWaitMs);
    if (this.#free.length + this.#waiting.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Refuses requests that have waited too long. Requests whose connection is being opened have that connection's limit. */
  #refuseLate(before: number): void {
    while (this.#waiting.length > this.#connecting && (this.#waiting[0]?.since ?? before) < before) {
      const { request } = this.#waiting.shift() ?? {};
      if (request?.destroyed === false) request.onSocket(null, new UpstreamBusy());
    }
  }
}
