import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';

/** Sums the time during which at least one of several overlapping activities runs. */
export class Stopwatch {
  #running = 0;
  #since = 0;
  #elapsedMs = 0;

  /** @param now monotonic milliseconds */
  start(now: number): void {
    if (this.#running++ === 0) this.#since = now;
  }

  stop(now: number): void {
    if (--this.#running === 0) this.#elapsedMs += now - this.#since;
  }

  /** Milliseconds so far. */
  elapsed(now: number): number {
    return this.#elapsedMs + (this.#running > 0 ? now - this.#since : 0);
  }
}

/** The request that a service works for, known to every step without being passed along. */
export interface RequestContext {
  /** Id that the gateway gave the request; stands in every log line and goes along with every rpc. */
  readonly requestId: string;
  /** Time spent waiting for database connections so far. */
  readonly connectionWaits: Stopwatch;
}

const contexts = new AsyncLocalStorage<RequestContext>();

/** Runs `work`, and all that it starts, for the request of this id. */
export function inRequest<T>(requestId: string, work: () => T): T {
  return contexts.run({ requestId, connectionWaits: new Stopwatch() }, work);
}

/** The request that this code runs for; undefined for work that no request has started. */
export function currentRequest(): RequestContext | undefined {
  return contexts.getStore();
}

/** Runs `work` for no request: what it opens outlives the one that happens to be served. */
export function outsideRequests<T>(work: () => T): T {
  return contexts.exit(work);
}

const usable = /^[\w.-]{1,128}$/;

/** The id that a trusted peer sent, or a new one where it is none: an id goes into logs, headers and metadata. */
export function requestIdFrom(sent: unknown): string {
  return typeof sent === 'string' && usable.test(sent) ? sent : randomUUID();
}
