import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RedisClient } from '@platform/service-kit/redis/redis.ts';
import { followSlot } from '@platform/service-kit/redis/redis-slots.ts';
import { z } from 'zod';
import type { AdmissionRequest, Counted, Stale } from '../access/batcher.ts';
import {
  addCounted,
  assumeFirstShare,
  type CredentialRecord,
  isCurrent,
  ownBuckets,
  type RedisClock,
} from './local-limiter.ts';
import type { RedisLink } from './redis-link.ts';

/** A Lua script; Redis runs it atomically. */
export type Script = (
  redis: RedisClient,
  keys: readonly string[],
  args: readonly (string | number)[],
) => Promise<unknown>;

const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');

const prefix = read('rolling-hour.lua');

export const scriptSources = {
  admit: prefix + read('admit.lua'),
  settle: prefix + read('settle.lua'),
  heartbeat: read('heartbeat.lua'),
};

export type Scripts = Readonly<Record<keyof typeof scriptSources, Script>>;

/**
 * @param limitMs milliseconds for which a slot that moves is followed
 * @param transform applied to each source; tests replace the clock
 */
export function createScripts(limitMs: number, transform = (source: string) => source): Scripts {
  const create = (source: string) => createScript(transform(source), limitMs);
  const { admit, settle, heartbeat } = scriptSources;
  return { admit: create(admit), settle: create(settle), heartbeat: create(heartbeat) };
}

/** Runs the script by its digest, and sends its source to a server that does not have it. */
function createScript(source: string, limitMs: number): Script {
  const digest = createHash('sha1').update(source).digest('hex');
  return async (redis, keys, args) => {
    try {
      const run = (server: RedisClient) => server.evalsha(digest, keys.length, ...keys, ...args);
      return await followSlot(redis, run, limitMs);
    } catch (error) {
      if (!(error instanceof Error && error.message.includes('NOSCRIPT'))) throw error;
      const run = (server: RedisClient) => server.eval(source, keys.length, ...keys, ...args);
      return await followSlot(redis, run, limitMs);
    }
  };
}

/** The counter of one credential in Redis. At most one operation per key may be in progress. */
export interface RedisRollingHour {
  /**
   * One attempt to count.
   * @param dropsGone drops the reserves of gateways that are gone, and of those that neither settled nor are active
   * @returns undefined to try again: the counter lacked requests of this gateway, which are settled now, or the
   * deadline had passed
   */
  admit(
    key: string,
    record: CredentialRecord,
    request: AdmissionRequest,
    dropsGone?: boolean,
  ): Promise<CountedAttempt | Stale | undefined>;
  /**
   * Settles the requests of this gateway. `record.cap` keeps its reserve; with `takesShare` it also gets its share of
   * the rest.
   */
  settle(key: string, record: CredentialRecord, takesShare?: boolean): Promise<void>;
  /** Whether anything was counted since the last call. */
  takeTouched(): boolean;
}

/** `isReservedElsewhere`: there is room, but reserved for other gateways, which have been recalled. */
export type CountedAttempt = Omit<Counted, 'usedPerRequest'> & { readonly isReservedElsewhere: boolean };

interface RedisRollingHourDeps {
  /** Of this gateway: a `g`, then no comma, colon or blank. */
  readonly id: string;
  readonly link: Pick<RedisLink, 'redis' | 'timeoutMs' | 'withTimeout'>;
  readonly clock: RedisClock;
  /** Ids of all gateways, including this one. */
  readonly gatewayIds: () => readonly string[];
  /** Those of them that have sent a heartbeat within two seconds. */
  readonly activeIds: () => readonly string[];
  /** Number of gateways that share what is left of a limit. */
  readonly sharers: () => number;
  readonly scripts: Pick<Scripts, 'admit' | 'settle'>;
}

/** First entry of what a script returns, named as in rolling-hour.lua. */
const verdicts = { stale: 0, counted: 1, missing: 2, late: 3 } as const;

const n = z.number();

/** The counter lacks requests of this gateway: time, epoch, 1 when there is a counter. */
const missingReply = z.tuple([z.literal(verdicts.missing), n, z.string(), n]);

type MissingReply = z.output<typeof missingReply>;

/** The most frequent one first: they are tried in turn. */
const admitReply = z.union([
  z.tuple([z.literal(verdicts.counted), n, z.string(), n, n, n, n, n, n, n]),
  z.tuple([z.literal(verdicts.late), n, n, n]),
  z.tuple([z.literal(verdicts.stale), n, z.string()]),
  missingReply,
]);

const settleReply = z.tuple([z.literal([verdicts.counted, verdicts.late]), n, n, n]);

type Settle = RedisRollingHour['settle'];

