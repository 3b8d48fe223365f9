import { freePort } from '../process/free-port.ts';
import { findRedisServer } from '../redis/find-redis.ts';
import { pingRedis, startRedisServer } from '../redis/redis-server.ts';
import type { LocalDirectory } from './directory.ts';
import { freshLog } from './fresh-log.ts';
import type { Settings } from './settings.ts';
import type { Part } from './shutdown.ts';
import { StartError } from './start-error.ts';

/** The Redis that the services use. */
export interface LocalRedis {
  /** undefined: none, so the gateway counts in its own memory and asks identity-service for every request. */
  readonly url: string | undefined;
  /** What to tell the user. */
  readonly text: string;
  /** Set when it is a child of ours. */
  readonly part?: Part;
}

/** REDIS_URL where it is set, else a redis-server of our own where the PATH has one, else none. */
export async function startRedis(
  settings: Settings,
  directory: LocalDirectory,
  password: string,
): Promise<LocalRedis> {
  if (settings.redisUrl !== undefined) return useRedis(settings.redisUrl);
  const program = findRedisServer(process.env);
  if (program === undefined) {
    return { url: undefined, text: 'not on the PATH: the gateway counts in its own memory' };
  }
  const server = await startRedisServer({
    program,
    port: await freePort(),
    password,
    directory: directory.redis,
    logFile: freshLog(directory.logFile('redis')),
    records: directory.records,
  });
  const stop = () => server.process.stop('SIGTERM', 5_000);
  return { url: server.url, text: 'ready', part: { process: server.process, stop } };
}

async function useRedis(url: string): Promise<LocalRedis> {
  try {
    await pingRedis(url);
  } catch (cause) {
    throw new StartError('REDIS_URL does not answer: start that Redis, or unset REDIS_URL.', { cause });
  }
  return { url, text: 'the one of REDIS_URL answers' };
}
