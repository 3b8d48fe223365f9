import { z } from 'zod';
import type { Limiter } from '../access/batcher.ts';
import { createLocalLimiter, createRedisClock, reuseAfterMs } from './local-limiter.ts';
import { createRedisLimiter, type RedisLimiter } from './redis-limiter.ts';
import type { RedisLink } from './redis-link.ts';
import { createRedisRollingHour, type Scripts } from './redis-rolling-hour.ts';

/*
 * Membership: the gateways that count in one Redis. Each sends a heartbeat every 200 ms and remembers its peers,
 * because an empty Redis does not.
 */
interface Membership {
  /** Ids of all gateways, this one first, then those that were heard of last. */
  ids(): readonly string[];
  /** Those of them that have sent a heartbeat within about `maxPeerWaitMs`. */
  activeIds(): string[];
  /**
   * Applies a heartbeat's reply.
   * @returns the time of Redis in milliseconds
   */
  applyHeartbeat(reply: unknown): number;
  /** Redis has become unreachable. */
  markLost(): void;
  /**
   * Whether every peer has sent a heartbeat since Redis became reachable; silent peers are waited for
   * `maxPeerWaitMs`.
   */
  allReported(): boolean;
  /** Number of gateways that share what is left of a limit; at least four are assumed until all have had time to be heard of. */
  sharers(): number;
  /** See `LocalLimiterDeps.shareForUnknown`. */
  shareForUnknown(): number;
}

/** Milliseconds to wait for a silent peer. */
const maxPeerWaitMs = 2_000;

/** Own heartbeats (30 s of them) after which a silent peer counts as gone. */
const maxMissedBeats = 150;

/** Own heartbeats (2 s of them) after which a silent peer is not waited for. */
const maxSilentBeats = 10;

/** Milliseconds from the first contact in which gateways that started together hear of each other. */
const introductionMs = 1_000;

/** Gateways that are assumed where nothing is known of them. */
const assumedGateways = 4;

/** TTL of a counter in Redis: a gateway that has been up this long has heard of every credential in use. */
const keyTtlMs = 3_720_000;

/** Share of the limit while only peers may know a credential. */
const lateShare = 1 / 16;

const replyShape = z.tuple([z.number()], z.string());

interface Peer {
  /** Time of Redis at its last heartbeat, in milliseconds. */
  lastBeatAt: number;
  /** Own heartbeats since `lastBeatAt` changed. */
  missed: number;
}

function createMembership(ownId: string, monotonicNow: () => number): Membership {
  const peers = new Map<string, Peer>();
  /** Time of Redis, and monotonic time, at the first reply after Redis became reachable. */
  let contact: { readonly at: number; readonly since: number } | undefined;
  /** Monotonic time from which on this gateway has heard of every credential that any gateway counted. */
  let completeFrom: number | undefined;
  let ids: readonly string[] = [ownId];
  let introducedFrom = Number.POSITIVE_INFINITY;

  function updatePeer(id: string, lastBeatAt: number): void {
    const known = peers.get(id);
    if (lastBeatAt < 0) peers.delete(id);
    else if (known?.lastBeatAt !== lastBeatAt) peers.set(id, { lastBeatAt, missed: 0 });
  }

  const heardWithin = (beats: number) => [...peers].filter(([, { missed }]) => missed <= beats);
  const present = () => heardWithin(maxMissedBeats);

  function allReported(): boolean {
    if (contact === undefined) return false;
    const { at, since } = contact;
    return (
      monotonicNow() - since >= maxPeerWaitMs || present().every(([, { lastBeatAt }]) => lastBeatAt > at)
    );
  }

  return {
    ids: () => ids,
    activeIds: () => [ownId, ...heardWithin(maxSilentBeats).map(([id]) => id)],
    applyHeartbeat: (reply) => {
      const [now, ...fields] = replyShape.parse(reply);
      contact ??= { at: now, since: monotonicNow() };
      introducedFrom = Math.min(introducedFrom, monotonicNow() + introductionMs);
      let touchedAt = Number.NEGATIVE_INFINITY;
      for (let i = 0; i + 1 < fields.length; i += 2) {
        const [id = '', time] = [fields[i], Number(fields[i + 1])];
        if (id === 'touched') touchedAt = time;
        else if (id !== ownId) updatePeer(id, time);
      }
      for (const peer of peers.values()) peer.missed++;
      const latestFirst = present().sort(([, a], [, b]) => a.missed - b.missed);
      // Kept, since every request needs their number.
      ids = [ownId, ...latestFirst.map(([id]) => id)];
      if (allReported()) completeFrom ??= monotonicNow() + Math.max(0, touchedAt + keyTtlMs - now);
      return now;
    },
    markLost: () => {
      contact = undefined;
      for (const [, peer] of present()) peer.missed = 0;
    },
    allReported,
    sharers: () => (monotonicNow() < introducedFrom ? Math.max(assumedGateways, ids.length) : ids.length),
    shareForUnknown: () => {
      if (completeFrom === undefined) return 1 / assumedGateways;
      return monotonicNow() >= completeFrom ? 1 / (present().length + 1) : lateShare;
    },
  };
}

