import { LRUCache } from 'lru-cache';
import { digest } from './answer-cache.ts';

/** Milliseconds for which a bearer that identity-service does not know is refused without asking again. */
const keepMs = 10_000;

/**
 * Bearers that identity-service has just called invalid. Unlike an answer that lets requests in, this one needs no
 * voucher: identity-service draws a credential at random and tells nobody before it is stored, so a bearer that was
 * asked about is either no credential and never will be (the chance is 1 in 2^196), or one that is over, and none comes
 * back. The short time is for operators: a backup that is restored, a pepper that is put in again.
 */
export interface UnknownBearers {
  has(bearer: string): boolean;
  add(bearer: string): void;
}

/** @param monotonicNow milliseconds on a clock that never jumps */
export function createUnknownBearers(max: number, monotonicNow: () => number): UnknownBearers {
  // By digest: what one gateway refuses may have been a key of a customer until a moment ago.
  const until = new LRUCache<string, number>({ max });
  return {
    has: (bearer) => (until.get(digest(bearer)) ?? 0) > monotonicNow(),
    add: (bearer) => void until.set(digest(bearer), monotonicNow() + keepMs),
  };
}
