import { randomBytes } from 'node:crypto';
import { withTimeout } from '@platform/service-kit/process/timeout.ts';
import type { RedisClient } from '@platform/service-kit/redis/redis.ts';
import { followSlot } from '@platform/service-kit/redis/redis-slots.ts';
import { z } from 'zod';

/** The shared store from which gateways read the credential generation of a business. */
export interface GenerationCache {
  /** Raises the generation, never lowers it. Rejects when that is not certain in time. */
  raise(businessId: number, generation: number): Promise<void>;
}

/** Without Redis: gateways authorize every request, so there is nothing to publish. */
export const noGenerationCache: GenerationCache = { raise: async () => {} };

/*
 * KEYS[1]: the hash of the business with its fields g (generation) and i (incarnation: set once, when the hash is created,
 * so that gateways notice when it was lost). ARGV: generation, incarnation of a new hash. The script always writes, because
 * WAIT waits for writes of its own connection. Returns the number of replicas.
 */
const raiseScript = `
redis.call('HSETNX', KEYS[1], 'i', ARGV[2])
local known = redis.call('HGET', KEYS[1], 'g')
redis.call('HSET', KEYS[1], 'g', math.max(tonumber(known or 0), tonumber(ARGV[1])))
return tonumber(string.match(redis.call('INFO', 'replication'), 'connected_slaves:(%d+)'))`;

/** Milliseconds within which a replica must acknowledge a generation. */
const replicaLimitMs = 500;

const replies = z.tuple([z.tuple([z.null(), z.number()]), z.tuple([z.null(), z.number()])]);

/**
 * Generations in Redis, which gateways compare with each request. If Redis has replicas, one of them must acknowledge, since
 * the master may fail right after. (Gateways drop their caches when another server takes over, but behind a proxy they
 * cannot see that.)
 * @param limitMs total time for raising one generation
 */
export function createRedisGenerationCache(redis: RedisClient, limitMs: number): GenerationCache {
  async function raiseOnce(businessId: number, generation: number): Promise<void> {
    // The braces keep all keys of a business in one slot of a Redis Cluster.
    const args = [`gen:{${businessId}}`, generation, randomBytes(12).toString('base64url')];
    const raise = (server: RedisClient) => server.eval(raiseScript, 1, ...args);
    const replicas = z.number().parse(await followSlot(redis, raise, limitMs));
    if (replicas === 0) return;
    // Together, so that both go to one server over one connection.
    const raiseTwice = async (server: RedisClient) => {
      const both = server.pipeline().eval(raiseScript, 1, ...args);
      const results = await both.call('WAIT', '1', String(replicaLimitMs)).exec();
      const error = results?.find(([failure]) => failure !== null)?.[0];
      if (error) throw error;
      return results;
    };
    const [, [, acknowledged]] = replies.parse(await followSlot(redis, raiseTwice, limitMs));
    if (acknowledged === 0) throw new Error('no replica of Redis has the generation');
  }

  return {
    raise: (businessId, generation) => withTimeout(raiseOnce(businessId, generation), limitMs),
  };
}
