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

/** Milliseconds for one command; then Redis counts as unreachable, and the script must not count. */
export const commandBudgetMs = 50;

/** Milliseconds between probes while Redis is reachable, and while it is not. */
const probeEveryMs = 200;

const reconnectProbeMs = 50;

/**
 * A connection to Redis that knows whether it is usable. A Cluster is one Redis: it is unreachable when one server
 * is, or when a replica takes over, which may lack writes of its master.
 */
export interface RedisLink {
  readonly redis: RedisClient;
  /** Rejects after `commandBudgetMs`. */
  withTimeout<T>(commands: Promise<T>): Promise<T>;
  isUp(): boolean;
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
  readonly logger: Logger;
  readonly onConnect: (redis: RedisClient) => Promise<void>;
  /** Called when Redis becomes unreachable or reachable: it may have lost data in between. */
  readonly onChange: (isUp: boolean) => void;
}

export function createRedisLink({ address, logger, onConnect, onChange }: RedisLinkOptions): RedisLink {
  const redis = createRedisClient(address, { followsRedirects: false, autoPipelining: false });
  let up = false;
  /** Incremented whenever Redis becomes unreachable: a probe that began earlier does not end the outage. */
  let lossCount = 0;
  let timer: NodeJS.Timeout | undefined;
  let probe: Probe | undefined;
  const firstUp = Promise.withResolvers<void>();

  function markLost(err?: unknown): void {
    lossCount++;
    if (!up) return;
    up = false;
    logger.warn({ err }, 'redis is unreachable');
    onChange(false);
  }

  function markUp(): void {
    if (up) return;
    up = true;
    logger.info('redis is reachable');
    onChange(true);
    firstUp.resolve();
  }

  const withTimeout = <T>(commands: Promise<T>) => inTime(commands, commandBudgetMs);

  async function probeOnce(probeRedis: Probe): Promise<void> {
    if (redis.status !== 'ready') return;
    const lossCountBefore = lossCount;
    try {
      await withTimeout(probeMasters(redis));
      if ((await probeRedis()) && lossCount === lossCountBefore) markUp();
    } catch (error) {
      markLost(error);
      refreshServers(redis);
    }
  }

  async function probeAgain(): Promise<void> {
    clearTimeout(timer);
    if (probe === undefined) return;
    await probeOnce(probe);
    clearTimeout(timer);
    timer = setTimeout(probeAgain, up ? probeEveryMs : reconnectProbeMs);
  }

  watchRedis(redis, {
    onReady: () => {
      void onConnect(redis);
      void probeAgain();
    },
    onLost: markLost,
  });

  return {
    redis,
    withTimeout,
    isUp: () => up,
    reportFailure: (error) => {
      markLost(error);
      refreshServers(redis);
    },
    open: (probeRedis, limitMs) => {
      probe = probeRedis;
      redis.connect().catch(() => undefined);
      void probeAgain();
      setTimeout(firstUp.resolve, limitMs).unref();
      return firstUp.promise;
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

/**
 * Exports whether Redis is reachable.
 * @returns counts an outage
 */
export function createRedisMetrics(registry: Registry, isUp: () => boolean): () => void {
  new Gauge({
    name: 'gateway_redis_up',
    help: '1 while Redis is reachable; 0 while the gateway runs without it.',
    registers: [registry],
    collect() {
      this.set(isUp() ? 1 : 0);
    },
  });
  const lost = new Counter({
    name: 'gateway_redis_lost_total',
    help: 'Number of times that Redis became unreachable.',
    registers: [registry],
  });
  return () => lost.inc();
}
