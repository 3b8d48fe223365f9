import type { Logger } from '@platform/service-kit/logger.ts';
import { Gauge, type Registry } from '@platform/service-kit/metrics.ts';
import { mastersOf, type RedisClient } from '@platform/service-kit/redis-client.ts';

/** What operators are told about Redis. */
export interface RedisHealth {
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
