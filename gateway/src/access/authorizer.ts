import { hash, randomBytes } from 'node:crypto';
import { inTime } from '@platform/service-kit/in-time.ts';
import { LRUCache } from 'lru-cache';
import type { Answer, Kept, Question, Refused, Unavailable } from './authorization-result.ts';

/** An answer with its age, on a clock that never jumps. */
interface CachedAnswer {
  readonly answer: Kept;
  /** Monotonic milliseconds at which it was asked for. */
  readonly since: number;
  /** Monotonic milliseconds at which asking again failed: until it succeeds, the answer serves on. */
  triedAt: number | undefined;
}

/** Bounded memory of answers, addressed by a digest: no bearer string is kept. */
type AnswerCache = LRUCache<string, CachedAnswer>;

function createAnswerCache(maxAnswers: number): AnswerCache {
  return new LRUCache({ max: maxAnswers });
}

const digestKey = randomBytes(32).toString('base64');

/** Where the answer to a question is kept. */
function digestQuestion({ bearer, clientIp, requiredScope }: Question): string {
  return digest(`${bearer}\n${clientIp}\n${requiredScope}`);
}

/**
 * A digest that only this process can compute: nothing is learnt from it, and nobody chooses it. It is shown to nobody
 * either, so that a hash with the key in front does; createHmac takes five times as long.
 */
function digest(text: string): string {
  return hash('sha256', digestKey + text, 'base64');
}

/** Milliseconds for which a bearer that identity-service does not know is refused without asking again. */
const keepMs = 10_000;

/**
 * Bearers that identity-service has just called invalid. Unlike an answer that lets requests in, this one needs no
 * voucher: identity-service draws a credential at random and tells nobody before it is stored, so a bearer that was
 * asked about is either no credential and never will be (the chance is 1 in 2^196), or one that is over, and none comes
 * back. The short time is for operators: a backup that is restored, a pepper that is put in again.
 */
interface UnknownBearers {
  has(bearer: string): boolean;
  add(bearer: string): void;
}

/** @param monotonicNow milliseconds on a clock that never jumps */
function createUnknownBearers(max: number, monotonicNow: () => number): UnknownBearers {
  // By digest: what one gateway refuses may have been a key of a customer until a moment ago.
  const until = new LRUCache<string, number>({ max });
  return {
    has: (bearer) => (until.get(digest(bearer)) ?? 0) > monotonicNow(),
    add: (bearer) => void until.set(digest(bearer), monotonicNow() + keepMs),
  };
}

/**
 * A counter that orders what happens inside this process. Unlike a clock it never stands still: of two moments, the
 * later one is greater.
 */
export type Sequence = () => number;

export function createSequence(): Sequence {
  let last = 0;
  return () => ++last;
}

/** Asks identity-service once. Never rejects: no answer is `unavailable`. */
export type Ask = (question: Question, askedAt: number) => Promise<Answer>;

interface AuthorizerDeps {
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
