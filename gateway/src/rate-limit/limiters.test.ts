import { hourMs } from '@platform/service-kit/values/rolling-hour.ts';
import type { Redis } from 'ioredis';
import { useRedis } from '../../../tests/harness/unit-redis.ts';
import { key, Simulation } from '../../testing/limiter-simulation.ts';
import { setTestClock } from '../../testing/on-test-clock.ts';

let redis: Redis;

useRedis((opened) => {
  redis = opened;
});

const simulate = (limit: number, count: number) => new Simulation(redis, limit, count);

test('a request that Redis counted but the gateway refused, since the reply was lost, is released', async () => {
  const simulation = simulate(10, 2);
  await simulation.begin();
  const [first, second] = simulation.gateways;
  expect(await first?.arrive(9)).toBe(9);
  simulation.repliesUntilDrop = 0;
  expect(await first?.arrive(1)).toBe(0);
  await simulation.recover();
  expect(await second?.arrive(10)).toBe(1);
});

test('requests of a later minute do not take the place of what was counted in a lost reply', async () => {
  const simulation = simulate(10, 2);
  await simulation.begin();
  const [first, second] = simulation.gateways;
  expect(await first?.arrive(9)).toBe(9);
  await simulation.wait(5 * 60_000);
  simulation.repliesUntilDrop = 0;
  expect(await first?.arrive(1)).toBe(0);
  await simulation.freeze();
  await simulation.wait(56 * 60_000);
  const inTheDark = await first?.arrive(10);
  expect(inTheDark).toBe(9);
  await simulation.thaw();
  await simulation.recover();
  await second?.arrive(10);
  await simulation.wait(5 * 60_000);
  await second?.arrive(10);
  expect(simulation.fullestHour()).toBe(10);
});

/** After an outage in which the first of some gateways has counted a credential for the first time. */
async function firstCountedAlone(count: number) {
  const simulation = simulate(1_000, count);
  await simulation.begin();
  const [gateway] = simulation.gateways;
  await simulation.freeze();
  expect(await gateway?.arrive(1)).toBe(1);
  await simulation.thaw();
  return { simulation, gateway };
}

test.each([1, 2])(
  'with %d gateways, one without a reply to its first settlement continues to admit requests',
  async (count) => {
    const { simulation, gateway } = await firstCountedAlone(count);
    // The heartbeat and what Redis has counted arrive; the reply to the settlement does not.
    simulation.repliesUntilDrop = 2;
    await gateway?.probe();
    expect(gateway?.isUp).toBe(false);
    expect(await gateway?.arrive(20)).toBe(20);
  },
);

test.each([1, 2])(
  'with %d gateways, one that settled for the first time continues to admit requests without Redis',
  async (count) => {
    const { simulation, gateway } = await firstCountedAlone(count);
    await simulation.recover();
    await simulation.freeze();
    expect(await gateway?.arrive(20)).toBe(20);
  },
);

test.each([1, 2])(
  'with %d gateways, one admits requests of a credential without use for hours while Redis is frozen',
  async (count) => {
    const simulation = simulate(1_000, count);
    await simulation.begin();
    const [gateway] = simulation.gateways;
    expect(await gateway?.arrive(1)).toBe(1);
    await simulation.wait(3 * hourMs);
    await simulation.recover();
    await simulation.freeze();
    expect(await gateway?.arrive(20)).toBe(20);
  },
);

test('requests that Redis counted before it stopped responding to a recall are admitted', async () => {
  const simulation = simulate(100, 2);
  await simulation.begin();
  const [first, second] = simulation.gateways;
  await first?.arrive(1);
  await second?.arrive(1);
  simulation.repliesUntilDrop = 2;
  const admitted = await first?.arrive(100);
  expect(admitted).toBeGreaterThan(0);
  await simulation.recover();
  await second?.arrive(100);
  expect(simulation.admittedSince(hourMs)).toBe(100);
});

test('counts that a gateway has not reported stay reserved, however much other gateways report', async () => {
  const simulation = simulate(100, 4);
  await simulation.begin();
  const [first, second, third, fourth] = simulation.gateways;
  await fourth?.arrive(90);
  await second?.arrive(1);
  await third?.arrive(1);
  await redis.flushall();
  await setTestClock(redis, simulation.now);
  await second?.arrive(1);
  await third?.arrive(1);
  await first?.arrive(1_000);
  await fourth?.arrive(1_000);
  expect(simulation.fullestHour()).toBe(100);
});

test('a gateway that releases its reserve while it reconnects takes nothing from other gateways', async () => {
  const simulation = simulate(10, 2);
  await simulation.begin();
  const [first, second] = simulation.gateways;
  simulation.repliesUntilDrop = 0;
  expect(await first?.arrive(1)).toBe(1);
  await simulation.wait(hourMs + 120_000);
  // Its settlement makes the counter, and its reply is lost.
  simulation.repliesUntilDrop = 0;
  await simulation.recover();
  expect(await second?.arrive(1_000)).toBe(10);
  expect(await first?.arrive(1_000)).toBe(0);
});

test('the reserve of a killed gateway is released within two seconds', async () => {
  const simulation = simulate(10, 4);
  await simulation.begin();
  const [first] = simulation.gateways;
  // Killed: it says no farewell.
  simulation.gateways.pop();
  expect(await first?.arrive(10)).toBeLessThan(10);
  for (let beat = 0; beat < 12; beat++) {
    await simulation.wait(200);
    for (const gateway of simulation.gateways) await gateway.probe();
  }
  await first?.arrive(10);
  expect(simulation.admittedSince(hourMs)).toBe(10);
});

