import { randomBytes } from 'node:crypto';
import { inTime } from '@platform/service-kit/in-time.ts';
import type { RedisClient } from '@platform/service-kit/redis-client.ts';
import { z } from 'zod';
import type { GenerationCache } from '../generations/generation-cache.ts';

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

/** Milliseconds that a replica may take to have it, and everything together. */
const replicaLimitMs = 500;
const raiseLimitMs = 1_000;

const replies = z.tuple([z.tuple([z.null(), z.number()]), z.tuple([z.null(), z.number()])]);

/**
 * Generations in Redis, where gateways compare them with each request. Where there are replicas, one of them has to have
 * it: the master may die the moment after. (Gateways forget what they know when another server takes over; this is for
 * those that cannot see it, behind a proxy.)
 */
export function createRedisGenerationCache(redis: RedisClient): GenerationCache {
  async function raiseOnce(businessId: number, generation: number): Promise<void> {
    // The braces keep all keys of a business in one slot of a Redis Cluster.
    const args = [`gen:{${businessId}}`, generation, randomBytes(12).toString('base64url')];
    const replicas = z.number().parse(await redis.eval(raiseScript, 1, ...args));
    if (replicas === 0) return;
    // Together, so that both go to one server over one connection.
    const both = redis
      .pipeline()
      .eval(raiseScript, 1, ...args)
      .call('WAIT', '1', String(replicaLimitMs));
    const [, [, acknowledged]] = replies.parse(await both.exec());
    if (acknowledged === 0) throw new Error('no replica of Redis has the generation');
  }

  return {
    raise: (businessId, generation) => inTime(raiseOnce(businessId, generation), raiseLimitMs),
  };
}
