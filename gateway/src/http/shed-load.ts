import type { RequestHandler } from 'express';
import { overloaded } from './gateway-error.ts';

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
