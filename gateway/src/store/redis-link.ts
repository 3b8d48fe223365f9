import { inTime } from '@platform/service-kit/in-time.ts';
import type { Logger } from '@platform/service-kit/logger.ts';
import { Redis } from 'ioredis';

/** Milliseconds that one command may take; then Redis counts as lost. */
const commandBudgetMs = 50;
const probeEveryMs = 200;

/** A connection to Redis that says whether it is worth asking. */
export interface RedisLink {
  readonly redis: Redis;
  /** What commands of `redis` come to, within the time that they may take. */
  within<T>(commands: Promise<T>): Promise<T>;
  isUp(): boolean;
  /** A command failed: ask no more until a probe succeeds. */
  reportFailure(error: unknown): void;
  close(): void;
}

interface RedisLinkOptions {
  readonly url: string;
  readonly logger: Logger;
  /** Called whenever Redis may have lost its memory without telling. */
  readonly onLost: () => void;
}

export function createRedisLink({ url, logger, onLost }: RedisLinkOptions): RedisLink {
  const redis = new Redis(url, {
    connectTimeout: 1_000,
    socketTimeout: 2_000,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 50, 500),
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  });
  let up = false;

  function setUp(value: boolean, err?: unknown): void {
    if (up === value) return;
    up = value;
    if (value) logger.info('redis is back');
    else logger.warn({ err }, 'redis is lost');
    onLost();
  }

  const within = <T>(commands: Promise<T>) => inTime(commands, commandBudgetMs);

  redis.on('ready', () => setUp(true));
  redis.on('close', () => setUp(false));
  redis.on('error', (error) => setUp(false, error));
  const probe = setInterval(() => {
    within(redis.ping()).then(
      () => setUp(true),
      (error: unknown) => setUp(false, error),
    );
  }, probeEveryMs);

  return {
    redis,
    within,
    isUp: () => up,
    reportFailure: (error) => setUp(false, error),
    close: () => {
      clearInterval(probe);
      redis.disconnect();
    },
  };
}
