import type { RedisClient } from '@platform/service-kit/redis-client.ts';

/** Name of the channel, as in ring.lua. */
const channel = 'rolling-hour:recall';
const askEveryMs = 1_000;

/**
 * Hears of callers whose requests, reserved for this gateway, others need: `onRecall` is called with the key of the ring,
 * and whether some of them will do.
 * What is missed does no harm: the others ask again, or go without.
 */
export function listenForRecalls(
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
