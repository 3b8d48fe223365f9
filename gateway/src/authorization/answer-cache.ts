import { hash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Kept, Question } from './answer.ts';

/** An answer with its age, on a clock that never jumps. */
export interface CachedAnswer {
  readonly answer: Kept;
  /** Monotonic milliseconds at which it was asked for. */
  readonly since: number;
  /** Monotonic milliseconds at which asking again failed: until it succeeds, the answer serves on. */
  triedAt: number | undefined;
}

/** Bounded memory of answers, addressed by a digest: no bearer string is kept. */
export type AnswerCache = LRUCache<string, CachedAnswer>;

export function createAnswerCache(maxAnswers: number): AnswerCache {
  return new LRUCache({ max: maxAnswers });
}

const digestKey = randomBytes(32).toString('base64');

/** Where the answer to a question is kept. */
export function digestQuestion({ bearer, clientIp, requiredScope }: Question): string {
  return digest(`${bearer}\n${clientIp}\n${requiredScope}`);
}

/**
 * A digest that only this process can compute: nothing is learnt from it, and nobody chooses it. It is shown to nobody
 * either, so that a hash with the key in front does; createHmac takes five times as long.
 */
export function digest(text: string): string {
  return hash('sha256', digestKey + text, 'base64');
}
