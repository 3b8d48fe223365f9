import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RedisClient } from '@platform/service-kit/redis.ts';
import { z } from 'zod';
import type { Claim, Counted, Stale } from '../access/batcher.ts';
import { type CallerRecord, isCurrent, noteCounted, ownBuckets, type RedisClock } from './local-limiter.ts';
import { commandBudgetMs, type RedisLink } from './redis-link.ts';

/** A script that Redis runs in one step. */
export type Script = (
  redis: RedisClient,
  keys: readonly string[],
  args: readonly (string | number)[],
) => Promise<unknown>;

const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');

const ring = read('ring.lua');

/** Source of each script. */
export const scriptSources = {
  admit: ring + read('admit.lua'),
  settle: ring + read('settle.lua'),
  heartbeat: read('heartbeat.lua'),
};

/** Sent by its digest, and whole to a server that does not know it yet. */
export function createScript(source: string): Script {
  const digest = createHash('sha1').update(source).digest('hex');
  return async (redis, keys, args) => {
    try {
      return await redis.evalsha(digest, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof Error && error.message.includes('NOSCRIPT'))) throw error;
      return await redis.eval(source, keys.length, ...keys, ...args);
    }
  };
}

/** What this gateway does with the ring of one caller. Of these, only one may be under way for a ring. */
export interface RedisRing {
  /**
   * One attempt to count. The ids of all gateways, where they are given, free what is reserved for others.
   * Undefined: the ring lacked what this gateway counted, and has it now; or the clock was wrong. Try again.
   */
  admit(ring: string, record: CallerRecord, claim: Claim, ids?: string): Promise<Attempt | undefined>;
  /**
   * Hands in what this gateway counted. `record.cap` says how many it may still count without asking; with `takesShare` it
   * also gets its share of what is left.
   */
  settle(ring: string, record: CallerRecord, takesShare?: boolean): Promise<void>;
  /** Has anything been counted since this was called last? */
  takeTouched(): boolean;
}

/** `isHeld`: there would have been room, but it is reserved for other gateways. They have been asked to give it back. */
type Attempt = Stale | (Omit<Counted, 'numbers'> & { readonly isHeld: boolean });

interface RedisRingDeps {
  /** Of this gateway: a `g`, then no comma, colon or blank. */
  readonly id: string;
  readonly link: Pick<RedisLink, 'redis' | 'within'>;
  readonly clock: RedisClock;
  /** Ids of all gateways, this one's included. */
  readonly gateways: () => readonly string[];
  readonly scripts: { readonly admit: Script; readonly settle: Script };
}

const n = z.number();

const admitReply = z.union([
  z.tuple([z.literal(3), n, n, n]),
  z.tuple([z.literal(0), n, z.string()]),
  z.tuple([z.literal(2), n, z.string()]),
  z.tuple([z.literal(1), n, z.string(), n, n, n, n, n, n, n]),
]);

const settleReply = z.tuple([z.literal([1, 3]), n, n, n]);

export function createRedisRing(deps: RedisRingDeps): RedisRing {
  const { id, link, clock, gateways, scripts } = deps;
  const deadline = () => clock.now() + commandBudgetMs;
  let touched = false;

  async function sendCounts(
    ring: string,
    record: CallerRecord,
    ours: number,
    how: { readonly isKnown?: boolean; readonly takesShare?: boolean },
  ) {
    const ids = gateways();
    const flags = [how.isKnown ? 1 : 0, how.takesShare ? ids.length : 0];
    const own = [ours, record.cap, record.limit || '', ...flags, `${ids.join()},`];
    const buckets = ours < 0 ? [] : ownBuckets(record).flat();
    for (let attempt = 0; attempt < 2; attempt++) {
      const sent = scripts.settle(link.redis, [ring], [deadline(), id, ...own, ...buckets]);
      const [kind, now, counted, cap] = settleReply.parse(await link.within(sent));
      clock.learn(now);
      if (kind === 1) return { now, counted, cap };
    }
    throw new Error('Redis runs commands too late');
  }

  async function settle(ring: string, record: CallerRecord, takesShare = false): Promise<void> {
    const isKnown = isCurrent(record, clock.now());
    if (record.counted === undefined) {
      // Counted in the dark, under a name that Redis may have met before: only the difference may be added.
      const before = record.pending === 0 ? 0 : Math.max(0, (await sendCounts(ring, record, -1, {})).counted);
      record.counted = before;
      record.cap += before;
    }
    const handedIn = record.pending;
    const ours = record.counted + handedIn;
    const { now, counted, cap } = await sendCounts(ring, record, ours, { isKnown, takesShare });
    record.counted = counted;
    record.cap = Math.max(record.cap, cap);
    record.pending -= handedIn;
    record.contactAt = now;
  }

  function sendClaim(ring: string, record: CallerRecord, claim: Claim, ids: string): Promise<unknown> {
    const { principal, generation, validUntil, limit } = claim.answer;
    const incarnation = claim.incarnation ?? '';
    const vouch = [generation, incarnation, validUntil, limit, claim.wanted, incarnation ? '' : randomUUID()];
    const own = [record.counted ?? 0, record.cap, gateways().length, ids];
    const keys = [`gen:{${principal.businessId}}`, ring];
    return link.within(scripts.admit(link.redis, keys, [deadline(), id, ...vouch, ...own]));
  }

  return {
    settle,
    admit: async (ring, record, claim, ids = '') => {
      if (record.pending > 0) await settle(ring, record);
      const reply = admitReply.parse(await sendClaim(ring, record, claim, ids));
      clock.learn(reply[1]);
      record.limit = claim.answer.limit;
      if (reply[0] === 3) return undefined;
      if (reply[0] === 2) return void (await settle(ring, record));
      if (reply[0] === 0) return { kind: 'stale', incarnation: reply[2] || undefined };
      const [, now, incarnation, admitted, used, resetMs, retryMs, counted, cap, others] = reply;
      noteCounted(record, now, admitted);
      Object.assign(record, { counted, cap, contactAt: now });
      touched = true;
      const isHeld = admitted < claim.wanted && used < claim.answer.limit && others > 0;
      return { kind: 'counted', incarnation, admitted, used, resetMs, retryMs, isHeld };
    },
    takeTouched: () => {
      const was = touched;
      touched = false;
      return was;
    },
  };
}
