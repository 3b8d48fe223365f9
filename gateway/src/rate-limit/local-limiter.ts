import {
  type Buckets,
  bucketsOf,
  countRequests,
  createRollingHour,
  hourMs,
  type RollingHour,
} from '@platform/service-kit/values/rolling-hour.ts';
import { LRUCache } from 'lru-cache';
import type { AdmissionRequest, Counted, Limiter } from '../access/batcher.ts';

/*
 * A gateway's own state of a credential: its requests in the rolling hour, and how many more Redis has reserved for this
 * gateway. While Redis is unreachable, the gateway counts on from there and stays within its reserve. Redis reserves
 * each request for one gateway only, so together the gateways stay within the limit.
 */

/** State of one credential in this gateway. */
export interface CredentialRecord {
  /** Own requests of the last hour, on the clock of Redis; undefined without any. */
  hour: RollingHour | undefined;
  /** Own requests that Redis had counted at the last contact; undefined before the first contact or without a counter. */
  counted: number | undefined;
  /** Own requests not yet settled in Redis. */
  pending: number;
  /** Command whose reply was lost: Redis may have counted for this gateway beyond `counted`. */
  inDoubt: 'admission' | 'settlement' | undefined;
  /** Reserve: requests that may be counted without Redis, on the scale of `counted`. */
  cap: number;
  /** Time of Redis at the last contact, in milliseconds. */
  contactAt: number;
  /** Limit of the last request; 0 before. */
  limit: number;
  /** Monotonic milliseconds until which reserves of other gateways are not recalled. */
  noRecallBefore: number;
  /** Own requests per hour during the outage that began at `since`. */
  quota: { readonly since: number; readonly requests: number } | undefined;
}

interface LocalLimiterDeps {
  /** Estimated time of Redis in milliseconds. */
  now(): number;
  /** Start of the outage, on that clock. */
  lostAt(): number;
  /** Share of the limit, 0 to 1, for a credential that this gateway has never counted. */
  shareForUnknown(): number;
}

/**
 * Milliseconds of an outage after which requests that leave the rolling hour make room for new ones. After an outage of
 * less than half of that, Redis may miss the counts of some gateways, because those requests are still reserved for them.
 */
export const reuseAfterMs = 20_000;

const unlimited = Number.POSITIVE_INFINITY;

function createCredentialRecord(): CredentialRecord {
  return {
    hour: undefined,
    counted: undefined,
    pending: 0,
    inDoubt: undefined,
    cap: 0,
    contactAt: Number.NEGATIVE_INFINITY,
    limit: 0,
    noRecallBefore: 0,
    quota: undefined,
  };
}

/** Whether the record is recent enough that Redis must have the counter, too. */
export function isCurrent({ counted, contactAt }: CredentialRecord, now: number): boolean {
  return counted !== undefined && now - contactAt < hourMs;
}

/** Whether Redis has never confirmed a count of this credential. Also true while the first settlement is in doubt. */
const isUnconfirmed = ({ contactAt }: CredentialRecord) => contactAt === Number.NEGATIVE_INFINITY;

/** Own buckets of the last hour, newest first. */
export function ownBuckets({ hour }: CredentialRecord): Buckets {
  return hour === undefined ? [] : bucketsOf(hour);
}

/** Adds requests regardless of the limit. */
export function addCounted(record: CredentialRecord, at: number, requests: number): void {
  if (requests === 0) return;
  record.hour ??= createRollingHour(at);
  countRequests(record.hour, at, unlimited, requests);
}

/** Moves all requests to `at`, after they were counted on a clock other than that of Redis. */
function rebaseRecord(record: CredentialRecord, at: number): void {
  const requests = record.hour?.total ?? 0;
  record.hour = undefined;
  record.quota = undefined;
  addCounted(record, at, requests);
}

/** Part of a limit that a new counter in Redis keeps for each gateway, as settle.lua does. */
const firstShare = (limit: number, gateways: number) => Math.floor(limit / Math.max(4, gateways));

/**
 * Called when Redis has no counter. The first settlement creates one and reserves this part of the limit for each gateway,
 * so this gateway may use its part even if the reply is lost.
 * @param at time of Redis
 * @param gateways number of gateways, this one included
 */
export function assumeFirstShare(record: CredentialRecord, at: number, gateways: number): void {
  if (record.counted !== undefined || record.pending > 0) return;
  Object.assign(record, { counted: 0, cap: firstShare(record.limit, gateways), contactAt: at });
}

/** Gives up the reserve or half of it. */
export function shrinkReserve(record: CredentialRecord, part: 'half' | 'all'): void {
  const remaining = part === 'half' ? Math.floor(reserveOf(record) / 2) : 0;
  record.cap = (record.counted ?? 0) + record.pending + remaining;
  record.quota = undefined;
}

