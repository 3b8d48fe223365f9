import { z } from 'zod';
import type { AdmissionStore } from '../access/batcher.ts';
import { createLocalLimiter, createRedisClock, reuseAfterMs } from './local-limiter.ts';
import { createRedisLimiter, type RedisLimiter } from './redis-limiter.ts';
import { commandBudgetMs, type RedisLink } from './redis-link.ts';
import { createRedisRing, type Script, type scriptSources } from './redis-ring.ts';

/*
 * The gateways that count in one Redis. Each says every 200 ms that it is there, and remembers the others: an empty Redis
 * forgets them.
 */
interface Gateways {
  /** Ids of all, this one's included. */
  ids(): string[];
  /**
   * Hears a heartbeat's reply.
   * @returns Redis's clock, milliseconds
   */
  hear(reply: unknown): number;
  /** Redis was out of sight. */
  lose(): void;
  /** Has every other gateway been heard since Redis was out of sight? Not for long is a silent one waited for. */
  areHeard(): boolean;
  /** See `Surroundings.shareOfUnknown`. */
  shareOfUnknown(): number;
}

/** Milliseconds that a silent gateway is waited for. */
const waitMs = 2_000;

/** Own heartbeats (half a minute of them) after which a gateway that made none meanwhile counts as gone. */
const goneAfter = 150;

/** As long as a ring is remembered: whoever has been here so long has been told of every caller. */
const ringMs = 3_720_000;

/** Parts of the limit: without any knowledge; and where callers may be known to others only. Four gateways are expected. */
const expectedShare = 1 / 4;

const lateShare = 1 / 16;

const replyShape = z.tuple([z.number()], z.string());

interface Peer {
  /** Redis's time of its last heartbeat. */
  heardAt: number;
  /** Own heartbeats since that has changed. */
  missed: number;
}

function createGateways(ownId: string, monotonicNow: () => number): Gateways {
  const peers = new Map<string, Peer>();
  /** Redis's time, and the monotonic one, at the first reply since Redis was out of sight. */
  let contact: { readonly at: number; readonly since: number } | undefined;
  /** Monotonic time from which on no caller can have been counted before this gateway could hear of it. */
  let knowsAllFrom: number | undefined;

  function hearPeer(id: string, heardAt: number): void {
    const known = peers.get(id);
    if (heardAt < 0) peers.delete(id);
    else if (known?.heardAt !== heardAt) peers.set(id, { heardAt, missed: 0 });
  }

  const present = () => [...peers].filter(([, { missed }]) => missed <= goneAfter);

  function areHeard(): boolean {
    if (contact === undefined) return false;
    const { at, since } = contact;
    return monotonicNow() - since >= waitMs || present().every(([, { heardAt }]) => heardAt > at);
  }

  return {
    ids: () => [ownId, ...present().map(([id]) => id)],
    hear: (reply) => {
      const [now, ...fields] = replyShape.parse(reply);
      contact ??= { at: now, since: monotonicNow() };
      let touchedAt = Number.NEGATIVE_INFINITY;
      for (let i = 0; i + 1 < fields.length; i += 2) {
        const [id = '', time] = [fields[i], Number(fields[i + 1])];
        if (id === 'touched') touchedAt = time;
        else if (id !== ownId) hearPeer(id, time);
      }
      for (const peer of peers.values()) peer.missed++;
      if (areHeard()) knowsAllFrom ??= monotonicNow() + Math.max(0, touchedAt + ringMs - now);
      return now;
    },
    lose: () => {
      contact = undefined;
      for (const [, peer] of present()) peer.missed = 0;
    },
    areHeard,
    shareOfUnknown: () => {
      if (knowsAllFrom === undefined) return expectedShare;
      return monotonicNow() >= knowsAllFrom ? 1 / (present().length + 1) : lateShare;
    },
  };
}

/** The two ways in which a gateway counts, and how it changes between them. */
interface Limiters {
  /** Counts in Redis while it is up. */
  readonly redisLimiter: AdmissionStore;
  /** Counts in this process while Redis is lost. */
  readonly localLimiter: AdmissionStore;
  /**
   * Asks whether Redis is there, and resolves to whether it knows what was counted without it: by this gateway and by all
   * others. Rejects when it is not there.
   */
  probe(): Promise<boolean>;
  /** Another gateway needs what is reserved for this one. */
  readonly giveBack: RedisLimiter['giveBack'];
  /** Redis is lost. */
  lose(): void;
  /** This gateway ends: others need not wait for it. */
  leave(): Promise<unknown>;
}

interface LimitersDeps {
  /** Of this gateway: a `g`, then letters or digits. */
  readonly id: string;
  readonly link: Pick<RedisLink, 'redis' | 'within' | 'isUp' | 'reportFailure'>;
  readonly scripts: Readonly<Record<keyof typeof scriptSources, Script>>;
  readonly maxCallers: number;
  /** Milliseconds on a clock that never jumps, and on one that tells the date. */
  readonly monotonicNow: () => number;
  readonly wallNow: () => number;
  readonly pause: (ms: number) => Promise<void>;
}

export function createLimiters(deps: LimitersDeps): Limiters {
  const { id, link, scripts, maxCallers, monotonicNow, pause } = deps;
  const clock = createRedisClock(monotonicNow, deps.wallNow);
  const gateways = createGateways(id, monotonicNow);
  let lostAt = clock.now();
  let hasMet = false;
  let hasJoined = false;
  const localLimiter = createLocalLimiter(
    { now: clock.now, lostAt: () => lostAt, shareOfUnknown: gateways.shareOfUnknown },
    maxCallers,
  );
  const ring = createRedisRing({ id, link, clock, gateways: gateways.ids, scripts });
  const redisLimiter = createRedisLimiter({
    ring,
    link,
    local: localLimiter,
    gateways: gateways.ids,
    monotonicNow,
    pause,
  });

  async function beat(what: 'here' | 'left' | 'ask'): Promise<void> {
    const args = [clock.now() + commandBudgetMs, id, ring.takeTouched() ? 1 : 0, what];
    clock.learn(gateways.hear(await link.within(scripts.heartbeat(link.redis, ['gateways'], args))));
  }

  /** One small command before many, and the time before anything is handed in. */
  async function meet(): Promise<void> {
    await beat('ask');
    if (!hasMet) localLimiter.rebase(clock.now());
    hasMet = true;
  }

  return {
    redisLimiter,
    localLimiter,
    probe: async () => {
      try {
        if (!link.isUp()) await meet();
        await redisLimiter.handIn();
        await beat('here');
        hasJoined ||= gateways.areHeard();
        const wasShort = clock.now() - lostAt < reuseAfterMs / 2;
        return gateways.areHeard() || (hasJoined && wasShort);
      } catch (error) {
        gateways.lose();
        throw error;
      }
    },
    giveBack: async (ring, keepsShare) => {
      if (hasMet) await redisLimiter.giveBack(ring, keepsShare);
    },
    lose: () => {
      lostAt = clock.now();
      gateways.lose();
    },
    leave: () => beat('left'),
  };
}

/** Where there is no Redis there is no other gateway: every request is counted here. */
export function createLoneLimiter(now: () => number, maxCallers: number): AdmissionStore {
  return createLocalLimiter({ now, lostAt: () => 0, shareOfUnknown: () => 1 }, maxCallers);
}