/** The two limiters of a gateway, and the switch between them. */
interface Limiters {
  /** Counts in Redis while it is reachable. */
  readonly redisLimiter: Limiter;
  /** Counts in this process while Redis is unreachable. */
  readonly localLimiter: Limiter;
  /**
   * Settles and sends a heartbeat. Resolves to whether Redis has the counts of all gateways; rejects when it is
   * unreachable.
   */
  probe(): Promise<boolean>;
  /** Releases what is reserved for this gateway, on request of another. */
  readonly releaseReserve: RedisLimiter['releaseReserve'];
  /** Redis has become unreachable. */
  markLost(): void;
  /** Milliseconds since 1970 on the clock of Redis. */
  now(): number;
  /** Announces the shutdown: peers need not wait for this gateway. */
  leave(): Promise<unknown>;
}

interface LimitersDeps {
  /** Of this gateway: a `g`, then letters or digits. */
  readonly id: string;
  readonly link: Pick<RedisLink, 'redis' | 'timeoutMs' | 'withTimeout' | 'isUp' | 'reportFailure'>;
  readonly scripts: Scripts;
  readonly maxCredentials: number;
  /** Milliseconds on a monotonic clock, and on the wall clock. */
  readonly monotonicNow: () => number;
  readonly wallNow: () => number;
  readonly pause: (ms: number) => Promise<void>;
}

export function createLimiters(deps: LimitersDeps): Limiters {
  const { id, link, scripts, maxCredentials, monotonicNow, pause } = deps;
  const clock = createRedisClock(monotonicNow, deps.wallNow);
  const membership = createMembership(id, monotonicNow);
  let lostAt = clock.now();
  let hasConnected = false;
  let hasJoined = false;
  const localLimiter = createLocalLimiter(
    { now: clock.now, lostAt: () => lostAt, shareForUnknown: membership.shareForUnknown },
    maxCredentials,
  );
  const rollingHour = createRedisRollingHour({
    id,
    link,
    clock,
    gatewayIds: membership.ids,
    activeIds: membership.activeIds,
    sharers: membership.sharers,
    scripts,
  });
  const redisLimiter = createRedisLimiter({
    rollingHour,
    link,
    local: localLimiter,
    monotonicNow,
    pause,
  });

  async function heartbeat(status: 'here' | 'left' | 'query'): Promise<void> {
    const args = [clock.now() + link.timeoutMs, id, rollingHour.takeTouched() ? 1 : 0, status];
    clock.sync(
      membership.applyHeartbeat(await link.withTimeout(scripts.heartbeat(link.redis, ['gateways'], args))),
    );
  }

  /** One small command before many; it also sets the clock before anything is settled. */
  async function connect(): Promise<void> {
    await heartbeat('query');
    if (!hasConnected) localLimiter.rebase(clock.now());
    hasConnected = true;
  }

  return {
    redisLimiter,
    localLimiter,
    probe: async () => {
      try {
        if (!link.isUp()) await connect();
        await redisLimiter.settlePending();
        await heartbeat('here');
        hasJoined ||= membership.allReported();
        const wasShort = clock.now() - lostAt < reuseAfterMs / 2;
        return membership.allReported() || (hasJoined && wasShort);
      } catch (error) {
        membership.markLost();
        throw error;
      }
    },
    releaseReserve: async (key, keepsShare) => {
      if (hasConnected) await redisLimiter.releaseReserve(key, keepsShare);
    },
    markLost: () => {
      lostAt = clock.now();
      membership.markLost();
    },
    now: clock.now,
    leave: () => heartbeat('left'),
  };
}

/** Without Redis there are no peers: every request is counted here. */
export function createStandaloneLimiter(now: () => number, maxCredentials: number): Limiter {
  return createLocalLimiter({ now, lostAt: () => 0, shareForUnknown: () => 1 }, maxCredentials);
}
