import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Allowed, Question } from './answer.ts';

/** An answer with its age, on a clock that never jumps. */
export interface CachedAnswer {
  readonly answer: Allowed;
  /** Monotonic milliseconds at which it was asked for. */
  readonly since: number;
  /** Monotonic milliseconds until which it may serve although it should be asked for again. */
  graceUntil: number;
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
  return createHmac('sha256', digestKey).update(`${bearer}\n${clientIp}\n${requiredScope}`).digest('base64');
}
