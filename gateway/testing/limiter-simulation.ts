import { hourMs } from '@platform/service-kit/values/rolling-hour.ts';
import type { Redis } from 'ioredis';
import { Limiters } from '../src/rate-limit/limiters.ts';
import { createScripts, type Script } from '../src/rate-limit/redis-rolling-hour.ts';
import { onTestClock, setTestClock } from './on-test-clock.ts';
import { allowedWith } from './sample-authorization.ts';

/*
 * Gateways in this process, on a clock that the test moves, over a real Redis that runs the real scripts: how many
 * requests they admit together through failures of Redis.
 */

/** Milliseconds since 1970 on the clock of the simulation. */
const start = 1_750_000_000_000;

const scripts = createScripts(0, onTestClock);

/** Key of the counter that all gateways share. */
export const key = 'requests:{1}:key_1';

/** Credentials that a gateway remembers. */
export const maxCredentials = 10;

/** The clock, Redis, and the gateways around it. */
export class Simulation {
  now = start;
  isFrozen = false;
  /** Milliseconds by which the clock of Redis is ahead. */
  aheadMs = 0;
  /** Replies until one is dropped. */
  repliesUntilDrop = Number.POSITIVE_INFINITY;
  readonly log: { at: number; admitted: number }[] = [];
  /** Commands sent while Redis was frozen: they run when it thaws, their replies are lost. */
  private readonly late: (() => Promise<unknown>)[] = [];
  readonly gateways: Gateway[];
  readonly redis: Redis;
  readonly limit: number;
  constructor(redis: Redis, limit: number, count: number) {
    this.redis = redis;
    this.limit = limit;
    this.gateways = Array.from({ length: count }, (_, index) => new Gateway(this, `g${index}`));
  }

  /** Connects the first so many gateways, all where absent, to an empty Redis. */
  async begin(connected = this.gateways.length): Promise<void> {
    await this.redis.flushall();
    await setTestClock(this.redis, this.now);
    await this.recover(this.gateways.slice(0, connected));
  }
  /** Runs a script as a gateway does. */
  through(script: Script): Script {
    return async (client, keys, args) => {
      if (this.isFrozen) this.late.push(() => script(client, keys, args));
      const reply = this.isFrozen ? undefined : await script(client, keys, args);
      if (!this.isFrozen && --this.repliesUntilDrop >= 0) return reply;
      this.repliesUntilDrop = Number.POSITIVE_INFINITY;
      throw new Error('timed out after 50 ms');
    };
  }
  async wait(ms: number): Promise<void> {
    this.now += ms;
    await setTestClock(this.redis, this.now + this.aheadMs);
  }
  /** Sets the clock of Redis only, to so much ahead. */
  async setAhead(ms: number): Promise<void> {
    this.aheadMs = ms;
    await this.wait(0);
  }
  /** Heartbeats of every gateway, or of some, until Redis is in use again. */
  async recover(gateways = this.gateways): Promise<void> {
    for (let heartbeat = 0; heartbeat < 3; heartbeat++) {
      await this.wait(50);
      for (const gateway of gateways) await gateway.probe();
    }
  }
  async freeze(): Promise<void> {
    this.isFrozen = true;
    for (const gateway of this.gateways) await gateway.probe();
  }
  async thaw(): Promise<void> {
    // After the time-out of every command.
    await this.wait(51);
    this.isFrozen = false;
    for (const command of this.late.splice(0)) await command();
  }
  /** Requests admitted within the last milliseconds. */
  admittedSince(ms: number): number {
    return this.log.reduce((sum, { at, admitted }) => (at > this.now - ms ? sum + admitted : sum), 0);
  }
  /** Maximum of all rolling hours. */
  fullestHour(): number {
    let fullest = 0;
    let sum = 0;
    let first = 0;
    for (const { at, admitted } of this.log) {
      sum += admitted;
      while ((this.log[first]?.at ?? at) <= at - hourMs) sum -= this.log[first++]?.admitted ?? 0;
      fullest = Math.max(fullest, sum);
    }
    return fullest;
  }
}

class Gateway {
  isUp = false;
  private readonly limiters;
  private readonly simulation: Simulation;
  constructor(simulation: Simulation, id: string) {
    this.simulation = simulation;
    this.limiters = new Limiters({
      id,
      link: {
        redis: simulation.redis,
        timeoutMs: 50,
        withTimeout: (commands) => commands,
        isUp: () => this.isUp,
        reportFailure: () => this.markLost(),
      },
      scripts: {
        admit: simulation.through(scripts.admit),
        settle: simulation.through(scripts.settle),
        heartbeat: simulation.through(scripts.heartbeat),
      },
      maxCredentials,
      monotonicNow: () => simulation.now - start + 1,
      wallNow: () => simulation.now + 5 * hourMs,
      // Other gateways process the recall during the pause.
      pause: async (ms) => {
        await simulation.wait(ms);
        for (const gateway of simulation.gateways)
          if (gateway !== this) await gateway.releaseReserve(ms === 1);
      },
    });
  }
  /** Its idea of the time on the clock of Redis. */
  now(): number {
    return this.limiters.now();
  }
  markLost(): void {
    if (this.isUp) this.limiters.markLost();
    this.isUp = false;
  }
  async releaseReserve(keepsShare: boolean, of = key): Promise<void> {
    await this.limiters.releaseReserve(of, keepsShare).catch(() => this.markLost());
  }
  async probe(): Promise<void> {
    await this.limiters.probe().then(
      (isCurrent) => {
        this.isUp ||= isCurrent;
      },
      () => this.markLost(),
    );
  }
  async arrive(requested: number): Promise<number> {
    const request = {
      authorization: allowedWith({ limit: this.simulation.limit }),
      epoch: undefined,
      requested,
    };
    let outcome = await this.limiters.redisLimiter.admit(request);
    if (outcome.kind === 'unavailable') outcome = await this.limiters.localLimiter.admit(request);
    if (outcome.kind !== 'counted') throw new Error(`unexpected: ${outcome.kind}`);
    this.simulation.log.push({ at: this.simulation.now, admitted: outcome.admitted });
    return outcome.admitted;
  }
}
