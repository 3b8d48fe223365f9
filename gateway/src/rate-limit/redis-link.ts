import { withTimeout } from '@platform/service-kit/process/timeout.ts';
import type { RedisAddress } from '@platform/service-kit/redis/redis.ts';
import {
  createRedisClient,
  mastersOf,
  probeMasters,
  type RedisClient,
  refreshServers,
  watchRedis,
} from '@platform/service-kit/redis/redis.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { Gauge, type Registry } from '@platform/service-kit/telemetry/metrics.ts';

/** Milliseconds between probes while Redis is reachable, and while it is not. */
const probeEveryMs = 200;

const reconnectProbeMs = 50;

/**
 * Longest silence on one connection, in milliseconds, that counts as a pause of the same process with the same data.
 * A longer silence may be a failover behind a proxy.
 */
const maxPauseMs = 1_000;

/** Resolves to whether Redis is up to date; rejects when it is unreachable. */
type Probe = () => Promise<boolean>;

interface RedisLinkOptions {
  readonly address: RedisAddress;
  /** Milliseconds for one command. */
  readonly timeoutMs: number;
  readonly logger: Logger;
  readonly onConnect: (redis: RedisClient) => Promise<void>;
  /** Called when Redis becomes unreachable or reachable. */
  readonly onChange: (isUp: boolean) => void;
  /** Called with the milliseconds that a probe took, also one that failed. */
  readonly onProbed: (ms: number) => void;
  /** Called before Redis is used again after more than a pause, because it may have lost data. */
  readonly onDataLoss: () => void;
}

/** Whether Redis is reachable, and whether an outage is a pause or may have lost data. */
class Availability {
  readonly #options: Pick<RedisLinkOptions, 'logger' | 'onChange' | 'onDataLoss'>;
  #isUp = false;
  #lossCount = 0;
  #reachable = Promise.withResolvers<void>();
  #lostAt = Number.NEGATIVE_INFINITY;
  /** Whether all commands of this outage were merely late and the connection is still the same. */
  #mayPause = false;

