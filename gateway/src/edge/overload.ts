import type { RequestHandler } from 'express';
import { overloaded } from './errors.ts';

/** Milliseconds between two looks at the event loop. */
const sampleMs = 20;

/** Lateness of a look, in milliseconds, over which the loop has more to do than it gets done. */
const lateMs = 80;

/** Late looks in a row before anything is refused: one pause is no overload. */
const patience = 5;

/** Requests under way below which nothing is refused: the process is late because others are busy, and waits for its turn. */
const minUnderWay = 100;

/** How the refused part grows with a late look, and shrinks with one in time. */
const growth = 0.1;

const decay = 0.02;

const maxRefused = 0.95;

/**
 * The part of new requests to refuse while this process has more to do than it gets done. All of them would come too late
 * otherwise: what is asked of others meanwhile runs into its time-outs.
 */
export class LoadShedder {
  #lateLooks = 0;
  #refused = 0;
  #owed = 0;
  #underWay = 0;

  /** A look at the event loop came so many milliseconds late. */
  observe(late: number): void {
    if (late < lateMs) {
      this.#lateLooks = 0;
      this.#refused = Math.max(0, this.#refused - decay);
      return;
    }
    this.#lateLooks++;
    if (this.#lateLooks >= patience) this.#refused = Math.min(maxRefused, this.#refused + growth);
  }

  /** A request is under way until the returned function is called. */
  begin(): () => void {
    this.#underWay++;
    return () => {
      this.#underWay--;
    };
  }

  /** Whether to refuse the next request: evenly, as many as are due. */
  isNextRefused(): boolean {
    if (this.#refused === 0 || this.#underWay < minUnderWay) return false;
    this.#owed += this.#refused;
    if (this.#owed < 1) return false;
    this.#owed--;
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
    if (shedder.isNextRefused()) exchange.refuse(overloaded);
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
export function createStandAside(): () => Promise<void> {
  const waiting: (() => void)[] = [];

  function letSomeGoOn(): void {
    for (const goOn of waiting.splice(0, perTurn)) goOn();
    if (waiting.length > 0) setImmediate(letSomeGoOn);
  }

  return () =>
    new Promise((resolve) => {
      if (waiting.length === 0) setImmediate(letSomeGoOn);
      waiting.push(resolve);
    });
}
