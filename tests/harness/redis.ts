import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { freePort } from '../../deploy/local/process/free-port.ts';
import { findRedisServer, type RedisServerOptions, startRedisServer } from '../../deploy/local/redis.ts';
import { attachProcess, type ProcessId, processId, type TestProcess } from './attached-process.ts';
import { runDirectory } from './run-directory.ts';

/** A Redis server that a test may break. */
export interface TestRedis {
  readonly url: string;
  readonly port: number;
  /** Deletes every key; the server keeps running. */
  flush(): Promise<void>;
  /** Starts it again on the same port: empty, unless `save` ran before. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Writes a snapshot, which the next start loads, as in a failover to a stale replica. */
  save(): Promise<void>;
  /** SIGSTOP: connections stay open without any reply. */
  freeze(): void;
  thaw(): void;
  /** One command, as `command('HGETALL', 'gen:{1}')`. */
  command(name: string, ...args: string[]): Promise<unknown>;
  close(): Promise<void>;
  /** State with which another test file can continue to use it. */
  recipe(): RedisRecipe;
}

/** How a Redis was started, and which process that is. */
export interface RedisRecipe {
  readonly options: RedisServerOptions;
  readonly url: string;
  readonly process: ProcessId;
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
  const server = await startRedisServer(options);
  return testRedis(options, server.url, server.process);
}

/** A Redis that an earlier test file of this worker started; `onStart` is called when it was started again. */
export function attachRedis({ options, url, process }: RedisRecipe, onStart: () => void): TestRedis {
  return testRedis(options, url, attachProcess(process), onStart);
}

function testRedis(
  options: RedisServerOptions,
  url: string,
  first: TestProcess,
  onStart = () => {},
): TestRedis {
  let server = first;
  const command = redisCommand(url);
  const stop = async () => {
    server.send('SIGCONT');
    await server.stop('SIGTERM', 5_000);
  };
  return {
    url,
    port: options.port,
    flush: async () => void (await command('FLUSHALL')),
    start: async () => {
      if (server.isRunning()) return;
      server = (await startRedisServer(options)).process;
      onStart();
    },
    stop,
    save: async () => void (await command('SAVE')),
    freeze: () => server.send('SIGSTOP'),
    thaw: () => server.send('SIGCONT'),
    command,
    close: stop,
    recipe: () => ({ options, url, process: processId(server) }),
  };
}

/** One command on a connection of its own. */
function redisCommand(url: string): TestRedis['command'] {
  return async (name, ...args) => {
    const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null });
    // The command rejects with it.
    redis.on('error', () => undefined);
    try {
      await redis.connect();
      return await redis.call(name, ...args);
    } finally {
      redis.disconnect();
    }
  };
}
