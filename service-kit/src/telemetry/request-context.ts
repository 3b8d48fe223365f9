import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { Span } from './span.ts';

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

/** The current request, available to every step. */
export interface RequestContext {
  /** Id from the gateway, for log lines and rpcs. */
  readonly requestId: string;
  /** Time spent waiting for database connections so far. */
  readonly connectionWaits: Stopwatch;
  /** Of the request itself, for the spans of its steps; undefined where it is not traced. */
  readonly span: Span | undefined;
}

const contexts = new AsyncLocalStorage<RequestContext>();

/** Runs `work`, and everything that it starts, under a request. */
export function inRequest<T>(requestId: string, work: () => T, span?: Span): T {
  return contexts.run({ requestId, connectionWaits: new Stopwatch(), span }, work);
}

/** Runs `work` under a request that has begun elsewhere, or outside of requests: for work that several share. */
export function continueRequest<T>(request: RequestContext | undefined, work: () => T): T {
  return request === undefined ? contexts.exit(work) : contexts.run(request, work);
}

/** The current request; undefined outside of requests. */
export function currentRequest(): RequestContext | undefined {
  return contexts.getStore();
}

/** Runs `work` outside of the current request: for resources that outlive it. */
export function outsideRequests<T>(work: () => T): T {
  return contexts.exit(work);
}

const usable = /^[\w.-]{1,128}$/;

/** The id from a trusted peer, or a new one if that is not suitable for logs, headers and metadata. */
export function requestIdFrom(sent: unknown): string {
  return typeof sent === 'string' && usable.test(sent) ? sent : randomUUID();
}
