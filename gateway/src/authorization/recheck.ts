import type { Question } from './answer.ts';
import type { Authorizer } from './authorizer.ts';
import type { Sequence } from './sequence.ts';

/** Asks anew, for a request that is long under way, whether it would be let in now. */
export type Recheck = (question: Question) => () => Promise<boolean>;

export interface RecheckDeps {
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
