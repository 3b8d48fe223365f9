import { expect } from '@jest/globals';
import { expectEventually } from './expect-eventually.ts';
import type { Platform } from './platform.ts';
import type { TestRedis } from './redis.ts';

/** Makes a change, whose response says `propagation` where it is given, and resolves to the time of the response. */
export type Apply = (propagation?: 'pending') => Promise<number>;

/** Events around a change. It calls `apply` once, and returns its result. */
export type Circumstances = (redis: TestRedis, apply: Apply) => Promise<number>;

/** Losses of Redis around a change that takes access away, by the title of a test. */
export const redisCircumstances: Readonly<Record<string, Circumstances>> = {
  'nothing else happens': (_redis, apply) => apply(),
  'Redis is flushed at the same moment': async (redis, apply) => {
    const [repliedAt] = await Promise.all([apply(), redis.flush()]);
    return repliedAt;
  },
  'Redis forgets the change after the reply, back at an older snapshot': async (redis, apply) => {
    await redis.save();
    const repliedAt = await apply();
    await redis.stop();
    await redis.start();
    return repliedAt;
  },
  'Redis is gone before, and comes back from an older snapshot': async (redis, apply) => {
    await redis.save();
    await redis.stop();
    const repliedAt = await apply('pending');
    await redis.start();
    return repliedAt;
  },
  'Redis is frozen, and thaws after the reply': async (redis, apply) => {
    redis.freeze();
    const repliedAt = await apply('pending');
    redis.thaw();
    return repliedAt;
  },
};

/**
 * Resolves when every identity-service publishes changes at once: after an outage of Redis each connects again. Until then
 * they say that a change is pending, and promise less.
 */
export function untilPublishing(platform: Platform): Promise<void> {
  return expectEventually(
    async () => {
      // Calls go to one replica after the other.
      const keys = await Promise.all(platform.identities.map(() => platform.createKey()));
      for (const key of keys) expect(await platform.deleteKey(key)).toBe('confirmed');
    },
    { withinMs: 10_000 },
  );
}
