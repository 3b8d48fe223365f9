import { LRUCache } from 'lru-cache';
import type { Kept } from '../authorization/answer.ts';
import type { Sequence } from '../authorization/sequence.ts';

/*
 * Redis may forget: flushed, restarted from an old dump, failed over. What it remembers of a business therefore has a
 * name, its incarnation, drawn anew whenever the memory is. A kept answer holds only in an incarnation that this gateway
 * had seen before it asked: a revocation that this memory missed happened earlier, so the answer already knows of it.
 */

interface Known {
  readonly incarnation: string;
  readonly since: number;
}

export interface KnownIncarnations {
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
