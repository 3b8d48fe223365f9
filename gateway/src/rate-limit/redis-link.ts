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
 * A connection to Redis that says whether it is worth asking. A Cluster is one Redis: it is lost when one of its servers is,
 * or when another one takes over, since what was known of the one's memory may not hold for the other's.
 */
export interface RedisLink {
  readonly redis: RedisClient;
  /** What commands of `redis` come to, within the time that they may take. */
  within<T>(commands: Promise<T>): Promise<T>;
  isUp(): boolean;
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
  /** Called when Redis is lost, and when it is back: in between it may have lost its memory without telling. */
  readonly onChange: (isUp: boolean) => void;
}

export function createRedisLink({ address, logger, onConnect, onChange }: RedisLinkOptions): RedisLink {
  const redis = createRedisClient(address, { followsRedirects: false, autoPipelining: false });
  let up = false;
  /** Rises whenever Redis is lost: a probe that began before does not bring it back. */
  let losses = 0;
  let timer: NodeJS.Timeout | undefined;
  let probe: Probe | undefined;
  const firstUp = Promise.withResolvers<void>();

  function lose(err?: unknown): void {
    losses++;
    if (!up) return;
    up = false;
    logger.warn({ err }, 'redis is lost');
    onChange(false);
  }

  function comeBack(): void {
    if (up) return;
    up = true;
    logger.info('redis is back');
    onChange(true);
    firstUp.resolve();
  }

  const within = <T>(commands: Promise<T>) => inTime(commands, commandBudgetMs);

  async function probeOnce(given: Probe): Promise<void> {
    if (redis.status !== 'ready') return;
    const lossesBefore = losses;
    try {
      await within(probeMasters(redis));
      if ((await given()) && losses === lossesBefore) comeBack();
    } catch (error) {
      lose(error);
      refreshServers(redis);
    }
  }

  async function probeAgain(): Promise<void> {
    clearTimeout(timer);
    if (probe === undefined) return;
    await probeOnce(probe);
    clearTimeout(timer);
    timer = setTimeout(probeAgain, up ? probeEveryMs : returnEveryMs);
  }

  watchRedis(redis, {
    onReady: () => {
      void onConnect(redis);
      void probeAgain();
    },
    onLost: lose,
  });

  return {
    redis,
    within,
    isUp: () => up,
    reportFailure: (error) => {
      lose(error);
      refreshServers(redis);
    },
    open: (given, limitMs) => {
      probe = given;
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
