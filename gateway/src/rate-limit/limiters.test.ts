import fc from 'fast-check';
import { Redis } from 'ioredis';
import { startRedis, type TestRedis } from '../../../tests/harness/redis.ts';
import { beginRun, type Run } from '../../../tests/harness/run.ts';
import type { Allowed } from '../access/authorization-result.ts';
import { createLimiters } from './limiters.ts';
import { onTestClock, setTestClock } from './on-test-clock.ts';
import { createScript, type Script, scriptSources } from './redis-ring.ts';
import { hourMs } from './rolling-hour.ts';

/*
 * Gateways in this process, on a clock that the test moves, over a real Redis that runs the real scripts: what they admit
 * together whatever happens to Redis.
 */
let run: Run;

let server: TestRedis;

let redis: Redis;

beforeAll(async () => {
  run = await beginRun();
  server = await startRedis();
  redis = new Redis(server.url);
});

afterAll(async () => {
  await redis.quit();
  await server.close();
  await run.end();
});

const start = 1_750_000_000_000;

const scripts = {
  admit: createScript(onTestClock(scriptSources.admit)),
  settle: createScript(onTestClock(scriptSources.settle)),
  heartbeat: createScript(onTestClock(scriptSources.heartbeat)),
};

function answerFor(limit: number): Allowed {
  const principal = {
    businessId: 1,
    credentialType: 'CREDENTIAL_TYPE_SECRET_KEY',
    credentialId: 'key_1',
    limitId: 'key_1',
    allowedOrigins: [],
  } as const;
  return { outcome: 'allowed', principal, limit, generation: 1, validUntil: 1e15, passport: 'p', askedAt: 1 };
}

const ring = 'requests:{1}:key_1';

/** The clock, Redis, and the gateways around it. */
class World {
  now = start;
  isFrozen = false;
  /** The next reply does not arrive. */
  losesReply = false;
  readonly log: { at: number; admitted: number }[] = [];
  /** Commands that Redis finds when it thaws: they came in time, their replies do not. */
  private readonly late: (() => Promise<unknown>)[] = [];
  readonly gateways: Gateway[];
  readonly limit: number;
  constructor(limit: number, count: number) {
    this.limit = limit;
    this.gateways = Array.from({ length: count }, (_, index) => new Gateway(this, `g${index}`));
  }

  async begin(): Promise<void> {
    await redis.flushall();
    await setTestClock(redis, this.now);
    await this.recover();
  }
  /** A script as a gateway runs it. */
  through(script: Script): Script {
    return async (client, keys, args) => {
      if (this.isFrozen) this.late.push(() => script(client, keys, args));
      const reply = this.isFrozen ? undefined : await script(client, keys, args);
      if (!this.isFrozen && !this.losesReply) return reply;
      this.losesReply = false;
      throw new Error('no answer within 50 ms');
    };
  }
  async wait(ms: number): Promise<void> {
    this.now += ms;
    await setTestClock(redis, this.now);
  }
  /** Every gateway's next heartbeats: as many as lead back to Redis. */
  async recover(): Promise<void> {
    for (let beat = 0; beat < 3; beat++) {
      await this.wait(50);
      for (const gateway of this.gateways) await gateway.probe();
    }
  }
  async freeze(): Promise<void> {
    this.isFrozen = true;
    for (const gateway of this.gateways) await gateway.probe();
  }
  async thaw(): Promise<void> {
    // Otherwise no command would have timed out.
    await this.wait(51);
    this.isFrozen = false;
    for (const command of this.late.splice(0)) await command();
  }
  /** Admitted within the last milliseconds. */
  admittedSince(ms: number): number {
    return this.log.reduce((sum, { at, admitted }) => (at > this.now - ms ? sum + admitted : sum), 0);
  }
  /** The fullest rolling hour. */
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
  private readonly world: World;
  constructor(world: World, id: string) {
    this.world = world;
    this.limiters = createLimiters({
      id,
      link: {
        redis,
        within: (commands) => commands,
        isUp: () => this.isUp,
        reportFailure: () => this.lose(),
      },
      scripts: {
        admit: world.through(scripts.admit),
        settle: world.through(scripts.settle),
        heartbeat: world.through(scripts.heartbeat),
      },
      maxCallers: 10,
      monotonicNow: () => world.now - start + 1,
      wallNow: () => world.now + 5 * hourMs,
      // Another gateway hears the recall while this one waits.
      pause: async (ms) => {
        await world.wait(ms);
        for (const gateway of world.gateways) if (gateway !== this) await gateway.giveBack(ms === 1);
      },
    });
  }
  lose(): void {
    if (this.isUp) this.limiters.lose();
    this.isUp = false;
  }
  async giveBack(keepsShare: boolean): Promise<void> {
    await this.limiters.giveBack(ring, keepsShare).catch(() => this.lose());
  }
  async probe(): Promise<void> {
    await this.limiters.probe().then(
      (isCurrent) => {
        this.isUp ||= isCurrent;
      },
      () => this.lose(),
    );
  }
  async arrive(wanted: number): Promise<number> {
    const claim = { answer: answerFor(this.world.limit), incarnation: undefined, wanted };
    let outcome = await this.limiters.redisLimiter.admit(claim);
    if (outcome.kind === 'unavailable') outcome = await this.limiters.localLimiter.admit(claim);
    if (outcome.kind !== 'counted') throw new Error(`unexpected: ${outcome.kind}`);
    this.world.log.push({ at: this.world.now, admitted: outcome.admitted });
    return outcome.admitted;
  }
}

