import { inTime } from '@platform/service-kit/in-time.ts';
import type { Answer, Question, Refused, Unavailable } from './answer.ts';
import { type CachedAnswer, createAnswerCache, digestQuestion } from './answer-cache.ts';
import type { Sequence } from './sequence.ts';
import { createUnknownBearers } from './unknown-bearers.ts';

/** Asks identity-service once. Never rejects: no answer is `unavailable`. */
export type Ask = (question: Question, askedAt: number) => Promise<Answer>;

export interface AuthorizerDeps {
  readonly ask: Ask;
  /** Whether a bearer can have been issued at all: what cannot is not asked about. */
  readonly mayBeIssued: (bearer: string) => boolean;
  readonly sequence: Sequence;
  /** Milliseconds on a monotonic clock. */
  readonly monotonicNow: () => number;
  /** Milliseconds that a request may wait for an answer; each ask takes no longer by itself. */
  readonly budgetMs: number;
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

const invalid: Refused = { outcome: 'invalid' };
const unavailable: Unavailable = { outcome: 'unavailable' };

/** Age in milliseconds at which a kept answer is renewed in the background, and at which it may not serve as it is. */
const renewAfter = 20_000;
const askAgainAfter = 30_000;
/** While identity-service does not answer, it is tried again so often, and nobody waits for it. */
const tryAgainMs = 1_000;
/** A request does not watch the clock over an ask that began with it. */
const toleranceMs = 50;

interface RunningAsk {
  readonly askedAt: number;
  /** Monotonic milliseconds at which it was asked. */
  readonly since: number;
  readonly answer: Promise<Answer>;
}

export function createAuthorizer(deps: AuthorizerDeps): Authorizer {
  const { ask, mayBeIssued, sequence, monotonicNow, budgetMs, maxAnswers } = deps;
  if (maxAnswers === 0) {
    const askAlways = (question: Question) => ask(question, sequence());
    return {
      askAfter: askAlways,
      recall: (question) => (mayBeIssued(question.bearer) ? askAlways(question) : invalid),
    };
  }
  const cache = createAnswerCache(maxAnswers);
  const unknown = createUnknownBearers(maxAnswers, monotonicNow);
  const running = new Map<string, RunningAsk>();

  function start(key: string, question: Question): RunningAsk {
    const askedAt = sequence();
    const since = monotonicNow();
    const answer = ask(question, askedAt).then((received) => {
      running.delete(key);
      if (received.outcome === 'unavailable') return received;
      if (received.outcome === 'invalid') unknown.add(question.bearer);
      if (received.outcome === 'invalid' || received.outcome === 'expired') cache.delete(key);
      else cache.set(key, { answer: received, since, triedAt: undefined });
      return received;
    });
    const asked = { askedAt, since, answer };
    running.set(key, asked);
    return asked;
  }

  // An ask that began before the request did may have read what has been revoked since; only later ones are shared.
  async function askAfter(key: string, question: Question, since: number): Promise<Answer> {
    const earlier = running.get(key);
    if (earlier === undefined) return within(start(key, question), question);
    const answer = await within(earlier, question);
    if (earlier.askedAt >= since || monotonicNow() >= question.beganAt + budgetMs) return answer;
    return askAfter(key, question, since);
  }

  /** The answer, as long as the request may wait for it; others may wait longer for the same. */
  function within(asked: RunningAsk, { beganAt }: Question): Promise<Answer> {
    const isShort = asked.since <= beganAt + toleranceMs;
    if (isShort) return asked.answer;
    const leftMs = Math.max(0, beganAt + budgetMs - monotonicNow());
    return inTime(asked.answer, leftMs).catch(() => unavailable);
  }

  async function askAgain(
    key: string,
    question: Question,
    since: number,
    kept: CachedAnswer,
  ): Promise<Answer> {
    if (kept.triedAt !== undefined) {
      if (monotonicNow() - kept.triedAt >= tryAgainMs && !running.has(key)) {
        kept.triedAt = monotonicNow();
        start(key, question);
      }
      return kept.answer;
    }
    const answer = await askAfter(key, question, since);
    if (answer.outcome !== 'unavailable') return answer;
    kept.triedAt = monotonicNow();
    return kept.answer;
  }

  return {
    askAfter: (question, since) => askAfter(digestQuestion(question), question, since),
    recall: (question, since) => {
      const key = digestQuestion(question);
      const kept = cache.get(key);
      if (kept === undefined) {
        const { bearer } = question;
        return mayBeIssued(bearer) && !unknown.has(bearer) ? askAfter(key, question, since) : invalid;
      }
      const age = monotonicNow() - kept.since;
      if (age >= askAgainAfter) return askAgain(key, question, since, kept);
      if (age >= renewAfter && !running.has(key)) start(key, question);
      return kept.answer;
    },
  };
}
