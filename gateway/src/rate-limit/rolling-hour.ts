/*
 * At most `limit` requests in any rolling hour, in constant memory.
 *
 * Requests are counted in one-minute buckets. A bucket counts in full until its last request is an hour old, so whatever
 * the arrival pattern, no hour holds more than is counted. An hour touches at most 61 buckets: a ring of 61 is enough.
 * The price: a request stays counted for at most a minute longer than an hour, so a caller that always takes everything
 * gets no less than limit per 61 minutes, 98.4 % of the promise.
 *
 * `store/admit.lua` is the same rule inside Redis; one trace runs through both in the tests.
 */
export const bucketMs = 60_000;

export const bucketCount = 61;

export const hourMs = 3_600_000;

/** Counts of one caller. */
export interface RollingHour {
  /** The minute that the ring has been moved to. */
  newest: number;
  total: number;
  readonly counts: Uint32Array;
  /** Time of the last request of each bucket, milliseconds. */
  readonly lasts: Float64Array;
}

/** What became of requests that asked to be counted together. */
export interface Count {
  /** How many of them were counted: the first ones. */
  readonly admitted: number;
  /** Counted requests afterwards, these included. */
  readonly used: number;
  /** Milliseconds until the oldest counted requests are forgotten; an hour when nothing is counted. */
  readonly resetMs: number;
  /** Milliseconds until one more request would be admitted; 0 when one would be now. */
  readonly retryMs: number;
}

export function createRollingHour(now: number): RollingHour {
  const counts = new Uint32Array(bucketCount);
  return { newest: minuteOf(now), total: 0, counts, lasts: new Float64Array(bucketCount) };
}

/** Counts up to `wanted` requests at `now` (milliseconds); what the limit refuses is not counted. */
export function countRequests(hour: RollingHour, now: number, limit: number, wanted: number): Count {
  moveTo(hour, minuteOf(now));
  forgetOldest(hour, now);
  const admitted = Math.max(0, Math.min(wanted, limit - hour.total));
  if (admitted > 0) add(hour, now, admitted);
  return { admitted, used: hour.total, ...waits(hour, now, limit) };
}

function minuteOf(now: number): number {
  return Math.floor(now / bucketMs);
}

/** Forgets the buckets that are older than 61 minutes. A clock that went back moves nothing. */
function moveTo(hour: RollingHour, minute: number): void {
  const first = Math.max(hour.newest + 1, minute - bucketCount + 1);
  for (let m = first; m <= minute; m++) forget(hour, m % bucketCount);
  hour.newest = Math.max(hour.newest, minute);
}

/** The oldest bucket is the only one that may reach out of the hour. */
function forgetOldest(hour: RollingHour, now: number): void {
  const slot = (hour.newest + 1) % bucketCount;
  if ((hour.lasts[slot] ?? 0) <= now - hourMs) forget(hour, slot);
}

function forget(hour: RollingHour, slot: number): void {
  hour.total -= hour.counts[slot] ?? 0;
  hour.counts[slot] = 0;
}

function add(hour: RollingHour, now: number, requests: number): void {
  const slot = hour.newest % bucketCount;
  hour.counts[slot] = (hour.counts[slot] ?? 0) + requests;
  hour.lasts[slot] = Math.max(hour.lasts[slot] ?? 0, now, hour.newest * bucketMs);
  hour.total += requests;
}

function waits(hour: RollingHour, now: number, limit: number): Pick<Count, 'resetMs' | 'retryMs'> {
  let left = hour.total;
  let resetMs = 0;
  let retryMs = 0;
  for (let m = hour.newest - bucketCount + 1; m <= hour.newest; m++) {
    const slot = m % bucketCount;
    const count = hour.counts[slot] ?? 0;
    if (count === 0) continue;
    const leavesInMs = (hour.lasts[slot] ?? 0) + hourMs - now;
    if (resetMs === 0) resetMs = leavesInMs;
    if (left < limit) break;
    left -= count;
    retryMs = leavesInMs;
  }
  return { resetMs: resetMs || hourMs, retryMs };
}

/** Minute, count and time of the last request of buckets, newest first. */
export type Buckets = readonly (readonly [minute: number, count: number, last: number])[];

/** The buckets in which something is counted. */
export function bucketsOf(hour: RollingHour): Buckets {
  return Array.from({ length: bucketCount }, (_, age) => hour.newest - age)
    .map((m) => [m, hour.counts[m % bucketCount] ?? 0, hour.lasts[m % bucketCount] ?? 0] as const)
    .filter(([, count]) => count > 0);
}
