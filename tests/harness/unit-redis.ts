import { afterAll, beforeAll } from '@jest/globals';
import { Redis } from 'ioredis';
import { startRedis, type TestRedis } from './redis.ts';
import { beginRun, type Run } from './run.ts';

/** Starts a Redis for the unit tests of a file, and hands over a connection before the first. */
export function useRedis(onOpen: (redis: Redis) => void): void {
  let run: Run;
  let server: TestRedis;
  let redis: Redis;
  beforeAll(async () => {
    run = await beginRun({ redisOnly: true });
    server = await startRedis();
    redis = new Redis(server.url);
    onOpen(redis);
  });
  afterAll(async () => {
    await redis.quit();
    await server.close();
    await run.end();
  });
}
