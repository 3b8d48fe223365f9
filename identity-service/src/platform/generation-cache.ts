import { randomBytes } from 'node:crypto';
import { withTimeout } from '@platform/service-kit/process/timeout.ts';
import type { RedisClient } from '@platform/service-kit/redis/redis.ts';
import { followSlot } from '@platform/service-kit/redis/redis-slots.ts';
import { z } from 'zod';

/** The shared memory in which gateways see a business's credential generation. */
export interface GenerationCache {
  /** Raises the generation, never lowers it. Rejects when that is not certain in time. */
  raise(businessId: number, generation: number): Promise<void>;
}

/** Without Redis: gateways authorize every request, so there is nothing to publish. */
export const noGenerationCache: GenerationCache = { raise: async () => {} };

/*
 * KEYS[1]: the business's hash, its fields g (generation) and i (incarnation: set once, when the hash comes to be, so
 * that gateways notice when it was lost in between). ARGV: generation, incarnation of a new hash. It always writes, since
 * WAIT waits for this connection's own writes. Returns the number of replicas.
 */
const raiseScript = `
redis.call('HSETNX', KEYS[1], 'i', ARGV[2])
local known = redis.call('HGET', KEYS[1], 'g')
redis.call('HSET', KEYS[1], 'g', math.max(tonumber(known or 0), tonumber(ARGV[1])))
return tonumber(string.match(redis.call('INFO', 'replication'), 'connected_slaves:(%d+)'))`;

/** Milliseconds that a replica may take to have it. */
const replicaLimitMs = 500;

const replies = z.tuple([z.tuple([z.null(), z.number()]), z.tuple([z.null(), z.number()])]);

/**
 * Generations in Redis, where gateways compare them with each request. Where there are replicas, one of them has to have
 * it: the master may die the moment after. (Gateways forget what they know when another server takes over; this is for
 * those that cannot see it, behind a proxy.)
 * @param limitMs for everything together
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
