import { mastersOf, type RedisClient } from '@platform/service-kit/redis/redis.ts';
import { z } from 'zod';
import type { RaisedGeneration } from '../platform/credential-generations.ts';

const hashKey = /^gen:\{(\d+)\}$/;

/** Keys that are scanned in one step. */
const scanSize = 1_000;

/** All generations in Redis, including those of businesses without one in the backup. May contain duplicates. */
export async function* knownGenerations(redis: RedisClient): AsyncGenerator<RaisedGeneration[]> {
  for (const server of mastersOf(redis)) {
    for await (const keys of server.scanStream({ match: 'gen:{*}', count: scanSize })) {
      const found = z.array(z.string()).parse(keys);
      const known = await Promise.all(found.map((key) => readGeneration(redis, key)));
      // Most pages of a large Redis contain counters only.
      if (found.length > 0) yield known.flatMap((each) => each ?? []);
    }
  }
}

async function readGeneration(redis: RedisClient, key: string): Promise<RaisedGeneration | undefined> {
  const businessId = hashKey.exec(key)?.[1];
  const generation = businessId === undefined ? null : await redis.hget(key, 'g');
  return generation === null
    ? undefined
    : { businessId: Number(businessId), generation: z.coerce.number().int().parse(generation) };
}
