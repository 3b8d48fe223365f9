import { LRUCache } from 'lru-cache';
import { countRequests, createRollingHour, type RollingHour } from '../rate-limit/rolling-hour.ts';
import type { AdmissionStore } from './admission.ts';

/**
 * Counts in this process: the default without Redis, and the stand-in while Redis is lost. It hears of no revocation,
 * so it vouches for no kept answer.
 */
export function createInProcessStore(now: () => number, maxCallers: number): AdmissionStore {
  const hours = new LRUCache<string, RollingHour>({ max: maxCallers });

  function hourOf(limitId: string, at: number): RollingHour {
    const existing = hours.get(limitId);
    if (existing !== undefined) return existing;
    const created = createRollingHour(at);
    hours.set(limitId, created);
    return created;
  }

  return {
    admit: async ({ answer, incarnation, wanted }) => {
      if (incarnation !== undefined) return { kind: 'stale', incarnation: undefined };
      const at = now();
      const count = countRequests(hourOf(answer.principal.limitId, at), at, answer.limit, wanted);
      return { kind: 'counted', incarnation: undefined, ...count };
    },
  };
}
