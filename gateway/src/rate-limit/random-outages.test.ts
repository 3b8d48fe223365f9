import { hourMs } from '@platform/service-kit/values/rolling-hour.ts';
import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { useRedis } from '../../../tests/harness/unit-redis.ts';
import { key, Simulation } from '../../testing/limiter-simulation.ts';
import { setTestClock } from '../../testing/on-test-clock.ts';

let redis: Redis;

useRedis((opened) => {
  redis = opened;
});

const simulate = (limit: number, count: number) => new Simulation(redis, limit, count);

type Step = (simulation: Simulation) => Promise<unknown>;

const arrival = fc
  .tuple(fc.nat(3), fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 60 }), fc.constant(1_000)))
  .map(([index, requested]): [string, Step] => [
    `gateway ${index} gets ${requested}`,
    async ({ gateways }) => gateways[index % gateways.length]?.arrive(requested),
  ]);

const passing = fc
  .constantFrom(1, 30, 49, 200, 1_000, 10_000, 60_000, 10 * 60_000, hourMs - 1, hourMs, hourMs + 120_000)
  .map((ms): [string, Step] => [
    `${ms} ms pass`,
    async (simulation) => {
      await simulation.wait(ms);
      if (ms >= 1_000) await simulation.recover();
    },
  ]);

const heartbeat = fc
  .nat(3)
  .map((index): [string, Step] => [
    `heartbeat of gateway ${index}`,
    async ({ gateways }) => gateways[index % gateways.length]?.probe(),
  ]);

const recovery = fc.constant<[string, Step]>(['all recover', (simulation) => simulation.recover()]);

const freezing = fc.constant<[string, Step]>([
  'Redis freezes',
  async (simulation) => {
    simulation.isFrozen = true;
  },
]);

const thawing = fc.constant<[string, Step]>(['Redis thaws', (simulation) => simulation.thaw()]);

const losingReply = fc.constant<[string, Step]>([
  'a reply is lost',
  async (simulation) => {
    simulation.repliesUntilDrop = 0;
  },
]);

const losing = fc.constantFrom<[string, Step]>(
  ['the counter is evicted', async () => redis.del(key)],
  ['Redis is flushed', async () => redis.flushall().then(() => undefined)],
  [
    'Redis restarts empty',
    async (simulation) => {
      await simulation.thaw();
      await redis.flushall();
      await setTestClock(redis, simulation.now);
      for (const gateway of simulation.gateways) gateway.markLost();
    },
  ],
);

async function replay(steps: readonly (readonly [string, Step])[], limit: number, count: number) {
  const simulation = simulate(limit, count);
  await simulation.begin();
  for (const [, step] of steps) {
    await setTestClock(redis, simulation.now);
    await step(simulation);
  }
  return simulation;
}

const numRuns = 200;

const limits = fc.constantFrom(1, 3, 10, 100, 1_000);

const counts = fc.integer({ min: 1, max: 4 });

const show = (steps: readonly (readonly [string, Step])[]) => steps.map(([name]) => name);

const failing = [
  { weight: 4, arbitrary: arrival },
  passing,
  heartbeat,
  recovery,
  freezing,
  thawing,
  losingReply,
];

test('while Redis only freezes or loses replies, all gateways together admit the limit: no more, and in the end no less', async () => {
  const steps = fc.array(fc.oneof(...failing), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(steps, limits, counts, async (schedule, limit, count) => {
      const simulation = await replay(schedule, limit, count);
      simulation.repliesUntilDrop = Number.POSITIVE_INFINITY;
      await simulation.thaw();
      await simulation.recover();
      await simulation.gateways[0]?.arrive(10 * limit);
      const trace = show(schedule).join('; ');
      expect({ fullest: Math.max(limit, simulation.fullestHour()), trace }).toEqual({
        fullest: limit,
        trace,
      });
      expect(simulation.admittedSince(hourMs + 120_000)).toBeGreaterThanOrEqual(limit);
    }),
    { numRuns },
  );
}, 900_000);

test('no hour holds more than 1.25 times the limit through freezes, restarts, evictions and dropped replies', async () => {
  const steps = fc.array(fc.oneof(...failing, losing, losing), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(steps, limits, counts, async (schedule, limit, count) => {
      const simulation = await replay(schedule, limit, count);
      const [most, trace] = [1.25 * limit, show(schedule).join('; ')];
      expect({ fullest: Math.max(most, simulation.fullestHour()), trace }).toEqual({ fullest: most, trace });
    }),
    { numRuns },
  );
}, 900_000);