type Step = (world: World) => Promise<unknown>;

const arrival = fc
  .tuple(fc.nat(3), fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 60 }), fc.constant(1_000)))
  .map(([index, wanted]): [string, Step] => [
    `gateway ${index} gets ${wanted}`,
    async ({ gateways }) => gateways[index % gateways.length]?.arrive(wanted),
  ]);

const passing = fc
  .constantFrom(1, 30, 49, 200, 1_000, 10_000, 60_000, 10 * 60_000, hourMs - 1, hourMs, hourMs + 120_000)
  .map((ms): [string, Step] => [
    `${ms} ms pass`,
    async (world) => {
      await world.wait(ms);
      if (ms >= 1_000) await world.recover();
    },
  ]);

const beat = fc
  .nat(3)
  .map((index): [string, Step] => [
    `gateway ${index} beats`,
    async ({ gateways }) => gateways[index % gateways.length]?.probe(),
  ]);

const recovery = fc.constant<[string, Step]>(['all recover', (world) => world.recover()]);

const freezing = fc.constant<[string, Step]>([
  'Redis freezes',
  async (world) => {
    world.isFrozen = true;
  },
]);

const thawing = fc.constant<[string, Step]>(['Redis thaws', (world) => world.thaw()]);

const losingReply = fc.constant<[string, Step]>([
  'a reply is lost',
  async (world) => {
    world.losesReply = true;
  },
]);

const losing = fc.constantFrom<[string, Step]>(
  ['the ring is evicted', async () => redis.del(ring)],
  ['Redis is flushed', async () => redis.flushall().then(() => undefined)],
  [
    'Redis restarts empty',
    async (world) => {
      await world.thaw();
      await redis.flushall();
      await setTestClock(redis, world.now);
      for (const gateway of world.gateways) gateway.lose();
    },
  ],
);

async function replay(steps: readonly (readonly [string, Step])[], limit: number, count: number) {
  const world = new World(limit, count);
  await world.begin();
  for (const [, step] of steps) {
    await setTestClock(redis, world.now);
    await step(world);
  }
  return world;
}

const numRuns = 200;

const limits = fc.constantFrom(1, 3, 10, 100, 1_000);

const counts = fc.integer({ min: 1, max: 4 });

const show = (steps: readonly (readonly [string, Step])[]) => steps.map(([name]) => name);

const whileItFreezes = [{ weight: 4, arbitrary: arrival }, passing, beat, recovery, freezing, thawing];

test('while Redis only freezes, all gateways together get the limit: no more, and in the end no less', async () => {
  const steps = fc.array(fc.oneof(...whileItFreezes), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(steps, limits, counts, async (schedule, limit, count) => {
      const world = await replay(schedule, limit, count);
      await world.thaw();
      await world.recover();
      await world.gateways[0]?.arrive(10 * limit);
      const told = show(schedule).join('; ');
      expect({ fullest: Math.max(limit, world.fullestHour()), told }).toEqual({ fullest: limit, told });
      expect(world.admittedSince(hourMs + 120_000)).toBeGreaterThanOrEqual(limit);
    }),
    { numRuns },
  );
}, 120_000);

