import { z } from 'zod';
import type { Limiter } from '../access/batcher.ts';
import {
  createLocalLimiter,
  createRedisClock,
  type LocalLimiter,
  type RedisClock,
  reuseAfterMs,
} from './local-limiter.ts';
import { createRedisLimiter, type RedisLimiter } from './redis-limiter.ts';
import type { RedisLink } from './redis-link.ts';
import { createRedisRollingHour, type RedisRollingHour, type Scripts } from './redis-rolling-hour.ts';

/** Milliseconds to wait for a silent peer. */
const maxPeerWaitMs = 2_000;

/** Own heartbeats (30 s of them) after which a silent peer counts as gone. */
const maxMissedBeats = 150;

/** Own heartbeats (2 s of them) after which a silent peer is not waited for. */
const maxSilentBeats = 10;

/** Milliseconds after the first contact within which gateways that started together learn of each other. */
const introductionMs = 1_000;

/** Number of gateways that is assumed while their real number is unknown. */
const assumedGateways = 4;

/** TTL of a counter in Redis. A gateway that has run for this long has counted every credential in use. */
const keyTtlMs = 3_720_000;

/** Share of the limit while only peers may know a credential. */
const lateShare = 1 / 16;

const replyShape = z.tuple([z.number()], z.string());

interface Peer {
  /** Time of Redis at its last heartbeat, in milliseconds. */
  lastBeatAt: number;
  /** Own heartbeats since `lastBeatAt` changed. */
  missed: number;
}

/**
 * The gateways that count in one Redis. Each sends a heartbeat every 200 ms and remembers its peers, because an empty Redis
 * does not.
 */
class Membership {
  readonly #ownId: string;
  readonly #monotonicNow: () => number;
  readonly #peers = new Map<string, Peer>();
  /** Time of Redis, and monotonic time, at the first reply after Redis became reachable. */
  #contact: { readonly at: number; readonly since: number } | undefined;
  /** Monotonic time at which this gateway knows every credential that any gateway has counted. */
  #completeFrom: number | undefined;
  /** Cached, because every request needs their number. */
  #ids: readonly string[];
  #introducedFrom = Number.POSITIVE_INFINITY;

  constructor(ownId: string, monotonicNow: () => number) {
    this.#ownId = ownId;
    this.#monotonicNow = monotonicNow;
    this.#ids = [ownId];
  }

  /** Ids of all gateways, this one first, then those that were heard of last. */
  ids(): readonly string[] {
    return this.#ids;
  }

  /** Those of them that have sent a heartbeat within about `maxPeerWaitMs`. */
  activeIds(): string[] {
    return [this.#ownId, ...this.#heardWithin(maxSilentBeats).map(([id]) => id)];
  }

  /**
   * Applies a heartbeat's reply.
   * @returns the time of Redis in milliseconds
   */
  applyHeartbeat(reply: unknown): number {
    const [now, ...fields] = replyShape.parse(reply);
    this.#contact ??= { at: now, since: this.#monotonicNow() };
    this.#introducedFrom = Math.min(this.#introducedFrom, this.#monotonicNow() + introductionMs);
    let touchedAt = Number.NEGATIVE_INFINITY;
    for (let i = 0; i + 1 < fields.length; i += 2) {
      const [id = '', time] = [fields[i], Number(fields[i + 1])];
      if (id === 'touched') touchedAt = time;
      else if (id !== this.#ownId) this.#updatePeer(id, time);
    }
    for (const peer of this.#peers.values()) peer.missed++;
    const latestFirst = this.#present().sort(([, a], [, b]) => a.missed - b.missed);
    this.#ids = [this.#ownId, ...latestFirst.map(([id]) => id)];
    if (this.allReported())
      this.#completeFrom ??= this.#monotonicNow() + Math.max(0, touchedAt + keyTtlMs - now);
    return now;
  }

  /** Redis has become unreachable. */
  markLost(): void {
    this.#contact = undefined;
    for (const [, peer] of this.#present()) peer.missed = 0;
  }

  /**
   * Whether every peer has sent a heartbeat since Redis became reachable; silent peers are waited for
   * `maxPeerWaitMs`.
   */
  allReported(): boolean {
    if (this.#contact === undefined) return false;
    const { at, since } = this.#contact;
    return (
      this.#monotonicNow() - since >= maxPeerWaitMs ||
      this.#present().every(([, { lastBeatAt }]) => lastBeatAt > at)
    );
  }

  /** Number of gateways that share the rest of a limit. At least four are assumed until all could announce themselves. */
  sharers(): number {
    const known = this.#ids.length;
    return this.#monotonicNow() < this.#introducedFrom ? Math.max(assumedGateways, known) : known;
  }

  /** See `LocalLimiterDeps.shareForUnknown`. */
  shareForUnknown(): number {
    if (this.#completeFrom === undefined) return 1 / assumedGateways;
    return this.#monotonicNow() >= this.#completeFrom ? 1 / (this.#present().length + 1) : lateShare;
  }

  #present(): (readonly [string, Peer])[] {
    return this.#heardWithin(maxMissedBeats);
  }

  #heardWithin(beats: number): (readonly [string, Peer])[] {
    return [...this.#peers].filter(([, { missed }]) => missed <= beats);
  }

  #updatePeer(id: string, lastBeatAt: number): void {
    const known = this.#peers.get(id);
    if (lastBeatAt < 0) this.#peers.delete(id);
    else if (known?.lastBeatAt !== lastBeatAt) this.#peers.set(id, { lastBeatAt, missed: 0 });
  }
}

interface LimitersDeps {
  /** Id of this gateway: a `g`, then letters or digits. */
  readonly id: string;
  readonly link: Pick<RedisLink, 'redis' | 'timeoutMs' | 'withTimeout' | 'isUp' | 'reportFailure'>;
  readonly scripts: Scripts;
  readonly maxCredentials: number;
  /** Milliseconds on a monotonic clock, and on the wall clock. */
  readonly monotonicNow: () => number;
  readonly wallNow: () => number;
  readonly pause: (ms: number) => Promise<void>;
}

/** The two limiters of a gateway, and the switch between them. */
export class Limiters {
  readonly #deps: LimitersDeps;
  readonly #clock: RedisClock;
  readonly #membership: Membership;
  readonly #rollingHour: RedisRollingHour;
  readonly #redisLimiter: RedisLimiter;
  readonly #localLimiter: LocalLimiter;
  #lostAt: number;
  #hasConnected = false;
  #hasJoined = false;

  constructor(deps: LimitersDeps) {
    const { id, link, scripts, maxCredentials, monotonicNow, pause } = deps;
    this.#deps = deps;
    const clock = createRedisClock(monotonicNow, deps.wallNow);
    const membership = new Membership(id, monotonicNow);
    this.#clock = clock;
    this.#membership = membership;
    this.#lostAt = clock.now();
    const shareForUnknown = () => membership.shareForUnknown();
    this.#localLimiter = createLocalLimiter(
      { now: clock.now, lostAt: () => this.#lostAt, shareForUnknown },
      maxCredentials,
    );
    this.#rollingHour = createRedisRollingHour({
      id,
      link,
      clock,
      gatewayIds: () => membership.ids(),
      activeIds: () => membership.activeIds(),
      sharers: () => membership.sharers(),
      scripts,
    });
    this.#redisLimiter = createRedisLimiter({
      rollingHour: this.#rollingHour,
      link,
      local: this.#localLimiter,
      monotonicNow,
      pause,
    });
  }

