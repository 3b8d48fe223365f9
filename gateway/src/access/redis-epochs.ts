import { LRUCache } from 'lru-cache';
import type { CacheableResult } from './authorization-result.ts';
import type { Sequence } from './authorizer.ts';

/*
 * Redis may lose data: flushed, restarted from an old dump, failed over. Each business therefore has an epoch in
 * Redis, a random name drawn whenever its entry is created. A cached result is valid only in an epoch that this
 * gateway had seen before it fetched the result: a revocation that this epoch missed happened earlier, so the result
 * includes it.
 */

/** An epoch that this gateway has seen. */
export interface KnownEpoch {
  readonly name: string;
  /** When it was seen, in the order of events of this process. */
  readonly since: number;
  /** The data of Redis in which it was seen, which may be lost before a request is sent. */
  readonly data: { isLost: boolean };
}

export interface RedisEpochs {
  /** The epoch that can confirm the result; undefined when none can. */
  epochFor(authorization: CacheableResult): KnownEpoch | undefined;
  learn(businessId: number, epoch: string | undefined): void;
  /** After Redis was unreachable: its next reply may come from other data. */
  clear(): void;
}

export function createRedisEpochs(sequence: Sequence, maxBusinesses: number): RedisEpochs {
  const epochs = new LRUCache<number, KnownEpoch>({ max: maxBusinesses });
  let data = { isLost: false };
  return {
    epochFor: ({ principal, requestedAt }) => {
      const entry = epochs.get(principal.businessId);
      return entry !== undefined && entry.since < requestedAt ? entry : undefined;
    },
    learn: (businessId, name) => {
      if (name === undefined || epochs.get(businessId)?.name === name) return;
      epochs.set(businessId, { name, since: sequence(), data });
    },
    clear: () => {
      data.isLost = true;
      data = { isLost: false };
      epochs.clear();
    },
  };
}
