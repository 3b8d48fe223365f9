import { LRUCache } from 'lru-cache';
import type { AdmissionStore, Claim, Counted } from '../access/batcher.ts';
import {
  type Buckets,
  bucketsOf,
  countRequests,
  createRollingHour,
  hourMs,
  type RollingHour,
} from './rolling-hour.ts';

/*
 * What a gateway knows by itself of a caller that it served: its own part of the caller's rolling hour, and how many
 * requests are reserved for it in Redis. While Redis is lost it goes on from there. Each gateway stays within its own part
 * and its own reserve, and Redis reserves the same request for only one of them, so together they stay within the limit.
 */

/** A caller, as far as this gateway is concerned. */
export interface CallerRecord {
  /** Own requests of the last hour, on Redis's clock; absent when there were none. */
  hour: RollingHour | undefined;
  /** Own requests that Redis had counted at the last contact; undefined before the first one. */
  counted: number | undefined;
  /** Own requests that Redis does not know yet. */
  pending: number;
  /** Up to how many may be counted without asking, on the scale of `counted`. */
  cap: number;
  /** Time of the last contact with Redis about it, milliseconds on Redis's clock. */
  contactAt: number;
  /** Limit that it was last asked about; 0 before. */
  limit: number;
  /** Monotonic time (ms) until which it is not waited for other gateways to give back what is reserved for them. */
  impatientUntil: number;
  /** Own requests that an hour may hold while Redis is lost, and since when it was lost. */
  quota: { readonly since: number; readonly requests: number } | undefined;
}

/** What the limiter is told about the gateways beside it. */
interface Surroundings {
  /** Milliseconds on Redis's clock, as well as this process knows it. */
  now(): number;
  /** Since when (on that clock) Redis is lost. */
  lostAt(): number;
  /** Part of the limit that a caller may use that this gateway has never heard of, between 0 and 1. */
  shareOfUnknown(): number;
}

/**
 * Milliseconds without Redis after which requests that have become an hour old make room for new ones. When Redis has been
 * away for less than half of it, hence, it need not know at once what other gateways counted: it is reserved for them.
 */
export const reuseAfterMs = 20_000;

const unlimited = Number.POSITIVE_INFINITY;

function createCallerRecord(): CallerRecord {
  return {
    hour: undefined,
    counted: undefined,
    pending: 0,
    cap: 0,
    contactAt: Number.NEGATIVE_INFINITY,
    limit: 0,
    impatientUntil: 0,
    quota: undefined,
  };
}

/** Is the record recent enough that Redis must remember the caller, too? */
export function isCurrent({ counted, contactAt }: CallerRecord, now: number): boolean {
  return counted !== undefined && now - contactAt < hourMs;
}

/** Own buckets of the last hour, newest first. */
export function ownBuckets({ hour }: CallerRecord): Buckets {
  return hour === undefined ? [] : bucketsOf(hour);
}

/** Notes that so many requests were counted at a time, whatever the limit. */
export function noteCounted(record: CallerRecord, at: number, requests: number): void {
  if (requests === 0) return;
  record.hour ??= createRollingHour(at);
  countRequests(record.hour, at, unlimited, requests);
}

/** Moves everything to `at`: the clock that it was counted on was not Redis's. */
function rebaseRecord(record: CallerRecord, at: number): void {
  const requests = record.hour?.total ?? 0;
  record.hour = undefined;
  record.quota = undefined;
  noteCounted(record, at, requests);
}

/** Gives back what is reserved, or half of it: so many fewer may be counted without asking. */
export function giveUpReserve(record: CallerRecord, part: 'half' | 'all'): void {
  const kept = part === 'half' ? Math.floor(reserveOf(record) / 2) : 0;
  record.cap = (record.counted ?? 0) + record.pending + kept;
  record.quota = undefined;
}

/** How many own requests the hour before `now` may hold, without Redis. */
function quotaOf(record: CallerRecord, now: number, limit: number, around: Surroundings): number {
  const isUnknown = record.counted === undefined;
  if (isUnknown && around.shareOfUnknown() === 1) return limit;
  const lostAt = around.lostAt();
  if (record.quota?.since !== lostAt) {
    if (isUnknown && record.pending === 0) record.cap = Math.floor(limit * around.shareOfUnknown());
    const reserve = isUnknown || isCurrent(record, lostAt) ? reserveOf(record) : 0;
    record.quota = { since: lostAt, requests: usedAt(record, lostAt) + reserve };
  }
  const quota = Math.min(limit, record.quota.requests);
  if (isUnknown || now - lostAt >= reuseAfterMs) return quota;
  // What has become an hour old meanwhile is not free yet.
  return Math.min(quota, usedAt(record, now) + reserveOf(record));
}

function reserveOf({ cap, counted = 0, pending }: CallerRecord): number {
  return Math.max(0, cap - counted - pending);
}

function usedAt({ hour }: CallerRecord, at: number): number {
  return hour === undefined ? 0 : countRequests(hour, at, unlimited, 0).used;
}

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

/** Redis's clock, as well as this process knows it: its last word, carried on by a clock that never jumps. */
export interface RedisClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Redis has just said what time it is there. Its clock is this process's own before it ever did. */
  learn(redisNow: number): void;
}

/** A difference that no reply can have taken: Redis's clock was set, or it is another server's. */
const jumpMs = 1_000;

export function createRedisClock(monotonicNow: () => number, wallNow: () => number): RedisClock {
  let offset = wallNow() - monotonicNow();
  return {
    now: () => Math.floor(monotonicNow() + offset),
    learn: (redisNow) => {
      const latest = redisNow - monotonicNow();
      // Replies that took longer say less than those that took less; the clocks drift by far less than this.
      offset = Math.abs(latest - offset) > jumpMs ? latest : Math.max(latest, offset - 1);
    },
  };
}
