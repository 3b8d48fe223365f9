import type { Logger } from '@platform/service-kit/logger.ts';
import { Gauge, type Registry } from '@platform/service-kit/metrics.ts';
import type { Redis } from 'ioredis';

/** What operators are told about Redis. */
export interface RedisHealth {
  /** A new connection: looks whether the server would rather forget than refuse to write. */
  check(redis: Redis): Promise<void>;
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
      const memory = await redis.info('memory').catch(() => '');
      const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1];
      evicts.set(policy === undefined || policy === 'noeviction' ? 0 : 1);
      if (policy === undefined || policy === 'noeviction') return;
      logger.warn(
        { policy },
        'maxmemory-policy of redis should be noeviction: counts and revocations may be forgotten',
      );
    },
  };
}
