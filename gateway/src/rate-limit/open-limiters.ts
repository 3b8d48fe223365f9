import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@platform/service-kit/logger.ts';
import type { Registry } from '@platform/service-kit/metrics.ts';
import type { RedisAddress } from '@platform/service-kit/redis.ts';
import { createRedisClient, type RedisClient } from '@platform/service-kit/redis.ts';
import type { AdmissionStore } from '../access/batcher.ts';
import { createLimiters, createLoneLimiter } from './limiters.ts';
import { createRedisHealth, createRedisLink, type RedisLink } from './redis-link.ts';
import { createScript, scriptSources } from './redis-ring.ts';

/** Name of the channel, as in ring.lua. */
const channel = 'rolling-hour:recall';

const askEveryMs = 1_000;

/**
 * Hears of callers whose requests, reserved for this gateway, others need: `onRecall` is called with the key of the ring,
 * and whether some of them will do.
 * What is missed does no harm: the others ask again, or go without.
 */
function listenForRecalls(
  redis: RedisClient,
  ownId: string,
  onRecall: (ring: string, keepsShare: boolean) => void,
): { close(): void } {
  // ioredis subscribes again by itself after a reconnect, but not when the first attempt failed.
  const subscribe = () => void redis.subscribe(channel).catch(() => undefined);
  redis.on('ready', subscribe);
  redis.connect().catch(() => undefined);
  // The link reports what happens to Redis.
  redis.on('error', () => undefined);
  redis.on('message', (_channel: string, message: string) => {
    const [id, howMuch, ring] = message.split(' ');
    if (id !== ownId && ring !== undefined) onRecall(ring, howMuch === 'some');
  });
  // A peer that has vanished is noticed only by a question that it does not answer.
  const asking = setInterval(() => void redis.ping().catch(() => undefined), askEveryMs);
  return {
    close: () => {
      clearInterval(asking);
      redis.disconnect();
    },
  };
}

/** How this gateway counts. */
export interface OpenLimiters {
  /** Counts in Redis; absent when there is none. */
  readonly redisLimiter: AdmissionStore | undefined;
  /** Counts in this process while Redis cannot be asked. */
  readonly localLimiter: AdmissionStore;
  readonly link: RedisLink | undefined;
  /** Resolves when Redis is in use, or when it is not worth waiting for. */
  open(): Promise<void>;
  close(): Promise<void>;
}

interface LimiterOptions {
  readonly address: RedisAddress | undefined;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly maxCallers: number;
  /** Called when Redis is lost, and when it is back. */
  readonly onChange: () => void;
  /** Called before Redis is back, when it may have lost its memory without telling. */
  readonly onForget: () => void;
}

/** Milliseconds for which the start waits for Redis. */
const openLimitMs = 1_500;

export function openLimiters({
  address,
  logger,
  registry,
  maxCallers,
  ...events
}: LimiterOptions): OpenLimiters {
  if (address === undefined) {
    const nothing = async () => {};
    const localLimiter = createLoneLimiter(Date.now, maxCallers);
    return { redisLimiter: undefined, localLimiter, link: undefined, open: nothing, close: nothing };
  }
  const id = `g${randomBytes(6).toString('hex')}`;
  const health = createRedisHealth(registry, logger);
  const link = createRedisLink({
    address,
    logger,
    onConnect: health.check,
    onChange: (isUp) => {
      if (!isUp) limiters.lose();
      events.onChange();
    },
    onForget: events.onForget,
  });
  const limiters = createLimiters({
    id,
    link,
    scripts: {
      admit: createScript(scriptSources.admit),
      settle: createScript(scriptSources.settle),
      heartbeat: createScript(scriptSources.heartbeat),
    },
    maxCallers,
    monotonicNow: () => performance.now(),
    wallNow: Date.now,
    pause: (ms) => pause(ms),
  });
  const { redisLimiter, localLimiter } = limiters;
  const channel = createRedisClient(address, { followsRedirects: true, autoPipelining: false });
  const recalls = listenForRecalls(channel, id, (ring, keepsShare) => {
    limiters.giveBack(ring, keepsShare).catch(link.reportFailure);
  });
  return {
    redisLimiter,
    localLimiter,
    link,
    open: () => link.open(limiters.probe, openLimitMs),
    close: async () => {
      await limiters.leave().catch(() => undefined);
      recalls.close();
      link.close();
    },
  };
}