test('a gateway that has just started leaves room for gateways that it does not know yet', async () => {
  const simulation = simulate(100, 2);
  const [first, second] = simulation.gateways;
  await simulation.begin(1);
  expect(await first?.arrive(1)).toBe(1);
  await simulation.recover();
  const before = simulation.now;
  expect(await second?.arrive(1)).toBe(1);
  // It need not wait for the first one to give something back.
  expect(simulation.now).toBe(before);
});

test('requests that have left the hour do not count in a recreated counter', async () => {
  const simulation = simulate(1, 2);
  await simulation.begin();
  const [first, second] = simulation.gateways;
  await second?.arrive(1);
  await simulation.wait(hourMs);
  await simulation.recover();
  await first?.arrive(1);
  await redis.del(key);
  expect(await second?.arrive(1)).toBe(0);
});

/** Two gateways; the first has counted 30 of 100, the second 50. */
async function twoGateways() {
  const simulation = simulate(100, 2);
  await simulation.begin();
  const [first, second] = simulation.gateways;
  if (first === undefined || second === undefined) throw new Error('expected two gateways');
  expect([await first.arrive(30), await second.arrive(50)]).toEqual([30, 50]);
  return { simulation, first, second };
}

test('a gateway uses the clock of Redis instead of its own, and keeps it while Redis is down', async () => {
  const simulation = simulate(100, 1);
  await simulation.begin();
  expect(simulation.gateways[0]?.now()).toBe(simulation.now);
  await simulation.freeze();
  await simulation.wait(60_000);
  expect(simulation.gateways[0]?.now()).toBe(simulation.now);
});

test('a gateway keeps counting without Redis, and settles its counts afterwards', async () => {
  const { simulation, first, second } = await twoGateways();
  await simulation.freeze();
  const inTheDark = (await first.arrive(100)) + (await second.arrive(100));
  expect(inTheDark).toBeGreaterThanOrEqual(10);
  await simulation.wait(10_000);
  await simulation.thaw();
  await simulation.recover();
  expect(await second.arrive(100)).toBe(20 - inTheDark);
});

test('requests that leave the hour during an outage are admitted once', async () => {
  const { simulation, first, second } = await twoGateways();
  await simulation.freeze();
  await simulation.wait(hourMs + 61_000);
  const inTheDark = await first.arrive(100);
  expect(inTheDark).toBeGreaterThanOrEqual(30);
  await simulation.thaw();
  // The second gateway is back before the first has settled.
  await second.probe();
  await second.probe();
  const before = await second.arrive(100);
  await simulation.recover();
  expect(inTheDark + before + (await second.arrive(100))).toBe(100);
});

test('after an eviction or a flush the counts of all gateways are restored', async () => {
  const { first, second } = await twoGateways();
  await redis.del(key);
  expect(await first.arrive(100)).toBe(20);
  await redis.flushall();
  expect([await second.arrive(1), await first.arrive(1)]).toEqual([0, 0]);
});

test('the reserve of a gateway that has left becomes available', async () => {
  const { simulation, first, second } = await twoGateways();
  const reservedElsewhere = simulation.gateways.splice(1);
  expect(reservedElsewhere).toEqual([second]);
  expect(await first.arrive(100)).toBeLessThan(20);
  for (let beats = 0; beats < 200; beats++) await first.probe();
  await simulation.wait(1_000);
  await first.arrive(100);
  expect(simulation.admittedSince(hourMs)).toBe(100);
});

test('a dropped reply does not reduce the reserve that a gateway assumes', async () => {
  const simulation = simulate(100, 2);
  await simulation.begin();
  const [first, second] = simulation.gateways;
  await first?.arrive(1);
  await second?.arrive(1);
  await first?.arrive(1);
  // The first gateway must not learn that its reserve has shrunk.
  await second?.arrive(33);
  simulation.repliesUntilDrop = 0;
  await first?.arrive(1);
  await second?.arrive(40);
  await simulation.freeze();
  await first?.arrive(100);
  expect(simulation.admittedSince(hourMs)).toBeLessThanOrEqual(100);
});

// Not after one reply where another gateway has counted: Redis may or may not have reserved a share then.
test.each([
  [0, false],
  [0, true],
  [1, false],
  [2, false],
  [2, true],
])(
  'the first request for a credential is admitted when Redis falls silent after %d replies (known elsewhere: %s)',
  async (replies, isKnownElsewhere) => {
    const simulation = simulate(100, 2);
    await simulation.begin();
    const [first, second] = simulation.gateways;
    if (isKnownElsewhere) await second?.arrive(1);
    simulation.repliesUntilDrop = replies;
    expect(await first?.arrive(1)).toBe(1);
    expect(first?.isUp).toBe(false);
  },
);

test('only the first of several evictions can admit more than the limit', async () => {
  const simulation = simulate(100, 4);
  await simulation.begin();
  expect(await simulation.gateways[0]?.arrive(100)).toBe(100);
  for (const gateway of simulation.gateways) {
    await redis.del(key);
    await gateway.arrive(100);
  }
  expect(simulation.admittedSince(hourMs)).toBeLessThanOrEqual(125);
});
