import { bucketMs, hourMs } from '@platform/service-kit/values/rolling-hour.ts';
import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { useRedis } from '../../../tests/harness/unit-redis.ts';
import { Simulation } from '../../testing/limiter-simulation.ts';

/** The clock of Redis is ahead for a moment; that of the gateways is not. */

let redis: Redis;

useRedis((opened) => {
  redis = opened;
});

const limit = 100;

/** After some gateways have counted ten requests while the clock was ahead, and one when it was back. */
async function afterJump(count: number, aheadMs: number) {
  const simulation = new Simulation(redis, limit, count);
  await simulation.begin();
  const [first, second = first] = simulation.gateways;
  if (first === undefined || second === undefined) throw new Error('expected a gateway');
  await simulation.setAhead(aheadMs);
  expect(await first.arrive(10)).toBe(10);
  await simulation.setAhead(0);
  expect(await second.arrive(1)).toBe(1);
  return { simulation, first, second };
}

test.each([
  [1, 24 * hourMs],
  [2, 24 * hourMs],
  [2, 61 * bucketMs],
  [2, hourMs],
  [2, 30 * bucketMs],
])(
  'with %d gateways the limit is free again an hour after a clock was %d ms ahead, and not earlier',
  async (count, aheadMs) => {
    const { simulation, first, second } = await afterJump(count, aheadMs);
    await simulation.recover();
    const rest = (await first.arrive(limit)) + (await second.arrive(limit));
    expect(rest).toBe(limit - 11);
    await simulation.wait(hourMs - bucketMs);
    await simulation.recover();
    expect(await first.arrive(1)).toBe(0);
    // Less than an hour ahead, the clock has to come there first.
    await simulation.wait(2 * bucketMs + (aheadMs > hourMs ? 0 : aheadMs));
    await simulation.recover();
    await first.arrive(limit);
    await second.arrive(limit);
    expect(simulation.admittedSince(hourMs)).toBe(limit);
    expect(simulation.fullestHour()).toBe(limit);
  },
);

test('counts of a lost reply from before the clock jump are not subtracted from counts after it', async () => {
  const simulation = new Simulation(redis, limit, 2);
  await simulation.begin();
  const [first, second] = simulation.gateways;
  expect(await first?.arrive(97)).toBe(97);
  simulation.repliesUntilDrop = 0;
  expect(await first?.arrive(3)).toBe(0);
  await simulation.setAhead(24 * hourMs);
  expect(await second?.arrive(20)).toBe(20);
  await simulation.setAhead(0);
  expect(await second?.arrive(1)).toBe(1);
  await simulation.recover();
  await second?.arrive(limit);
  await first?.arrive(limit);
  // The first 97 left the hour with the clock.
  expect(simulation.admittedSince(hourMs)).toBe(97 + limit);
});

test('everything that a gateway counts without Redis after a clock jump is settled', async () => {
  const simulation = new Simulation(redis, limit, 1);
  await simulation.begin();
  const [gateway] = simulation.gateways;
  await simulation.setAhead(24 * hourMs);
  expect(await gateway?.arrive(10)).toBe(10);
  await simulation.setAhead(0);
  await gateway?.probe();
  await simulation.freeze();
  expect(await gateway?.arrive(5)).toBe(5);
  // It gives up its reserve, so it finds a new quota.
  await gateway?.releaseReserve(false);
  expect(await gateway?.arrive(1)).toBe(0);
  await simulation.thaw();
  await simulation.recover();
  expect(await gateway?.arrive(limit)).toBe(limit - 15);
});

type Step = (simulation: Simulation, gateway: Simulation['gateways'][number] | undefined) => Promise<unknown>;

const pass =
  (ms: number): Step =>
  async (simulation) => {
    await simulation.wait(ms);
    await simulation.recover();
  };

const steps: Readonly<Record<string, Step>> = {
  'one request': async (_, gateway) => gateway?.arrive(1),
  'all requests': async (_, gateway) => gateway?.arrive(limit),
  'a minute passes': pass(bucketMs),
  'half an hour passes': pass(hourMs / 2),
  'an hour passes': pass(hourMs),
  'the clock goes back a minute': (simulation) => simulation.setAhead(simulation.aheadMs - bucketMs),
  'the clock goes back 50 minutes': (simulation) => simulation.setAhead(simulation.aheadMs - 50 * bucketMs),
  'the clock goes back a day': (simulation) => simulation.setAhead(simulation.aheadMs - 24 * hourMs),
  'a reply is lost': async (simulation) => {
    simulation.repliesUntilDrop = 0;
  },
  'Redis freezes': (simulation) => simulation.freeze(),
  'Redis thaws': async (simulation) => {
    await simulation.thaw();
    await simulation.recover();
  },
  recall: async (_, gateway) => gateway?.releaseReserve(true),
};

const schedules = fc.array(fc.tuple(fc.constantFrom(...Object.keys(steps)), fc.nat(3)), { maxLength: 40 });

test('no hour holds more than the limit, however far the clock goes back', async () => {
  await fc.assert(
    fc.asyncProperty(schedules, fc.integer({ min: 1, max: 4 }), async (schedule, count) => {
      const simulation = new Simulation(redis, limit, count);
      simulation.aheadMs = 2_000 * hourMs;
      await simulation.begin();
      for (const [name, index] of schedule)
        await steps[name]?.(simulation, simulation.gateways[index % count]);
      expect(simulation.fullestHour()).toBeLessThanOrEqual(limit);
    }),
    { numRuns: 200 },
  );
}, 900_000);
