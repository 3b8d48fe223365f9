import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
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

// A key object: createHmac takes six times as long to prepare the same key from bytes.
const digestKey = createSecretKey(randomBytes(32));

/** Where the answer to a question is kept. */
export function digestQuestion({ bearer, clientIp, requiredScope }: Question): string {
  return digest(`${bearer}\n${clientIp}\n${requiredScope}`);
}

/** A digest that only this process can compute: nothing is learnt from it, and nobody chooses it. */
export function digest(text: string): string {
  return createHmac('sha256', digestKey).update(text).digest('base64');
}
