import type { Logger } from '@platform/service-kit/logger.ts';
import { Gauge, type Registry } from '@platform/service-kit/metrics.ts';
import type { RedisAddress } from '@platform/service-kit/redis.ts';
import {
  createRedisClient,
  mastersOf,
  probeMasters,
  type RedisClient,
  refreshServers,
  watchRedis,
} from '@platform/service-kit/redis.ts';
import { withTimeout } from '@platform/service-kit/timeout.ts';

/** Milliseconds between probes while Redis is reachable, and while it is not. */
const probeEveryMs = 200;

const reconnectProbeMs = 50;

/**
 * Milliseconds of silence on one connection that count as a pause: the process behind it is the same, and so is its data.
 * A longer one may be a failover behind a proxy.
 */
const maxPauseMs = 1_000;

/**
 * A connection to Redis that knows whether it is usable. A Cluster is one Redis: it is unreachable when one server
 * is, or when a replica takes over, which may lack writes of its master.
 */
export interface RedisLink {
  readonly redis: RedisClient;
  /** Milliseconds for one command; then Redis counts as unreachable, and the script must not count. */
  readonly timeoutMs: number;
  /** Rejects after `timeoutMs`. */
  withTimeout<T>(commands: Promise<T>): Promise<T>;
  isUp(): boolean;
  /** Waits up to `limitMs` milliseconds for a Redis that pauses. Resolves to whether it is reachable. */
  untilUp(limitMs: number): Promise<boolean>;
  /** A command failed: Redis is not used until a probe succeeds. */
  reportFailure(error: unknown): void;
  /** Connects and starts to probe. Resolves when Redis is reachable, or after `limitMs` milliseconds. */
  open(probe: Probe, limitMs: number): Promise<void>;
  close(): void;
}

/** Resolves to whether Redis is up to date; rejects when it is unreachable. */
type Probe = () => Promise<boolean>;

interface RedisLinkOptions {
  readonly address: RedisAddress;
  /** Milliseconds for one command. */
  readonly timeoutMs: number;
  readonly logger: Logger;
  readonly onConnect: (redis: RedisClient) => Promise<void>;
  /** Called when Redis becomes unreachable or reachable. */
  readonly onChange: (isUp: boolean) => void;
  /** Called with the milliseconds that a probe took, also one that failed. */
  readonly onProbed: (ms: number) => void;
  /** Called before Redis is reachable again after more than a pause: it may have lost data in between. */
  readonly onDataLoss: () => void;
}

/** Whether Redis is reachable, and whether an outage is a pause or may have lost data. */
interface Availability {
  isUp(): boolean;
  /** Incremented whenever Redis becomes unreachable. */
  lossCount(): number;
  markLost(error?: unknown): void;
  markUp(): void;
  /** The current outage, if there is one, is more than a pause. */
  endPause(): void;
  untilUp: RedisLink['untilUp'];
  /** Resolves when Redis is reachable for the first time, or after `limitMs` milliseconds. */
  untilFirstUp(limitMs: number): Promise<void>;
}

function createAvailability({ logger, onChange, onDataLoss }: RedisLinkOptions): Availability {
  let up = false;
  let lossCount = 0;
  let reachable = Promise.withResolvers<void>();
  let lostAt = Number.NEGATIVE_INFINITY;
  /** Whether every command of this outage was at worst late, on the same connection. */
  let mayPause = false;

  const isPause = () => mayPause && performance.now() - lostAt < maxPauseMs;

  return {
    isUp: () => up,
    lossCount: () => lossCount,
    markLost: (err) => {
      lossCount++;
      if (!up) return;
      up = false;
      lostAt = performance.now();
      reachable = Promise.withResolvers();
      logger.warn({ err }, 'redis is unreachable');
      onChange(false);
    },
    markUp: () => {
      if (up) return;
      if (!isPause()) onDataLoss();
      up = true;
      mayPause = true;
      logger.info('redis is reachable');
      onChange(true);
      reachable.resolve();
    },
    endPause: () => {
      mayPause = false;
    },
    untilUp: async (limitMs) => {
      if (!up && limitMs > 0 && isPause())
        await withTimeout(reachable.promise, limitMs).catch(() => undefined);
      return up;
    },
    untilFirstUp: (limitMs) => {
      setTimeout(reachable.resolve, limitMs).unref();
      return reachable.promise;
    },
  };
}