  constructor(options: Pick<RedisLinkOptions, 'logger' | 'onChange' | 'onDataLoss'>) {
    this.#options = options;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** Incremented whenever Redis becomes unreachable. */
  get lossCount(): number {
    return this.#lossCount;
  }

  markLost(error?: unknown): void {
    this.#lossCount++;
    if (!this.#isUp) return;
    this.#isUp = false;
    this.#lostAt = performance.now();
    this.#reachable = Promise.withResolvers();
    this.#options.logger.warn({ err: error }, 'redis is unreachable');
    this.#options.onChange(false);
  }

  markUp(): void {
    if (this.#isUp) return;
    if (!this.#isPause()) this.#options.onDataLoss();
    this.#isUp = true;
    this.#mayPause = true;
    this.#options.logger.info('redis is reachable');
    this.#options.onChange(true);
    this.#reachable.resolve();
  }

  /** The current outage, if there is one, is more than a pause. */
  endPause(): void {
    this.#mayPause = false;
  }

  async untilUp(limitMs: number): Promise<boolean> {
    if (!this.#isUp && limitMs > 0 && this.#isPause())
      await withTimeout(this.#reachable.promise, limitMs).catch(() => undefined);
    return this.#isUp;
  }

  /** Resolves when Redis is reachable for the first time, or after `limitMs` milliseconds. */
  untilFirstUp(limitMs: number): Promise<void> {
    setTimeout(this.#reachable.resolve, limitMs).unref();
    return this.#reachable.promise;
  }

  #isPause(): boolean {
    return this.#mayPause && performance.now() - this.#lostAt < maxPauseMs;
  }
}

/**
 * A connection to Redis that knows whether it is usable. A Cluster is one Redis: it is unreachable when one server
 * is, or when a replica takes over, which may lack writes of its master.
 */
export class RedisLink {
  readonly redis: RedisClient;
  /** Milliseconds for one command; then Redis counts as unreachable, and the script must not count. */
  readonly timeoutMs: number;
  readonly #onProbed: RedisLinkOptions['onProbed'];
  readonly #availability: Availability;
  #timer: NodeJS.Timeout | undefined;
  #probe: Probe | undefined;

  constructor(options: RedisLinkOptions) {
    const { address, timeoutMs, onConnect, onProbed } = options;
    this.redis = createRedisClient(address, { followsRedirects: false, autoPipelining: false });
    this.timeoutMs = timeoutMs;
    this.#onProbed = onProbed;
    this.#availability = new Availability(options);
    watchRedis(this.redis, {
      onReady: () => {
        void onConnect(this.redis);
        void this.#probeAgain();
      },
      onLost: (error) => {
        this.#availability.endPause();
        this.#availability.markLost(error);
      },
    });
  }

  /** Connects and starts to probe. Resolves when Redis is reachable, or after `limitMs` milliseconds. */
  open(probe: Probe, limitMs: number): Promise<void> {
    this.#probe = probe;
    this.redis.connect().catch(() => undefined);
    void this.#probeAgain();
    return this.#availability.untilFirstUp(limitMs);
  }

  close(): void {
    this.#probe = undefined;
    clearTimeout(this.#timer);
    this.redis.disconnect();
  }

  isUp(): boolean {
    return this.#availability.isUp;
  }

  /** Waits up to `limitMs` milliseconds for Redis to come back from a pause. Resolves to whether it is reachable. */
  untilUp(limitMs: number): Promise<boolean> {
    return this.#availability.untilUp(limitMs);
  }

  /** A command failed: Redis is not used until a probe succeeds. */
  reportFailure(error: unknown): void {
    this.#availability.markLost(error);
    refreshServers(this.redis);
  }

  /** Rejects after `timeoutMs`. */
  withTimeout<T>(commands: Promise<T>): Promise<T> {
    let isLate = false;
    commands.then(
      () => isLate && this.#probeSoon(),
      () => this.#availability.endPause(),
    );
    return withTimeout(commands, this.timeoutMs).catch((error: unknown) => {
      isLate = true;
      throw error;
    });
  }

  /** A late reply shows that Redis is alive, so the next probe need not wait. */
  #probeSoon(): void {
    if (this.isUp() || this.#probe === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#probeAgain(), 0);
  }

  async #probeAgain(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#probe === undefined) return;
    await this.#probeOnce(this.#probe);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#probeAgain(), this.isUp() ? probeEveryMs : reconnectProbeMs);
  }

  async #probeOnce(probe: Probe): Promise<void> {
    if (this.redis.status !== 'ready') return;
    // A probe that began before a loss does not end the outage.
    const lossCountBefore = this.#availability.lossCount;
    const startedAt = performance.now();
    try {
      await this.withTimeout(probeMasters(this.redis));
      if ((await probe()) && this.#availability.lossCount === lossCountBefore) this.#availability.markUp();
    } catch (error) {
      this.reportFailure(error);
    } finally {
      this.#onProbed(performance.now() - startedAt);
    }
  }
}

/** Creates a check for new connections: warns when Redis may evict keys. */
export function createEvictionCheck(registry: Registry, logger: Logger): RedisLinkOptions['onConnect'] {
  const evicts = new Gauge({
    name: 'gateway_redis_evicts',
    help: '1 when maxmemory-policy of Redis is not noeviction',
    registers: [registry],
  });
  return async (redis) => {
    // CONFIG may be forbidden; INFO has the policy, too.
    const infos = mastersOf(redis).map((server) => server.info('memory').catch(() => ''));
    const policies = (await Promise.all(infos)).map((info) => /^maxmemory_policy:(\S+)/m.exec(info)?.[1]);
    const policy = policies.find((name) => name !== undefined && name !== 'noeviction');
    evicts.set(policy === undefined ? 0 : 1);
    if (policy === undefined) return;
    logger.warn(
      { policy },
      'maxmemory-policy of redis should be noeviction: counts and revocations may be lost',
    );
  };
}
