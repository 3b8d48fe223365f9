import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { freePort } from '../../deploy/local/process/free-port.ts';
import { findRedisServer } from '../../deploy/local/redis/find-redis.ts';
import { type RedisServer, startRedisServer } from '../../deploy/local/redis/redis-server.ts';
import { runDirectory } from './run-directory.ts';

/** A Redis server that a test may break. */
export interface TestRedis {
  readonly url: string;
  readonly port: number;
  /** Every key is gone, the server lives. */
  flush(): Promise<void>;
  /** Starts it again on the same port: empty, unless `save` ran before. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Writes a snapshot, which the next start loads: the past comes back, as in a failover to a stale replica. */
  save(): Promise<void>;
  /** SIGSTOP: connections stay open and nothing answers. */
  freeze(): void;
  thaw(): void;
  /** One command, as `command('HGETALL', 'gen:{1}')`. */
  command(name: string, ...args: string[]): Promise<unknown>;
  close(): Promise<void>;
}

/** Starts a Redis server of the test's own. */
export async function startRedis(): Promise<TestRedis> {
  const program = findRedisServer(process.env);
  if (program === undefined) throw new Error('redis-server is gone.');
  const { newDirectory, newLogFile, records } = runDirectory();
  const options = {
    program,
    port: await freePort(),
    password: randomBytes(16).toString('hex'),
    directory: newDirectory('redis'),
    logFile: newLogFile('redis'),
    records,
  };
  let server: RedisServer = await startRedisServer(options);
  const command = async (name: string, ...args: string[]) => {
    const redis = new Redis(server.url, { lazyConnect: true, retryStrategy: () => null });
    try {
      await redis.connect();
      return await redis.call(name, ...args);
    } finally {
      redis.disconnect();
    }
  };
  const stop = async () => {
    server.process.send('SIGCONT');
    await server.process.stop('SIGTERM', 5_000);
  };
  return {
    url: server.url,
    port: options.port,
    flush: async () => void (await command('FLUSHALL')),
    start: async () => {
      if (!server.process.isRunning()) server = await startRedisServer(options);
    },
    stop,
    save: async () => void (await command('SAVE')),
    freeze: () => server.process.send('SIGSTOP'),
    thaw: () => server.process.send('SIGCONT'),
    command,
    close: stop,
  };
}
