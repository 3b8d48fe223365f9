import type { IncomingHttpHeaders } from 'node:http';
import { type Duplex, Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { malformedUpstreamResponse } from '../edge/errors.ts';
import type { Exchange } from '../edge/exchange.ts';
import type { PooledConnection, PooledRequest, UpstreamPool } from './pool.ts';
import { type RelayTarget, relayResponse, type UpstreamResponse } from './response.ts';
import { upstreamErrorOf } from './upstream-error.ts';

const isGone = new Error('the client is gone');

const ignore = () => undefined;

/** Repeated lines of these are dropped, of others joined, as by node:http. */
const singleHeaders: ReadonlySet<string> = new Set([
  'content-length',
  'content-type',
  'etag',
  'expires',
  'last-modified',
  'location',
  'retry-after',
]);

/** Headers as node:http gives them. */
function joinRepeated(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  for (const name in headers) {
    const value = headers[name];
    if (!Array.isArray(value) || name === 'set-cookie') continue;
    headers[name] = singleHeaders.has(name) ? value[0] : value.join(', ');
  }
  return headers;
}

export interface DispatchedRequestDeps {
  readonly exchange: Exchange;
  readonly pool: UpstreamPool;
  readonly target: RelayTarget;
  /** Whether the response may be 304. After a 304 undici drops further bytes unseen and closes the connection. */
  readonly isConditional: boolean;
  /** Milliseconds without a byte after which it fails. */
  readonly timeoutMs: number;
}

/** A request to an upstream over undici, and its response. */
export class DispatchedRequest implements PooledRequest, UpstreamResponse {
  readonly options: Dispatcher.DispatchOptions;
  readonly #deps: DispatchedRequestDeps;
  connection: PooledConnection | undefined;
  isAborted = false;
  statusCode = 0;
  headers: IncomingHttpHeaders = {};
  #controller: Dispatcher.DispatchController | undefined;
  #body: Readable | undefined;
  #chunks: Buffer[] = [];
  #collected: (chunks: readonly Buffer[]) => void = ignore;

  constructor(options: Dispatcher.DispatchOptions, deps: DispatchedRequestDeps) {
    this.options = options;
    this.#deps = deps;
  }

  get isPaused(): boolean {
    return this.#controller?.paused === true;
  }

  /** Ends it, at whatever point it is. */
  destroy(): void {
    this.isAborted = true;
    this.#controller?.abort(isGone);
  }

  collect(done: (chunks: readonly Buffer[]) => void): void {
    this.#collected = done;
  }

  stream(): Readable {
    this.#body = new Readable({ read: () => this.#controller?.resume() });
    return this.#body;
  }

  allowSilence(ms: number): void {
    this.connection?.setTimeout(ms);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.isAborted) controller.abort(isGone);
    else this.connection?.setTimeout(this.#deps.timeoutMs);
  }

  onRequestUpgrade(_controller: Dispatcher.DispatchController, _status: number, _: unknown, socket: Duplex) {
    socket.destroy();
    this.#deps.exchange.refuse(malformedUpstreamResponse);
  }

  onResponseStart(_: Dispatcher.DispatchController, statusCode: number, headers: IncomingHttpHeaders): void {
    // Interim responses, such as 103.
    if (statusCode < 200) return;
    this.statusCode = statusCode;
    this.headers = joinRepeated(headers);
    const { exchange, target, isConditional } = this.#deps;
    if (statusCode === 304 && !isConditional && Number(headers['content-length'] ?? 0) > 0)
      exchange.refuse(malformedUpstreamResponse);
    else this.#guard(() => relayResponse(this, target));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#body === undefined) this.#chunks.push(chunk);
    else if (!this.#body.push(chunk)) controller.pause();
  }

  /** Ends in a later microtask, because the next bytes of the same packet may show that the response is not valid HTTP. */
  onResponseEnd(): void {
    queueMicrotask(() => this.#end());
  }

  onResponseError(_controller: unknown, error: Error): void {
    const { exchange, pool } = this.#deps;
    if (this.connection !== undefined) pool.discard(this.connection);
    exchange.releaseSlot();
    this.#body?.destroy();
    exchange.refuse(this.statusCode === 0 ? upstreamErrorOf(error) : malformedUpstreamResponse);
  }

  #end(): void {
    const { exchange, pool } = this.#deps;
    const isBroken = this.connection?.isBroken === true;
    if (this.connection !== undefined) pool.release(this.connection);
    exchange.releaseSlot();
    if (isBroken) exchange.refuse(malformedUpstreamResponse);
    else if (this.#body === undefined) this.#guard(() => this.#collected(this.#chunks));
    else this.#body.push(null);
  }

  /** Fails the exchange when our own code throws. Otherwise undici would treat it as an error of the upstream. */
  #guard(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#deps.exchange.fail(error);
    }
  }
}
