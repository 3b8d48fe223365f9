import { Redis } from 'ioredis';
import { type Child, startChild } from '../process/child.ts';
import { untilReady } from '../process/until-ready.ts';

export interface RedisServer {
  readonly process: Child;
  readonly port: number;
  readonly url: string;
}

export interface RedisServerOptions {
  /** Path of the program. */
  readonly program: string;
  readonly port: number;
  /** Clients must show it. */
  readonly password: string;
  /** Working directory: snapshots go there. */
  readonly directory: string;
  readonly logFile: string;
  readonly records: string;
  /** More lines of its configuration. */
  readonly settings?: readonly string[];
}

/** Starts a Redis server on the loopback address, keeping nothing on disk, and waits until it answers. */
export async function startRedisServer(options: RedisServerOptions): Promise<RedisServer> {
  const { port, password, directory } = options;
  const settings = [
    'bind 127.0.0.1',
    `port ${port}`,
    `requirepass ${password}`,
    `dir "${directory}"`,
    'save ""',
    'appendonly no',
    ...(options.settings ?? []),
  ];
  const child = await startChild({
    name: 'redis-server',
    command: options.program,
    args: ['-'],
    stdin: `${settings.join('\n')}\n`,
    env: { PATH: process.env.PATH ?? '' },
    logFile: options.logFile,
    records: options.records,
    endSignal: 'SIGTERM',
  });
  const url = `redis://:${password}@127.0.0.1:${port}`;
  await untilReady(child, () => pingRedis(url), 10_000);
  return { process: child, port, url };
}

/** @throws when no Redis answers there */
export async function pingRedis(url: string): Promise<void> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null, connectTimeout: 1_000 });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    await redis.ping();
  } finally {
    redis.disconnect();
  }
}
