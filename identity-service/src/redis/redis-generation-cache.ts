import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { GenerationCache } from '../generations/generation-cache.ts';

/*
 * KEYS[1]: the business's hash, its fields g (generation) and i (incarnation: set once, when the hash comes to be, so
 * that gateways notice when it was lost in between). ARGV: generation, incarnation of a new hash.
 */
const raiseScript = `
redis.call('HSETNX', KEYS[1], 'i', ARGV[2])
local known = redis.call('HGET', KEYS[1], 'g')
if not known or tonumber(known) < tonumber(ARGV[1]) then
  redis.call('HSET', KEYS[1], 'g', ARGV[1])
end
return 1`;

/** Generations in Redis, where gateways compare them with each request. */
export function createRedisGenerationCache(redis: Redis): GenerationCache {
  return {
    raise: async (businessId, generation) => {
      // The braces keep all keys of a business in one slot of a Redis Cluster.
      const key = `gen:{${businessId}}`;
      await redis.eval(raiseScript, 1, key, generation, randomBytes(12).toString('base64url'));
    },
  };
}
