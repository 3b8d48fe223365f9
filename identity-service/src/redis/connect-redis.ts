import type { Logger } from '@platform/service-kit/logger.ts';
import { Redis } from 'ioredis';

/** Milliseconds that one command may take. */
const commandLimitMs = 1_000;
/** Milliseconds between attempts to connect, at most. */
const maxReconnectDelayMs = 500;

/**
 * Connects to Redis and stays on it: commands fail at once while there is no connection, and after a second when Redis
 * is silent. Resolves when the first attempt to connect has ended, well or not.
 */
export async function connectRedis(url: string, logger: Logger): Promise<Redis> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: 1_000,
    commandTimeout: commandLimitMs,
    // A peer that has vanished without a word never closes the connection.
    socketTimeout: 2 * commandLimitMs,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    enableAutoPipelining: true,
    disableClientInfo: true,
    retryStrategy: (attempt) => Math.min(50 * attempt, maxReconnectDelayMs),
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
