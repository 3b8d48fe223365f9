import type { RequestHandler } from 'express';
import { overloaded } from './errors.ts';

/** Milliseconds between two looks at the event loop. */
const sampleMs = 20;

/** Lateness of a look, in milliseconds, over which the loop has more to do than it gets done. */
const lateAfterMs = 80;

/** Late looks in a row before anything is refused: one pause is no overload. */
const minLateSamples = 5;

/** Requests under way below which nothing is refused: the process is late because others are busy, and waits for its turn. */
const minInFlight = 100;

/** How the refused part grows with a late look, and shrinks with one in time. */
const ratioGrowth = 0.1;

const ratioDecay = 0.02;

const maxShedRatio = 0.95;

/**
 * The part of new requests to refuse while this process has more to do than it gets done. All of them would come too late
 * otherwise: what is asked of others meanwhile runs into its time-outs.
 */
export class LoadShedder {
  #lateSamples = 0;
  #shedRatio = 0;
  #shedDebt = 0;
  #inFlight = 0;

  /** A look at the event loop came so many milliseconds late. */
  observe(lateMs: number): void {
    if (lateMs < lateAfterMs) {
      this.#lateSamples = 0;
      this.#shedRatio = Math.max(0, this.#shedRatio - ratioDecay);
      return;
    }
    this.#lateSamples++;
    if (this.#lateSamples >= minLateSamples)
      this.#shedRatio = Math.min(maxShedRatio, this.#shedRatio + ratioGrowth);
  }

  /** A request is under way until the returned function is called. */
  begin(): () => void {
    this.#inFlight++;
    return () => {
      this.#inFlight--;
    };
  }

  /** Whether to refuse the next request: evenly, as many as are due. */
  shouldShed(): boolean {
    if (this.#shedRatio === 0 || this.#inFlight < minInFlight) return false;
    this.#shedDebt += this.#shedRatio;
    if (this.#shedDebt < 1) return false;
    this.#shedDebt--;
    return true;
  }
}

/** Looks at the event loop until the process ends. */
export function watchEventLoop(shedder: LoadShedder): void {
  let dueAt = performance.now() + sampleMs;
  const timer = setInterval(() => {
    const now = performance.now();
    shedder.observe(now - dueAt);
    dueAt = now + sampleMs;
  }, sampleMs);
  timer.unref();
}

/** 503 for a part of the requests, before anything else is spent on them. */
export function shedLoad(shedder: LoadShedder): RequestHandler {
  return ({ exchange }, res, next) => {
    res.once('close', shedder.begin());
    if (shedder.shouldShed()) exchange.refuse(overloaded);
    else next();
  };
}

/** Of those that stand aside, so many go on in one turn of the event loop. */
const perTurn = 2;

/**
 * Lets everybody else go first: resolves in a later turn of the event loop, after those that have waited longer, and few
 * at a time. A burst of requests that will be refused is then spread over many turns, and one that was let in, whose
 * answers from Redis and the upstream are each read in a turn of their own, does not wait for all of it each time.
 */
export function createDeferQueue(): () => Promise<void> {
  const deferred: (() => void)[] = [];

  function resumeSome(): void {
    for (const resume of deferred.splice(0, perTurn)) resume();
    if (deferred.length > 0) setImmediate(resumeSome);
  }

  return () =>
    new Promise((resolve) => {
      if (deferred.length === 0) setImmediate(resumeSome);
      deferred.push(resolve);
    });
}
