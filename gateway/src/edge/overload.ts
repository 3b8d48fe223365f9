import type { RequestHandler } from 'express';
import { overloaded } from './errors.ts';

/** Milliseconds between samples of the event loop. */
const sampleMs = 20;

/** The same while too few requests are in flight for any of them to be refused. */
const restMs = 250;

/** The event loop counts as overloaded when a sample is at least this many milliseconds late. */
const lateAfterMs = 80;

/** Consecutive late samples before requests are refused, so that a single pause does not count as overload. */
const minLateSamples = 5;

/**
 * Below this number of requests in flight none is refused, and a sample since which fewer began is not late: other
 * processes delayed it. Those in flight may all be waiting for their clients or an upstream.
 */
const minRequests = 100;

/** The refused ratio grows with each late sample and decays with each punctual one. */
const ratioGrowth = 0.1;

const ratioDecay = 0.02;

const maxShedRatio = 0.95;

/**
 * Refuses a ratio of new requests while the event loop is overloaded. Otherwise all of them would be late, and calls
 * to other services would time out.
 */
export class LoadShedder {
  #lateSamples = 0;
  #shedRatio = 0;
  #shedDebt = 0;
  #inFlight = 0;
  #begun = 0;

  /** Applies a sample of the event loop that came `lateMs` milliseconds late. */
  observe(lateMs: number): void {
    const isOnTime = lateMs < lateAfterMs || this.#begun < minRequests;
    this.#begun = 0;
    if (isOnTime) {
      this.#lateSamples = 0;
      this.#shedRatio = Math.max(0, this.#shedRatio - ratioDecay);
      return;
    }
    this.#lateSamples++;
    if (this.#lateSamples >= minLateSamples)
      this.#shedRatio = Math.min(maxShedRatio, this.#shedRatio + ratioGrowth);
  }

  /** Counts a request as in flight until the returned function is called. */
  begin(): () => void {
    this.#inFlight++;
    this.#begun++;
    return this.#end;
  }

  readonly #end = () => {
    this.#inFlight--;
  };

  /** Whether sampling can slow down: fewer than half of `minRequests` are in flight and none is being refused. */
  get isAtRest(): boolean {
    return this.#shedRatio === 0 && this.#inFlight < minRequests / 2;
  }

  /** Whether to refuse the next request; refusals are spread evenly. */
  shouldShed(): boolean {
    if (this.#shedRatio === 0 || this.#inFlight < minRequests) return false;
    this.#shedDebt += this.#shedRatio;
    if (this.#shedDebt < 1) return false;
    this.#shedDebt--;
    return true;
  }
}

/** Samples the event loop until the process ends. */
export function watchEventLoop(shedder: LoadShedder): void {
  const waitMs = shedder.isAtRest ? restMs : sampleMs;
  const dueAt = performance.now() + waitMs;
  const observe = () => {
    shedder.observe(performance.now() - dueAt);
    watchEventLoop(shedder);
  };
  setTimeout(observe, waitMs).unref();
}

/** Refuses a ratio of requests with 503, before any other work on them. */
export function shedLoad(shedder: LoadShedder): RequestHandler {
  return ({ exchange }, _res, next) => {
    exchange.atEnd(shedder.begin());
    if (shedder.shouldShed()) exchange.refuse(overloaded);
    else next();
  };
}

/** Deferred requests resumed per turn of the event loop. */
const perTurn = 2;

/** Deferred requests at most: each holds its memory until it is resumed. */
const maxDeferred = 1_000;

/**
 * Resolves in a later turn of the event loop, in order and few per turn; at once where too many wait. Spreads a burst
 * of requests that will be refused over many turns: admitted requests, whose replies from Redis and the upstream each
 * need a turn, do not wait for the whole burst each time.
 */
export function createDeferQueue(): () => Promise<void> {
  const deferred: (() => void)[] = [];

  function resumeSome(): void {
    for (const resume of deferred.splice(0, perTurn)) resume();
    if (deferred.length > 0) setImmediate(resumeSome);
  }

  return () => {
    if (deferred.length >= maxDeferred) return Promise.resolve();
    return new Promise((resolve) => {
      if (deferred.length === 0) setImmediate(resumeSome);
      deferred.push(resolve);
    });
  };
}