/** Own requests that the hour before `now` may hold during an outage. */
function quotaOf(record: CredentialRecord, now: number, limit: number, deps: LocalLimiterDeps): number {
  const isUnknown = isUnconfirmed(record);
  if (isUnknown && deps.shareForUnknown() === 1) {
    // Otherwise the credential would have no reserve if Redis is lost again right after these requests were settled.
    if (record.pending === 0) record.cap = firstShare(limit, 1);
    return limit;
  }
  // A settlement may give up the reserve before Redis counts as reachable. What had left the hour by then is for others.
  const lostAt = Math.max(deps.lostAt(), record.contactAt);
  if (record.quota?.since !== lostAt) {
    if (isUnknown && record.pending === 0) record.cap = Math.floor(limit * deps.shareForUnknown());
    // Also valid for a credential that was not used for an hour: Redis kept its reserve, or no gateway has counted since.
    // If the clock was ahead at that contact, requests counted since must not leave the hour early.
    const used = usedAt(record, Math.min(lostAt, now));
    record.quota = { since: lostAt, requests: used + reserveOf(record) };
  }
  const quota = Math.min(limit, record.quota.requests);
  if (isUnknown || now - lostAt >= reuseAfterMs) return quota;
  // Requests that left the hour during the outage are not free yet.
  return Math.min(quota, usedAt(record, now) + reserveOf(record));
}

function reserveOf({ cap, counted = 0, pending }: CredentialRecord): number {
  return Math.max(0, cap - counted - pending);
}

function usedAt({ hour }: CredentialRecord, at: number): number {
  return hour === undefined ? 0 : countRequests(hour, at, unlimited, 0).used;
}

/** Counts in this process: always without a configured Redis, else while it is unreachable. */
export interface LocalLimiter extends Limiter {
  /** The record of a credential, created when missing. */
  recordOf(key: string): CredentialRecord;
  /** Keys of credentials to settle: with requests that Redis has not counted, or a command in doubt. */
  unsettled(): readonly string[];
  /** A command was in doubt for this key. */
  markUnsettled(key: string): void;
  /** Moves all requests to `at`, after they were counted on a clock other than that of Redis. */
  rebase(at: number): void;
}

/** Milliseconds after which a rejected client may retry during an outage: Redis may be back by then. */
const retryMs = 5_000;

/** Key of a credential's counter in Redis. */
export function rateLimitKey({ principal }: AdmissionRequest['authorization']): string {
  return `requests:{${principal.businessId}}:${principal.limitId}`;
}

/** @param maxCredentials records held; the least recently used is dropped */
export function createLocalLimiter(deps: LocalLimiterDeps, maxCredentials: number): LocalLimiter {
  const toSettle = new Set<string>();
  const records = new LRUCache<string, CredentialRecord>({
    max: maxCredentials,
    dispose: (_record, key) => toSettle.delete(key),
  });

  function recordOf(key: string): CredentialRecord {
    const existing = records.get(key);
    if (existing !== undefined) return existing;
    const created = createCredentialRecord();
    records.set(key, created);
    return created;
  }

  function count(key: string, limit: number, requested: number): Counted {
    const record = recordOf(key);
    const now = deps.now();
    const quota = quotaOf(record, now, limit, deps);
    record.limit = limit;
    record.hour ??= createRollingHour(now);
    const counted = countRequests(record.hour, now, quota, requested);
    if (counted.admitted > 0) {
      record.pending += counted.admitted;
      toSettle.add(key);
    }
    return {
      kind: 'counted',
      epoch: undefined,
      admitted: counted.admitted,
      used: Math.min(limit, limit - quota + counted.used),
      resetMs: counted.resetMs,
      retryMs: quota < limit ? Math.min(counted.retryMs || retryMs, retryMs) : counted.retryMs,
    };
  }

  return {
    recordOf,
    unsettled: () => {
      for (const key of toSettle) {
        const record = records.peek(key);
        if (!record?.pending && !record?.inDoubt) toSettle.delete(key);
      }
      return [...toSettle];
    },
    markUnsettled: (key) => {
      if (records.has(key)) toSettle.add(key);
    },
    rebase: (at) => {
      for (const record of records.values()) rebaseRecord(record, at);
    },
    // It learns of no revocation, so it cannot confirm a cached authorization.
    admit: async (request) => {
      if (request.epoch !== undefined) return { kind: 'stale', epoch: undefined };
      return count(rateLimitKey(request.authorization), request.authorization.limit, request.requested);
    },
  };
}

/** The clock of Redis: its last reported time, continued on a monotonic clock. */
export interface RedisClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Applies a time reported by Redis. Before the first one the clock is that of this process. */
  sync(redisNow: number): void;
}

/** Larger differences are no latency: the clock was set, or belongs to another server. */
const jumpMs = 1_000;

export function createRedisClock(monotonicNow: () => number, wallNow: () => number): RedisClock {
  let offset = wallNow() - monotonicNow();
  return {
    now: () => Math.floor(monotonicNow() + offset),
    sync: (redisNow) => {
      const latest = redisNow - monotonicNow();
      // Slow replies underestimate the offset; the clocks drift by far less than 1 ms per reply.
      offset = Math.abs(latest - offset) > jumpMs ? latest : Math.max(latest, offset - 1);
    },
  };
}
