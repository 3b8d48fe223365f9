import { inTime } from '@platform/service-kit/in-time.ts';
import type { Logger } from '@platform/service-kit/logger.ts';
import { Counter, Gauge, type Registry } from '@platform/service-kit/metrics.ts';
import type { RedisAddress } from '@platform/service-kit/redis.ts';
import {
  createRedisClient,
  mastersOf,
  probeMasters,
  type RedisClient,
  refreshServers,
  watchRedis,
} from '@platform/service-kit/redis.ts';

/** Milliseconds that one command may take; then Redis counts as lost, and must not count what it finds too late. */
export const commandBudgetMs = 50;

/** Milliseconds between two probes, and between those that lead back to Redis. */
const probeEveryMs = 200;

const returnEveryMs = 50;

/**
 * Milliseconds of silence on one connection that are a pause: the process behind it is the same, and so is its memory.
 * Longer ones may be a failover behind a proxy.
 */
const maxPauseMs = 1_000;

/**
 * A connection to Redis that says whether it is worth asking. A Cluster is one Redis: it is lost when one of its servers is,
 * or when another one takes over, since what was known of the one's memory may not hold for the other's.
 */
export interface RedisLink {
  readonly redis: RedisClient;
  /** What commands of `redis` come to, within the time that they may take. */
  within<T>(commands: Promise<T>): Promise<T>;
  isUp(): boolean;
  /** Resolves to true as soon as Redis is up; to false after `limitMs` milliseconds, and at once when this is no mere pause. */
  untilUp(limitMs: number): Promise<boolean>;
  /** A command failed: ask no more until a probe succeeds. */
  reportFailure(error: unknown): void;
  /** Connects, and begins to probe. Resolves when Redis is up, or after `limitMs` milliseconds. */
  open(probe: Probe, limitMs: number): Promise<void>;
  close(): void;
}

/** Asks Redis whether it is there, and says whether it is up to date. Rejects when it is not there. */
type Probe = () => Promise<boolean>;

interface RedisLinkOptions {
  readonly address: RedisAddress;
  readonly logger: Logger;
  readonly onConnect: (redis: RedisClient) => Promise<void>;
  /** Called when Redis is lost, and when it is back. */
  readonly onChange: (isUp: boolean) => void;
  /** Called before it is back after more than a pause: it may have lost its memory without telling. */
  readonly onForget: () => void;
}

/** Whether Redis is in use, and what the time without it means. */
interface Presence {
  isUp(): boolean;
  /** Rises whenever Redis is lost. */
  losses(): number;
  lose(error?: unknown): void;
  comeBack(): void;
  /** From here on this is more than a pause. */
  distrust(): void;
  /** See `RedisLink.untilUp`. */
  untilUp(limitMs: number): Promise<boolean>;
  /** Resolves when Redis is up for the first time, or after `limitMs` milliseconds. */
  start(limitMs: number): Promise<void>;
}

function createPresence({ logger, onChange, onForget }: RedisLinkOptions): Presence {
  let up = false;
  let losses = 0;
  let back = Promise.withResolvers<void>();
  let lostAt = Number.NEGATIVE_INFINITY;
  /** Since Redis was lost every command was answered late at worst, on the same connection. */
  let isTrusted = false;

  const isPause = () => isTrusted && performance.now() - lostAt < maxPauseMs;

  return {
    isUp: () => up,
    losses: () => losses,
    lose: (err) => {
      losses++;
      if (!up) return;
      up = false;
      lostAt = performance.now();
      back = Promise.withResolvers();
      logger.warn({ err }, 'redis is lost');
      onChange(false);
    },
    comeBack: () => {
      if (up) return;
      if (!isPause()) onForget();
      up = true;
      isTrusted = true;
      logger.info('redis is back');
      onChange(true);
      back.resolve();
    },
    distrust: () => {
      isTrusted = false;
    },
    untilUp: async (limitMs) => {
      if (!up && limitMs > 0 && isPause()) await inTime(back.promise, limitMs).catch(() => undefined);
      return up;
    },
    start: (limitMs) => {
      setTimeout(back.resolve, limitMs).unref();
      return back.promise;
    },
  };
}

