import type { Allowed, Denied, Kept, Question, Refused } from '../authorization/answer.ts';
import type { Authorizer } from '../authorization/authorizer.ts';
import type { Sequence } from '../authorization/sequence.ts';
import type { AdmitOne, Verdict } from './batcher.ts';
import type { KnownIncarnations } from './known-incarnations.ts';

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
export type Decision =
  | { readonly kind: 'admitted'; readonly answer: Allowed; readonly rateLimit: RateLimitState }
  | { readonly kind: 'denied'; readonly answer: Denied; readonly rateLimit: RateLimitState }
  | { readonly kind: 'limited'; readonly answer: Kept; readonly rateLimit: RateLimitState }
  | { readonly kind: 'refused'; readonly answer: Refused }
  | { readonly kind: 'unavailable' };

export interface GatekeeperDeps {
  readonly authorizer: Authorizer;
  readonly sequence: Sequence;
  readonly known: KnownIncarnations;
  /** Redis; absent when there is none. */
  readonly shared: AdmitOne | undefined;
  /** Counts in this process while Redis cannot be asked. */
  readonly standIn: AdmitOne;
}

/** Decides about a request that begins now. */
export type Gatekeeper = (question: Question) => Promise<Decision>;

/** A credential that changes this often within one request is not worth waiting for. */
const maxAttempts = 4;

export function createGatekeeper(deps: GatekeeperDeps): Gatekeeper {
  const { authorizer, sequence } = deps;
  return async (question) => {
    let since = sequence();
    let answer = await authorizer.recall(question, since);
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      if (answer.outcome === 'unavailable') return { kind: 'unavailable' };
      if (answer.outcome === 'invalid' || answer.outcome === 'expired') return { kind: 'refused', answer };
      const verdict = await admit(deps, answer, answer.askedAt >= since);
      if (verdict.kind === 'counted') return decisionOf(answer, verdict);
      since = sequence();
      answer = await authorizer.askAfter(question, since);
    }
    return { kind: 'unavailable' };
  };
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
    known.forgetAll();
  }
  return isFresh ? standIn(answer, undefined) : { kind: 'stale', incarnation: undefined };
}

function decisionOf(answer: Kept, counted: Extract<Verdict, { kind: 'counted' }>): Decision {
  const { admitted, used, resetMs, retryMs } = counted;
  const rateLimit = { limit: answer.limit, used, resetMs, retryMs };
  if (!admitted) return { kind: 'limited', answer, rateLimit };
  if (answer.outcome !== 'allowed') return { kind: 'denied', answer, rateLimit };
  return { kind: 'admitted', answer, rateLimit };
}
