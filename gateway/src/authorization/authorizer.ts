import type { Answer, Question } from './answer.ts';
import { type CachedAnswer, createAnswerCache, digestQuestion } from './answer-cache.ts';
import type { Sequence } from './sequence.ts';

/** Asks identity-service once. Never rejects: no answer is `unavailable`. */
export type Ask = (question: Question, askedAt: number) => Promise<Answer>;

export interface AuthorizerDeps {
  readonly ask: Ask;
  readonly sequence: Sequence;
  /** Milliseconds on a monotonic clock. */
  readonly monotonicNow: () => number;
  /** Answers kept; 0 keeps and shares none, so that every request asks for itself. */
  readonly maxAnswers: number;
}

/** Where a request gets the answer that decides about it. */
export interface Authorizer {
  /** A kept answer, or one asked for after `since`. Whether a kept one still holds, Redis must say. */
  recall(question: Question, since: number): Promise<Answer> | Answer;
  /** An answer asked for after `since`. */
  askAfter(question: Question, since: number): Promise<Answer>;
}

/** Age in milliseconds at which a kept answer is renewed in the background, and at which it may not serve as it is. */
const renewAfter = 20_000;
const askAgainAfter = 30_000;
/** While identity-service does not answer, one request per key and so many milliseconds tries it again. */
const graceMs = 1_000;

interface RunningAsk {
  readonly askedAt: number;
  readonly answer: Promise<Answer>;
}

export function createAuthorizer(deps: AuthorizerDeps): Authorizer {
  const { ask, sequence, monotonicNow, maxAnswers } = deps;
  if (maxAnswers === 0) {
    const askAlways = (question: Question) => ask(question, sequence());
    return { askAfter: askAlways, recall: askAlways };
  }
  const cache = createAnswerCache(maxAnswers);
  const running = new Map<string, RunningAsk>();

  function start(key: string, question: Question): RunningAsk {
    const askedAt = sequence();
    const since = monotonicNow();
    const answer = ask(question, askedAt).then((received) => {
      running.delete(key);
      if (received.outcome === 'allowed') {
        cache.set(key, { answer: received, since, graceUntil: 0 });
      } else if (received.outcome !== 'unavailable') {
        cache.delete(key);
      }
      return received;
    });
    const asked = { askedAt, answer };
    running.set(key, asked);
    return asked;
  }

  // An ask that began before the request did may have read what has been revoked since; only later ones are shared.
  async function askAfter(key: string, question: Question, since: number): Promise<Answer> {
    const earlier = running.get(key);
    if (earlier === undefined) return start(key, question).answer;
    const answer = await earlier.answer;
    if (earlier.askedAt >= since || answer.outcome === 'unavailable') return answer;
    return askAfter(key, question, since);
  }

  async function askAgain(
    key: string,
    question: Question,
    since: number,
    kept: CachedAnswer,
  ): Promise<Answer> {
    if (monotonicNow() < kept.graceUntil) return kept.answer;
    const answer = await askAfter(key, question, since);
    if (answer.outcome !== 'unavailable') return answer;
    kept.graceUntil = monotonicNow() + graceMs;
    return kept.answer;
  }

  return {
    askAfter: (question, since) => askAfter(digestQuestion(question), question, since),
    recall: (question, since) => {
      const key = digestQuestion(question);
      const kept = cache.get(key);
      if (kept === undefined) return askAfter(key, question, since);
      const age = monotonicNow() - kept.since;
      if (age >= askAgainAfter) return askAgain(key, question, since, kept);
      if (age >= renewAfter && !running.has(key)) start(key, question);
      return kept.answer;
    },
  };
}
