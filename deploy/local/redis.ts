import { Redis } from 'ioredis';
import { freshLog, type LocalDirectory } from './directory.ts';
import { type Child, startChild, untilReady } from './process/child.ts';
import { freePort } from './process/free-port.ts';
import { findProgram } from './process/install-packages.ts';
import { StartError } from './settings.ts';
import type { Part } from './supervisor.ts';

/** Path of redis-server: REDIS_SERVER, or the first on the PATH. Undefined when there is none. */
export function findRedisServer(environment: NodeJS.ProcessEnv): string | undefined {
  return findProgram(environment.REDIS_SERVER, ['redis-server'], environment);
}

export interface RedisServer {
  readonly process: Child;
  readonly port: number;
  readonly url: string;
}

export interface RedisServerOptions {
  /** Path of the program. */
  readonly program: string;
  readonly port: number;
  /** Password that clients must send. */
  readonly password: string;
  /** Working directory: snapshots go there. */
  readonly directory: string;
  readonly logFile: string;
  readonly records: string;
  /** More lines of its configuration. */
  readonly settings?: readonly string[];
}

/** Starts a Redis server on the loopback address, keeping nothing on disk, and waits until it responds. */
export async function startRedisServer(options: RedisServerOptions): Promise<RedisServer> {
  const { port, password, directory } = options;
  const settings = [
    'bind 127.0.0.1',
    `port ${port}`,
    `requirepass ${password}`,
    `dir "${directory.replaceAll(/[\\"]/g, String.raw`\$&`)}"`,
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
  await untilReady(child, () => pingRedis(url), 30_000);
  return { process: child, port, url };
}

/** @throws when no Redis responds there */
async function pingRedis(url: string): Promise<void> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null, connectTimeout: 1_000 });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    await redis.ping();
  } finally {
    redis.disconnect();
  }
}

/** The Redis that the services use. */
export interface LocalRedis {
  /** undefined: none, so the gateway counts in its own memory and asks identity-service for every request. */
  readonly url: string | undefined;
  /** For the user. */
  readonly text: string;
  /** Set when it is a child of ours. */
  readonly part?: Part;
}

/** `url` where it is set, else a redis-server of our own where the PATH has one, else none. @throws StartError */
export async function startRedis(
  url: string | undefined,
  directory: LocalDirectory,
  password: string,
): Promise<LocalRedis> {
  if (url !== undefined) {
    await pingRedis(url).catch((cause) => {
      throw new StartError('REDIS_URL does not respond: start that Redis, or unset REDIS_URL.', { cause });
    });
    return { url, text: 'the one of REDIS_URL' };
  }
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