function createSettle(deps: RedisRollingHourDeps): Settle {
  const { id, link, clock, gatewayIds, sharers, scripts } = deps;

  async function sendCounts(
    key: string,
    record: CredentialRecord,
    total: number,
    options: { readonly isKnown?: boolean; readonly takesShare?: boolean; readonly known?: number },
  ) {
    const ids = gatewayIds();
    const flags = [options.isKnown ? 1 : 0, options.takesShare ? sharers() : 0];
    const ownArgs = [total, record.cap, record.limit || '', ...flags, `${ids.join()},`, options.known ?? -1];
    const buckets = total < 0 ? [] : ownBuckets(record).flat();
    for (let attempt = 0; attempt < 2; attempt++) {
      const args = [clock.now() + link.timeoutMs, id, ...ownArgs, ...buckets];
      const sent = scripts.settle(link.redis, [key], args);
      const [verdict, now, counted, cap] = settleReply.parse(await link.withTimeout(sent));
      clock.sync(now);
      if (verdict === verdicts.counted) return { now, counted, cap };
    }
    throw new Error('redis runs commands after their deadline');
  }

  return async (key, record, takesShare = false) => {
    const isKnown = isCurrent(record, clock.now());
    const knownBefore = record.counted ?? -1;
    if (record.counted === undefined) {
      // Redis may already know requests of this gateway from before the outage, so only the difference may be added.
      const before = record.pending === 0 ? 0 : Math.max(0, (await sendCounts(key, record, -1, {})).counted);
      record.counted = before;
      record.cap += before;
    }
    const settled = record.pending;
    const total = record.counted + settled;
    // After a settlement in doubt Redis may already have these requests. It must not take them back.
    const known = knownBefore >= 0 && record.inDoubt === 'settlement' ? total : knownBefore;
    record.inDoubt = 'settlement';
    const { now, counted, cap } = await sendCounts(key, record, total, { isKnown, takesShare, known });
    record.inDoubt = undefined;
    // Redis has no counter and creates none without a limit, so nothing is confirmed for this credential.
    if (counted < 0) return void Object.assign(record, { counted: undefined, cap: record.cap - total });
    record.counted = counted;
    record.cap = Math.max(record.cap, cap);
    record.pending -= settled;
    record.contactAt = now;
  };
}

export function createRedisRollingHour(deps: RedisRollingHourDeps): RedisRollingHour {
  const { id, link, clock, gatewayIds, activeIds, sharers, scripts } = deps;
  const settle = createSettle(deps);
  let touched = false;

  function sendRequest(
    key: string,
    record: CredentialRecord,
    request: AdmissionRequest,
    dropsGone: boolean,
  ): Promise<unknown> {
    const { principal, generation, validUntil, limit } = request.authorization;
    const epoch = request.epoch?.name ?? '';
    const newEpoch = epoch ? '' : randomUUID();
    const requestArgs = [generation, epoch, validUntil, limit, request.requested, newEpoch];
    const ids = gatewayIds();
    const lists = dropsGone ? [ids, activeIds()].map((list) => `${list.join()},`) : ['', ''];
    const ownArgs = [record.counted ?? -1, record.cap, sharers(), ...lists];
    const keys = [`gen:{${principal.businessId}}`, key];
    const args = [clock.now() + link.timeoutMs, id, ...requestArgs, ...ownArgs];
    return link.withTimeout(scripts.admit(link.redis, keys, args));
  }

  async function settleMissing(key: string, record: CredentialRecord, [, now, , exists]: MissingReply) {
    if (exists === 0) assumeFirstShare(record, now, gatewayIds().length);
    await settle(key, record, true);
  }

  return {
    settle,
    admit: async (key, record, request, dropsGone = false) => {
      if (record.pending > 0) await settle(key, record);
      // Redis may have been lost while this request waited: its new data may have the same epoch and an older generation.
      if (request.epoch?.data.isLost) return { kind: 'stale', epoch: undefined };
      const { inDoubt } = record;
      record.inDoubt = 'admission';
      const reply = admitReply.parse(await sendRequest(key, record, request, dropsGone));
      record.inDoubt = reply[0] === verdicts.counted ? undefined : inDoubt;
      clock.sync(reply[1]);
      record.limit = request.authorization.limit;
      if (reply[0] === verdicts.late) return undefined;
      if (reply[0] === verdicts.missing) return void (await settleMissing(key, record, reply));
      if (reply[0] === verdicts.stale) return { kind: 'stale', epoch: reply[2] || undefined };
      const [, now, epoch, admitted, used, resetMs, retryMs, counted, cap, reservedElsewhere] = reply;
      addCounted(record, now, admitted);
      Object.assign(record, { counted, cap, contactAt: now });
      touched = true;
      const isShort = admitted < request.requested && used < request.authorization.limit;
      const isReservedElsewhere = isShort && reservedElsewhere > 0;
      return { kind: 'counted', epoch, admitted, used, resetMs, retryMs, isReservedElsewhere };
    },
    takeTouched: () => {
      const wasTouched = touched;
      touched = false;
      return wasTouched;
    },
  };
}