  /** Counts in Redis while it is reachable. */
  get redisLimiter(): Limiter {
    return this.#redisLimiter;
  }

  /** Counts in this process while Redis is unreachable. */
  get localLimiter(): Limiter {
    return this.#localLimiter;
  }

  /** Milliseconds since 1970 on the clock of Redis. */
  now(): number {
    return this.#clock.now();
  }

  /**
   * Settles and sends a heartbeat. Resolves to whether Redis has the counts of all gateways; rejects when it is
   * unreachable.
   */
  async probe(): Promise<boolean> {
    try {
      if (!this.#deps.link.isUp()) await this.#connect();
      await this.#redisLimiter.settlePending();
      await this.#heartbeat('here');
      const allReported = this.#membership.allReported();
      this.#hasJoined ||= allReported;
      const wasShort = this.now() - this.#lostAt < reuseAfterMs / 2;
      return allReported || (this.#hasJoined && wasShort);
    } catch (error) {
      this.#membership.markLost();
      throw error;
    }
  }

  /** Releases what is reserved for this gateway, on request of another. */
  async releaseReserve(...args: Parameters<RedisLimiter['releaseReserve']>): Promise<void> {
    if (this.#hasConnected) await this.#redisLimiter.releaseReserve(...args);
  }

  /** Redis has become unreachable. */
  markLost(): void {
    this.#lostAt = this.now();
    this.#membership.markLost();
  }

  /** Announces the shutdown: peers need not wait for this gateway. */
  leave(): Promise<void> {
    return this.#heartbeat('left');
  }

  /** One small command before many; it also sets the clock before anything is settled. */
  async #connect(): Promise<void> {
    await this.#heartbeat('query');
    if (!this.#hasConnected) this.#localLimiter.rebase(this.now());
    this.#hasConnected = true;
  }

  async #heartbeat(status: 'here' | 'left' | 'query'): Promise<void> {
    const { id, link, scripts } = this.#deps;
    const args = [this.now() + link.timeoutMs, id, this.#rollingHour.takeTouched() ? 1 : 0, status];
    const reply = await link.withTimeout(scripts.heartbeat(link.redis, ['gateways'], args));
    this.#clock.sync(this.#membership.applyHeartbeat(reply));
  }
}

/** Without Redis there are no peers: every request is counted here. */
export function createStandaloneLimiter(now: () => number, maxCredentials: number): Limiter {
  return createLocalLimiter({ now, lostAt: () => 0, shareForUnknown: () => 1 }, maxCredentials);
}
