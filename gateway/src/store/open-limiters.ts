import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@platform/service-kit/logger.ts';
import type { Registry } from '@platform/service-kit/metrics.ts';
import type { RedisAddress } from '@platform/service-kit/redis-address.ts';
import { createRedisClient } from '@platform/service-kit/redis-client.ts';
import type { AdmissionStore } from '../admission/admission.ts';
import { createLimiters, createLoneLimiter } from './limiters.ts';
import { listenForRecalls } from './recalls.ts';
import { createRedisHealth } from './redis-health.ts';
import { createRedisLink, type RedisLink } from './redis-link.ts';
import { createScript, scriptSources } from './script.ts';

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

export interface LimiterOptions {
  readonly address: RedisAddress | undefined;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly maxCallers: number;
  /** Called whenever Redis may have lost its memory without telling. */
  readonly onLost: () => void;
}

/** Milliseconds for which the start waits for Redis. */
const openLimitMs = 1_500;

export function openLimiters({
  address,
  logger,
  registry,
  maxCallers,
  onLost,
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
      onLost();
    },
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
