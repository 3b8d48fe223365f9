import type { AdmissionStore } from '../admission/admission.ts';
import { reuseAfterMs } from '../rate-limit/caller-record.ts';
import { createLocalLimiter } from '../rate-limit/local-limiter.ts';
import { createRedisClock } from '../rate-limit/redis-clock.ts';
import { createGateways } from './gateways.ts';
import { createRedisLimiter, type RedisLimiter } from './redis-limiter.ts';
import { commandBudgetMs, type RedisLink } from './redis-link.ts';
import { createRedisRing } from './redis-ring.ts';
import type { Script, scriptSources } from './script.ts';

/** The two ways in which a gateway counts, and how it changes between them. */
export interface Limiters {
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

export interface LimitersDeps {
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
