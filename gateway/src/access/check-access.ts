import { LRUCache } from 'lru-cache';
import type { Allowed, Denied, Kept, Question, Refused } from './authorization-result.ts';
import type { Authorizer, Sequence } from './authorizer.ts';
import type { AdmitOne, Verdict } from './batcher.ts';

/*
 * Redis may forget: flushed, restarted from an old dump, failed over. What it remembers of a business therefore has a
 * name, its incarnation, drawn anew whenever the memory is. A kept answer holds only in an incarnation that this gateway
 * had seen before it asked: a revocation that this memory missed happened earlier, so the answer already knows of it.
 */
interface Known {
  readonly incarnation: string;
  readonly since: number;
}

interface KnownIncarnations {
  /** The incarnation that may vouch for the answer, if any. */
  voucherOf(answer: Kept): string | undefined;
  learn(businessId: number, incarnation: string | undefined): void;
  /** Redis was out of sight: whatever it says next may come from another memory. */
  forgetAll(): void;
}

export function createKnownIncarnations(sequence: Sequence, maxBusinesses: number): KnownIncarnations {
  const known = new LRUCache<number, Known>({ max: maxBusinesses });
  return {
    voucherOf: ({ principal, askedAt }) => {
      const entry = known.get(principal.businessId);
      return entry !== undefined && entry.since < askedAt ? entry.incarnation : undefined;
    },
    learn: (businessId, incarnation) => {
      if (incarnation === undefined || known.get(businessId)?.incarnation === incarnation) return;
      known.set(businessId, { incarnation, since: sequence() });
    },
    forgetAll: () => known.clear(),
  };
}

/** State of a caller's rolling hour after one of its requests. */
export interface RateLimitState {
  readonly limit: number;
  /** Requests counted in it, this one included if it was. */
  readonly used: number;
  /** Milliseconds until the oldest counted requests are forgotten. */
  readonly resetMs: number;
  /** Milliseconds until one more request would be admitted. */
  readonly retryMs: number;
}

/** What is to happen to a request. */
type Decision =
  | { readonly kind: 'admitted'; readonly answer: Allowed; readonly rateLimit: RateLimitState }
  | { readonly kind: 'denied'; readonly answer: Denied; readonly rateLimit: RateLimitState }
  | { readonly kind: 'limited'; readonly answer: Kept; readonly rateLimit: RateLimitState }
  | { readonly kind: 'refused'; readonly answer: Refused }
  | { readonly kind: 'unavailable' };

interface GatekeeperDeps {
  readonly authorizer: Authorizer;
  readonly sequence: Sequence;
  readonly known: KnownIncarnations;
  /** Redis; absent when there is none. */
  readonly shared: AdmitOne | undefined;
  /** Counts in this process while Redis cannot be asked. */
  readonly standIn: AdmitOne;
  /** Resolves to whether Redis, which did not answer this request in time, can be asked again. */
  readonly untilShared: (question: Question) => Promise<boolean>;
}

const unavailable: Decision = { kind: 'unavailable' };

/** Decides about a request that begins now. */
export type Gatekeeper = (question: Question) => Promise<Decision>;

/** A credential that changes this often within one request is not worth waiting for. */
const maxAttempts = 4;

export function createGatekeeper(deps: GatekeeperDeps): Gatekeeper {
  const { authorizer, sequence } = deps;

  async function decide(question: Question, whenSilent: () => Promise<Decision>): Promise<Decision> {
    let since = sequence();
    let answer = await authorizer.recall(question, since);
    let isUnvouched = false;
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      if (answer.outcome === 'unavailable') return isUnvouched ? whenSilent() : unavailable;
      if (isRefused(answer)) return { kind: 'refused', answer };
      const verdict = await admit(deps, answer, answer.askedAt >= since);
      if (verdict.kind === 'counted') return decisionOf(answer, verdict);
      isUnvouched = verdict.kind === 'unavailable';
      since = sequence();
      answer = await authorizer.askAfter(question, since);
    }
    return unavailable;
  }

  // Neither service answers: a kept answer serves on, once Redis can vouch for it.
  return (question) =>
    decide(question, async () =>
      (await deps.untilShared(question)) ? decide(question, async () => unavailable) : unavailable,
    );
}

function isRefused(answer: Kept | Refused): answer is Refused {
  return answer.outcome === 'invalid' || answer.outcome === 'expired';
}

/** Vouch and count in one step; an answer asked for after the request began needs no voucher. */
async function admit(deps: GatekeeperDeps, answer: Kept, isFresh: boolean): Promise<Verdict> {
  const { shared, standIn, known } = deps;
  const incarnation = isFresh ? undefined : known.voucherOf(answer);
  if (!isFresh && incarnation === undefined) return { kind: 'stale', incarnation };
  if (shared !== undefined) {
    const verdict = await shared(answer, incarnation);
    if (verdict.kind !== 'unavailable') {
      known.learn(answer.principal.businessId, verdict.incarnation);
      return verdict;
    }
  }
  return isFresh ? standIn(answer, undefined) : { kind: 'unavailable' };
}

function decisionOf(answer: Kept, counted: Extract<Verdict, { kind: 'counted' }>): Decision {
  const { admitted, used, resetMs, retryMs } = counted;
  const rateLimit = { limit: answer.limit, used, resetMs, retryMs };
  if (!admitted) return { kind: 'limited', answer, rateLimit };
  if (answer.outcome !== 'allowed') return { kind: 'denied', answer, rateLimit };
  return { kind: 'admitted', answer, rateLimit };
}

/** Asks anew, for a request that is long under way, whether it would be let in now. */
export type Recheck = (question: Question) => () => Promise<boolean>;

interface RecheckDeps {
  readonly authorizer: Pick<Authorizer, 'askAfter'>;
  readonly sequence: Sequence;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly monotonicNow: () => number;
}

/**
 * Each request gets a check of its own. While identity-service does not answer, what it said last holds until the
 * passport or the credential would have ended; requests of one credential share their calls.
 */
export function createRecheck({ authorizer, sequence, now, monotonicNow }: RecheckDeps): Recheck {
  return (question) => {
    let validUntil = Number.POSITIVE_INFINITY;
    return async () => {
      const answer = await authorizer.askAfter({ ...question, beganAt: monotonicNow() }, sequence());
      if (answer.outcome === 'allowed') validUntil = answer.validUntil;
      else if (answer.outcome !== 'unavailable') return false;
      return now() < validUntil;
    };
  };
}
