import { LRUCache } from 'lru-cache';
import type { AdmissionStore, Claim, Counted } from '../admission/admission.ts';
import {
  type CallerRecord,
  createCallerRecord,
  quotaOf,
  rebaseRecord,
  type Surroundings,
} from './caller-record.ts';
import { countRequests, createRollingHour } from './rolling-hour.ts';

/** Counts in this process: always where there is no Redis, else while it is lost. */
export interface LocalLimiter extends AdmissionStore {
  /** The record of a caller, made where there is none. */
  recordOf(ring: string): CallerRecord;
  /** Callers with requests that Redis does not know yet. */
  pending(): readonly string[];
  /** Moves everything counted so far to `at`: the clock that it was counted on was not Redis's. */
  rebase(at: number): void;
}

/** How soon (ms) a caller may try again that this gateway alone cannot admit: Redis may be back by then. */
const retryMs = 5_000;

/** Key of a caller's ring in Redis. */
export function ringOf({ principal }: Claim['answer']): string {
  return `requests:{${principal.businessId}}:${principal.limitId}`;
}

/** For callers up to `maxCallers`; others are forgotten, the least recently used first. */
export function createLocalLimiter(surroundings: Surroundings, maxCallers: number): LocalLimiter {
  const withPending = new Set<string>();
  const records = new LRUCache<string, CallerRecord>({
    max: maxCallers,
    dispose: (_record, ring) => withPending.delete(ring),
  });

  function recordOf(ring: string): CallerRecord {
    const existing = records.get(ring);
    if (existing !== undefined) return existing;
    const created = createCallerRecord();
    records.set(ring, created);
    return created;
  }

  function count(ring: string, limit: number, wanted: number): Counted {
    const record = recordOf(ring);
    const now = surroundings.now();
    const quota = quotaOf(record, now, limit, surroundings);
    record.limit = limit;
    record.hour ??= createRollingHour(now);
    const counted = countRequests(record.hour, now, quota, wanted);
    if (counted.admitted > 0) {
      record.pending += counted.admitted;
      withPending.add(ring);
    }
    return {
      kind: 'counted',
      incarnation: undefined,
      admitted: counted.admitted,
      used: Math.min(limit, limit - quota + counted.used),
      resetMs: counted.resetMs,
      retryMs: quota < limit ? Math.min(counted.retryMs || retryMs, retryMs) : counted.retryMs,
    };
  }

  return {
    recordOf,
    pending: () => {
      for (const ring of withPending) if (!records.peek(ring)?.pending) withPending.delete(ring);
      return [...withPending];
    },
    rebase: (at) => {
      for (const record of records.values()) rebaseRecord(record, at);
    },
    // It hears of no revocation, so it vouches for no kept answer.
    admit: async (claim) => {
      if (claim.incarnation !== undefined) return { kind: 'stale', incarnation: undefined };
      return count(ringOf(claim.answer), claim.answer.limit, claim.wanted);
    },
  };
}
