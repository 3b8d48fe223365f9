import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RedisClient } from '@platform/service-kit/redis-client.ts';

/** A script that Redis runs in one step. */
export type Script = (
  redis: RedisClient,
  keys: readonly string[],
  args: readonly (string | number)[],
) => Promise<unknown>;

const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');
const ring = read('ring.lua');

/** Source of each script. */
export const scriptSources = {
  admit: ring + read('admit.lua'),
  settle: ring + read('settle.lua'),
  heartbeat: read('heartbeat.lua'),
};

/** Sent by its digest, and whole to a server that does not know it yet. */
export function createScript(source: string): Script {
  const digest = createHash('sha1').update(source).digest('hex');
  return async (redis, keys, args) => {
    try {
      return await redis.evalsha(digest, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof Error && error.message.includes('NOSCRIPT'))) throw error;
      return await redis.eval(source, keys.length, ...keys, ...args);
    }
  };
}
