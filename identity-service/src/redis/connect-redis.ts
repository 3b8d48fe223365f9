import type { Logger } from '@platform/service-kit/logger.ts';
import type { RedisAddress } from '@platform/service-kit/redis-address.ts';
import { createRedisClient, type RedisClient } from '@platform/service-kit/redis-client.ts';

/** Milliseconds that one command may take. */
const commandTimeoutMs = 1_000;

/**
 * Connects to Redis and stays on it: commands fail at once while there is no connection, and after a second when Redis
 * is silent. Resolves when the first attempt to connect has ended, well or not.
 */
export async function connectRedis(address: RedisAddress, logger: Logger): Promise<RedisClient> {
  const redis = createRedisClient(address, {
    commandTimeoutMs,
    followsRedirects: true,
    autoPipelining: true,
  });
  let connected = true;
  redis.on('ready', () => {
    connected = true;
  });
  // Once per outage, not once per attempt.
  redis.on('error', (error) => {
    if (connected) logger.warn({ err: error }, 'redis connection lost');
    connected = false;
  });
  await redis.connect().catch(() => undefined);
  return redis;
}
