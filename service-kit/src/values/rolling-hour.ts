/*
 * At most `limit` requests in any rolling hour, in constant memory.
 *
 * Requests are counted in one-minute buckets. A bucket counts in full until its last request is an hour old, so no
 * hour holds more than is counted, for any arrival pattern. An hour touches at most 61 buckets: a ring buffer of 61
 * is enough. The cost: a request stays counted for up to 61 minutes, so a client that always uses its whole limit
 * gets it once per 61 minutes, 98.4 % of the promise.
 *
 * `admit.lua` of the gateway is the same rule inside Redis; tests run random traces through both.
 */
export const bucketMs = 60_000;

const bucketCount = 61;

export const hourMs = 3_600_000;

/** Counts of one credential. */
export interface RollingHour {
  /** Minute of the newest bucket. */
  newest: number;
  total: number;
  readonly counts: Uint32Array;
  /** Time of the last request in each bucket, milliseconds. */
  readonly lasts: Float64Array;
}

interface CountResult {
  /** Requests admitted, out of those requested. */
  readonly admitted: number;
  /** Requests in the hour, these included. */
  readonly used: number;
  /** Milliseconds until the oldest requests leave the hour; an hour when there are none. */
  readonly resetMs: number;
  /** Milliseconds until one more request would be admitted; 0 when one would be now. */
  readonly retryMs: number;
}

export function createRollingHour(now: number): RollingHour {
  const counts = new Uint32Array(bucketCount);
  return { newest: minuteOf(now), total: 0, counts, lasts: new Float64Array(bucketCount) };
}

/** Counts up to `requested` requests at `now` (milliseconds); rejected ones are not counted. */
export function countRequests(hour: RollingHour, now: number, limit: number, requested: number): CountResult {
  if (hour.newest >= minuteOf(now) + bucketCount) moveBack(hour, now);
  moveTo(hour, minuteOf(now));
  forgetOldest(hour, now);
  const admitted = Math.max(0, Math.min(requested, limit - hour.total));
  if (admitted > 0) add(hour, now, admitted);
  return { admitted, used: hour.total, ...waitTimes(hour, now, limit) };
}

function minuteOf(now: number): number {
  return Math.floor(now / bucketMs);
}

/**
 * Handles a clock that was more than an hour ahead by moving all requests into the minute of `now`. No request frees room
 * early, because none is younger, and all leave within an hour, not only when the clock reaches the earlier time.
 */
function moveBack(hour: RollingHour, now: number): void {
  const { total } = hour;
  hour.counts.fill(0);
  hour.lasts.fill(0);
  Object.assign(hour, { newest: minuteOf(now), total: 0 });
  add(hour, now, total);
}

/** Clears buckets older than 61 minutes. A clock that went back clears nothing. */
function moveTo(hour: RollingHour, minute: number): void {
  const first = Math.max(hour.newest + 1, minute - bucketCount + 1);
  for (let m = first; m <= minute; m++) forget(hour, m % bucketCount);
  hour.newest = Math.max(hour.newest, minute);
}

/** Only the oldest bucket can have left the hour. */
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

function waitTimes(hour: RollingHour, now: number, limit: number): Pick<CountResult, 'resetMs' | 'retryMs'> {
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

/** Minute, count and time of the last request of each bucket, newest first. */
export type Buckets = readonly (readonly [minute: number, count: number, last: number])[];

/** Non-empty buckets. */
export function bucketsOf(hour: RollingHour): Buckets {
  return Array.from({ length: bucketCount }, (_, age) => hour.newest - age)
    .map((m) => [m, hour.counts[m % bucketCount] ?? 0, hour.lasts[m % bucketCount] ?? 0] as const)
    .filter(([, count]) => count > 0);
}
