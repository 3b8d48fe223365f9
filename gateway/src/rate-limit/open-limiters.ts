import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { RedisAddress } from '@platform/service-kit/redis/redis.ts';
import { createRedisClient, type RedisClient } from '@platform/service-kit/redis/redis.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import type { Registry } from '@platform/service-kit/telemetry/metrics.ts';
import type { Limiter } from '../access/batcher.ts';
import { createStandaloneLimiter, Limiters } from './limiters.ts';
import { createEvictionCheck, RedisLink } from './redis-link.ts';
import { createRedisMetrics } from './redis-metrics.ts';
import { createScripts } from './redis-rolling-hour.ts';

/** As in rolling-hour.lua. */
const channel = 'rolling-hour:recall';

const pingEveryMs = 1_000;

/**
 * Subscribes to recalls, which other gateways send when they need requests that are reserved for this one. `onRecall` gets
 * the key of the counter and whether this gateway may keep a share. Missed messages do no harm: the sender repeats them,
 * or does without those requests.
 */
function subscribeToRecalls(
  redis: RedisClient,
  ownId: string,
  onRecall: (key: string, keepsShare: boolean) => void,
): { close(): void } {
  const subscribe = () => void redis.subscribe(channel).catch(() => undefined);
  redis.on('ready', subscribe);
  redis.connect().catch(() => undefined);
  // The link logs errors of Redis.
  redis.on('error', () => undefined);
  redis.on('message', (_channel: string, message: string) => {
    const [id, share, key] = message.split(' ');
    if (id !== ownId && key !== undefined) onRecall(key, share === 'some');
  });
  // Only a PING without a reply reveals a peer that has vanished.
  const pingTimer = setInterval(() => void redis.ping().catch(() => undefined), pingEveryMs);
  return {
    close: () => {
      clearInterval(pingTimer);
      redis.disconnect();
    },
  };
}

/** The limiters of this gateway. */
interface OpenLimiters {
  /** Counts in Redis; undefined without a configured Redis. */
  readonly redisLimiter: Limiter | undefined;
  /** Counts in this process while Redis is unreachable. */
  readonly localLimiter: Limiter;
  readonly link: RedisLink | undefined;
  /** Milliseconds since 1970 on the clock of Redis; of this process without a configured Redis. */
  now(): number;
  /** Resolves when Redis is in use, or after a bounded wait. */
  open(): Promise<void>;
  close(): Promise<void>;
}

interface LimiterOptions {
  readonly address: RedisAddress | undefined;
  /** Milliseconds for one command to Redis. */
  readonly timeoutMs: number;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly maxCredentials: number;
  /** Called before Redis is used again, when it may have lost data in between. */
  readonly onDataLoss: () => void;
}

/** Milliseconds that the start waits for Redis; two time-outs of a command where that is longer. */
const openTimeoutMs = 1_500;

export function openLimiters({
  address,
  timeoutMs,
  logger,
  registry,
  maxCredentials,
  onDataLoss,
}: LimiterOptions): OpenLimiters {
  const metrics = createRedisMetrics(registry, () => performance.now());
  if (address === undefined) {
    const nothing = async () => {};
    const { now } = Date;
    const localLimiter = createStandaloneLimiter(now, maxCredentials);
    return { redisLimiter: undefined, localLimiter, link: undefined, now, open: nothing, close: nothing };
  }
  const id = `g${randomBytes(6).toString('hex')}`;
  const link = new RedisLink({
    address,
    timeoutMs,
    logger,
    onConnect: createEvictionCheck(registry, logger),
    onChange: (isUp) => {
      metrics.onChange(isUp);
      if (!isUp) limiters.markLost();
    },
    onProbed: metrics.onProbed,
    onDataLoss,
  });
  const limiters = new Limiters({
    id,
    link,
    scripts: createScripts(timeoutMs),
    maxCredentials,
    monotonicNow: () => performance.now(),
    wallNow: Date.now,
    pause: (ms) => pause(ms),
  });
  const { redisLimiter, localLimiter } = limiters;
  const subscriber = createRedisClient(address, { followsRedirects: true, autoPipelining: false });
  const recalls = subscribeToRecalls(subscriber, id, (key, keepsShare) => {
    limiters.releaseReserve(key, keepsShare).catch((error: unknown) => link.reportFailure(error));
  });
  return {
    redisLimiter,
    localLimiter,
    link,
    now: () => limiters.now(),
    open: () => link.open(() => limiters.probe(), Math.max(openTimeoutMs, 2 * timeoutMs)),
    close: async () => {
      await limiters.leave().catch(() => undefined);
      recalls.close();
      link.close();
    },
  };
}