test.each([
  ['freezes and lost replies', 1, [...whileItFreezes, losingReply]],
  ['freezes, restarts, evictions and lost replies', 1.25, [...whileItFreezes, losingReply, losing, losing]],
])(
  'through %s no hour of any schedule holds more than %d times the limit',
  async (_, factor, kinds) => {
    const steps = fc.array(fc.oneof(...kinds), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(steps, limits, counts, async (schedule, limit, count) => {
        const world = await replay(schedule, limit, count);
        const [most, told] = [factor * limit, show(schedule).join('; ')];
        expect({ fullest: Math.max(most, world.fullestHour()), told }).toEqual({ fullest: most, told });
      }),
      { numRuns },
    );
  },
  120_000,
);

/** Two gateways, of which the first has counted 30 of 100 and the second 50. */
async function twoGateways() {
  const world = new World(100, 2);
  await world.begin();
  const [first, second] = world.gateways;
  if (first === undefined || second === undefined) throw new Error('There are two.');
  expect([await first.arrive(30), await second.arrive(50)]).toEqual([30, 50]);
  return { world, first, second };
}

test('a gateway goes on in the dark, and what it counts there is known to the others afterwards', async () => {
  const { world, first, second } = await twoGateways();
  await world.freeze();
  const inTheDark = (await first.arrive(100)) + (await second.arrive(100));
  expect(inTheDark).toBeGreaterThanOrEqual(10);
  await world.wait(10_000);
  await world.thaw();
  await world.recover();
  expect(await second.arrive(100)).toBe(20 - inTheDark);
});

test('what is free again after an hour in the dark is free once', async () => {
  const { world, first, second } = await twoGateways();
  await world.freeze();
  await world.wait(hourMs + 61_000);
  const inTheDark = await first.arrive(100);
  expect(inTheDark).toBeGreaterThanOrEqual(30);
  await world.thaw();
  // The second gateway is back before the first one has said what it counted.
  await second.probe();
  await second.probe();
  const before = await second.arrive(100);
  await world.recover();
  expect(inTheDark + before + (await second.arrive(100))).toBe(100);
});

test('after an eviction or a flush the counts of all gateways are there again', async () => {
  const { first, second } = await twoGateways();
  await redis.del(ring);
  expect(await first.arrive(100)).toBe(20);
  await redis.flushall();
  expect([await second.arrive(1), await first.arrive(1)]).toEqual([0, 0]);
});

test('what is reserved for a gateway that is gone comes free', async () => {
  const { world, first, second } = await twoGateways();
  const others = world.gateways.splice(1);
  expect(others).toEqual([second]);
  expect(await first.arrive(100)).toBeLessThan(20);
  for (let beats = 0; beats < 200; beats++) await first.probe();
  await world.wait(1_000);
  await first.arrive(100);
  expect(world.admittedSince(hourMs)).toBe(100);
});

test('a reply that is lost takes nothing away from what a gateway believes to have', async () => {
  const world = new World(100, 2);
  await world.begin();
  const [first, second] = world.gateways;
  await first?.arrive(1);
  await second?.arrive(1);
  await first?.arrive(1);
  // Now less is left, and the first gateway is not to know that less of it is its own.
  await second?.arrive(33);
  world.losesReply = true;
  await first?.arrive(1);
  await second?.arrive(40);
  await world.freeze();
  await first?.arrive(100);
  expect(world.admittedSince(hourMs)).toBeLessThanOrEqual(100);
});

test('of evictions one after the other only the first can bring a caller more than the limit', async () => {
  const world = new World(100, 4);
  await world.begin();
  expect(await world.gateways[0]?.arrive(100)).toBe(100);
  for (const gateway of world.gateways) {
    await redis.del(ring);
    await gateway.arrive(100);
  }
  expect(world.admittedSince(hourMs)).toBeLessThanOrEqual(125);
});
