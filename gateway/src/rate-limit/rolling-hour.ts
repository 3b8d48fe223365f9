/*
 * At most `limit` requests in any rolling hour, in constant memory.
 *
 * Requests are counted in one-minute buckets, and the 61 newest buckets may not hold more than `limit`. Any hour touches
 * at most 61 buckets, so no hour can hold more, whatever the arrival pattern. The price: a request stays counted for 60
 * to 61 minutes, so a caller that always uses everything gets limit per 61 minutes, 98.4 % of the promise.
 *
 * `store/admit.lua` is the same rule inside Redis; one trace runs through both in the tests.
 */

export const bucketMs = 60_000;
export const bucketCount = 61;

/** Counts of one caller. `newest` is the minute that the ring has been moved to. */
export interface RollingHour {
  newest: number;
  total: number;
  readonly counts: Uint32Array;
}

/** What became of requests that asked to be counted together. */
export interface Count {
  /** How many of them were counted: the first ones. */
  readonly admitted: number;
  /** Counted requests afterwards, these included. */
  readonly used: number;
  /** Milliseconds until the oldest counted requests are forgotten; a full bucket when nothing is counted. */
  readonly resetMs: number;
  /** Milliseconds until one more request would be admitted; 0 when one would be now. */
  readonly retryMs: number;
}

export function createRollingHour(now: number): RollingHour {
  return { newest: minuteOf(now), total: 0, counts: new Uint32Array(bucketCount) };
}

/** Counts up to `wanted` requests at `now` (milliseconds); what the limit refuses is not counted. */
export function countRequests(hour: RollingHour, now: number, limit: number, wanted: number): Count {
  moveTo(hour, minuteOf(now));
  const admitted = Math.max(0, Math.min(wanted, limit - hour.total));
  const slot = hour.newest % bucketCount;
  hour.counts[slot] = (hour.counts[slot] ?? 0) + admitted;
  hour.total += admitted;
  return { admitted, used: hour.total, ...waits(hour, now, limit) };
}

function minuteOf(now: number): number {
  return Math.floor(now / bucketMs);
}

/** Forgets the buckets that are older than 61 minutes. A clock that went back moves nothing. */
function moveTo(hour: RollingHour, minute: number): void {
  const first = Math.max(hour.newest + 1, minute - bucketCount + 1);
  for (let m = first; m <= minute; m++) {
    const slot = m % bucketCount;
    hour.total -= hour.counts[slot] ?? 0;
    hour.counts[slot] = 0;
  }
  hour.newest = Math.max(hour.newest, minute);
}

function waits(hour: RollingHour, now: number, limit: number): Pick<Count, 'resetMs' | 'retryMs'> {
  let left = hour.total;
  let resetMs = 0;
  let retryMs = 0;
  for (let m = hour.newest - bucketCount + 1; m <= hour.newest; m++) {
    const count = hour.counts[m % bucketCount] ?? 0;
    if (count === 0) continue;
    const leavesInMs = (m + bucketCount) * bucketMs - now;
    if (resetMs === 0) resetMs = leavesInMs;
    if (left < limit) break;
    left -= count;
    retryMs = leavesInMs;
  }
  return { resetMs: resetMs || bucketMs, retryMs };
}