export function createRedisLink(options: RedisLinkOptions): RedisLink {
  const { address, onConnect } = options;
  const redis = createRedisClient(address, { followsRedirects: false, autoPipelining: false });
  const presence = createPresence(options);
  let timer: NodeJS.Timeout | undefined;
  let probe: Probe | undefined;

  function reportFailure(error: unknown): void {
    presence.lose(error);
    refreshServers(redis);
  }

  /** A late response is a sign of life: no need to wait for the next probe. */
  function hear(): void {
    if (presence.isUp() || probe === undefined) return;
    clearTimeout(timer);
    timer = setTimeout(probeAgain, 0);
  }

  function within<T>(commands: Promise<T>): Promise<T> {
    let isLate = false;
    commands.then(() => isLate && hear(), presence.distrust);
    return inTime(commands, commandBudgetMs).catch((error: unknown) => {
      isLate = true;
      throw error;
    });
  }

  async function probeOnce(given: Probe): Promise<void> {
    if (redis.status !== 'ready') return;
    // A probe that began before a loss does not bring Redis back.
    const lossesBefore = presence.losses();
    try {
      await within(probeMasters(redis));
      if ((await given()) && presence.losses() === lossesBefore) presence.comeBack();
    } catch (error) {
      reportFailure(error);
    }
  }

  async function probeAgain(): Promise<void> {
    clearTimeout(timer);
    if (probe === undefined) return;
    await probeOnce(probe);
    clearTimeout(timer);
    timer = setTimeout(probeAgain, presence.isUp() ? probeEveryMs : returnEveryMs);
  }

  watchRedis(redis, {
    onReady: () => {
      void onConnect(redis);
      void probeAgain();
    },
    onLost: (error) => {
      presence.distrust();
      presence.lose(error);
    },
  });

  return {
    redis,
    within,
    isUp: presence.isUp,
    untilUp: presence.untilUp,
    reportFailure,
    open: (given, limitMs) => {
      probe = given;
      redis.connect().catch(() => undefined);
      void probeAgain();
      return presence.start(limitMs);
    },
    close: () => {
      probe = undefined;
      clearTimeout(timer);
      redis.disconnect();
    },
  };
}

/** What operators are told about Redis. */
interface RedisHealth {
  /** A new connection: looks whether the server would rather forget than refuse to write. */
  check(redis: RedisClient): Promise<void>;
}

export function createRedisHealth(registry: Registry, logger: Logger): RedisHealth {
  const evicts = new Gauge({
    name: 'gateway_redis_evicts',
    help: '1 when maxmemory-policy of Redis is not noeviction',
    registers: [registry],
  });
  return {
    check: async (redis) => {
      // CONFIG may be forbidden; INFO says it, too.
      const infos = mastersOf(redis).map((server) => server.info('memory').catch(() => ''));
      const policies = (await Promise.all(infos)).map((info) => /^maxmemory_policy:(\S+)/m.exec(info)?.[1]);
      const policy = policies.find((one) => one !== undefined && one !== 'noeviction');
      evicts.set(policy === undefined ? 0 : 1);
      if (policy === undefined) return;
      logger.warn(
        { policy },
        'maxmemory-policy of redis should be noeviction: counts and revocations may be forgotten',
      );
    },
  };
}

/**
 * Shows whether Redis is up, and counts its losses.
 * @returns to be called whenever it was lost or is back
 */
export function createRedisMetrics(registry: Registry, isUp: () => boolean): () => void {
  new Gauge({
    name: 'gateway_redis_up',
    help: '1 while Redis answers in time; 0 while the gateway does without.',
    registers: [registry],
    collect() {
      this.set(isUp() ? 1 : 0);
    },
  });
  const lost = new Counter({
    name: 'gateway_redis_lost_total',
    help: 'How often Redis was lost.',
    registers: [registry],
  });
  return () => {
    if (!isUp()) lost.inc();
  };
}