export function createRedisLink(options: RedisLinkOptions): RedisLink {
  const { address, timeoutMs, onConnect, onProbed } = options;
  const redis = createRedisClient(address, { followsRedirects: false, autoPipelining: false });
  const availability = createAvailability(options);
  let timer: NodeJS.Timeout | undefined;
  let probe: Probe | undefined;

  function reportFailure(error: unknown): void {
    availability.markLost(error);
    refreshServers(redis);
  }

  /** A late reply shows that Redis is alive, so the next probe need not wait. */
  function probeSoon(): void {
    if (availability.isUp() || probe === undefined) return;
    clearTimeout(timer);
    timer = setTimeout(probeAgain, 0);
  }

  function withinBudget<T>(commands: Promise<T>): Promise<T> {
    let isLate = false;
    commands.then(() => isLate && probeSoon(), availability.endPause);
    return withTimeout(commands, timeoutMs).catch((error: unknown) => {
      isLate = true;
      throw error;
    });
  }

  async function probeOnce(probeRedis: Probe): Promise<void> {
    if (redis.status !== 'ready') return;
    // A probe that began before a loss does not end the outage.
    const lossCountBefore = availability.lossCount();
    const startedAt = performance.now();
    try {
      await withinBudget(probeMasters(redis));
      if ((await probeRedis()) && availability.lossCount() === lossCountBefore) availability.markUp();
    } catch (error) {
      reportFailure(error);
    } finally {
      onProbed(performance.now() - startedAt);
    }
  }

  async function probeAgain(): Promise<void> {
    clearTimeout(timer);
    if (probe === undefined) return;
    await probeOnce(probe);
    clearTimeout(timer);
    timer = setTimeout(probeAgain, availability.isUp() ? probeEveryMs : reconnectProbeMs);
  }

  watchRedis(redis, {
    onReady: () => {
      void onConnect(redis);
      void probeAgain();
    },
    onLost: (error) => {
      availability.endPause();
      availability.markLost(error);
    },
  });

  return {
    redis,
    timeoutMs,
    withTimeout: withinBudget,
    isUp: availability.isUp,
    untilUp: availability.untilUp,
    reportFailure,
    open: (probeRedis, limitMs) => {
      probe = probeRedis;
      redis.connect().catch(() => undefined);
      void probeAgain();
      return availability.untilFirstUp(limitMs);
    },
    close: () => {
      probe = undefined;
      clearTimeout(timer);
      redis.disconnect();
    },
  };
}

/** Creates a check for new connections: warns when Redis may evict keys. */
export function createEvictionCheck(registry: Registry, logger: Logger): RedisLinkOptions['onConnect'] {
  const evicts = new Gauge({
    name: 'gateway_redis_evicts',
    help: '1 when maxmemory-policy of Redis is not noeviction',
    registers: [registry],
  });
  return async (redis) => {
    // CONFIG may be forbidden; INFO has the policy, too.
    const infos = mastersOf(redis).map((server) => server.info('memory').catch(() => ''));
    const policies = (await Promise.all(infos)).map((info) => /^maxmemory_policy:(\S+)/m.exec(info)?.[1]);
    const policy = policies.find((name) => name !== undefined && name !== 'noeviction');
    evicts.set(policy === undefined ? 0 : 1);
    if (policy === undefined) return;
    logger.warn(
      { policy },
      'maxmemory-policy of redis should be noeviction: counts and revocations may be lost',
    );
  };
}
