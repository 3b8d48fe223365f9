import { inTime } from '@platform/service-kit/in-time.ts';
import type { Logger } from '@platform/service-kit/logger.ts';
import { Redis } from 'ioredis';

/** Milliseconds that one command may take; then Redis counts as lost, and must not count what it finds too late. */
export const commandBudgetMs = 50;
/** Milliseconds between two probes, and between those that lead back to Redis. */
const probeEveryMs = 200;
const returnEveryMs = 50;

/** A connection to Redis that says whether it is worth asking. */
export interface RedisLink {
  readonly redis: Redis;
  /** What commands of `redis` come to, within the time that they may take. */
  within<T>(commands: Promise<T>): Promise<T>;
  isUp(): boolean;
  /** A command failed: ask no more until a probe succeeds. */
  reportFailure(error: unknown): void;
  /** Begins to probe. Resolves when Redis is up, or after `limitMs` milliseconds. */
  open(probe: Probe, limitMs: number): Promise<void>;
  close(): void;
}

/** Asks Redis whether it is there, and says whether it is up to date. Rejects when it is not there. */
export type Probe = () => Promise<boolean>;

interface RedisLinkOptions {
  readonly url: string;
  readonly logger: Logger;
  readonly onConnect: (redis: Redis) => Promise<void>;
  /** Called when Redis is lost, and when it is back: in between it may have lost its memory without telling. */
  readonly onChange: (isUp: boolean) => void;
}

export function createRedisLink({ url, logger, onConnect, onChange }: RedisLinkOptions): RedisLink {
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
    onChange(value);
  }

  const within = <T>(commands: Promise<T>) => inTime(commands, commandBudgetMs);

  let timer: NodeJS.Timeout | undefined;
  let probe: Probe | undefined;
  const firstUp = Promise.withResolvers<void>();

  async function probeNow(): Promise<void> {
    clearTimeout(timer);
    try {
      if (redis.status === 'ready' && (await probe?.()) === true) setUp(true);
    } catch (error) {
      setUp(false, error);
    }
    if (up) firstUp.resolve();
    clearTimeout(timer);
    if (probe !== undefined) timer = setTimeout(probeNow, up ? probeEveryMs : returnEveryMs);
  }

  redis.on('ready', () => {
    void onConnect(redis);
    void probeNow();
  });
  redis.on('close', () => setUp(false));
  redis.on('error', (error) => setUp(false, error));

  return {
    redis,
    within,
    isUp: () => up,
    reportFailure: (error) => setUp(false, error),
    open: (given, limitMs) => {
      probe = given;
      void probeNow();
      setTimeout(firstUp.resolve, limitMs).unref();
      return firstUp.promise;
    },
    close: () => {
      probe = undefined;
      clearTimeout(timer);
      redis.disconnect();
    },
  };
}
