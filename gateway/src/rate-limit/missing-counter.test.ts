import type { Redis } from 'ioredis';
import { useRedis } from '../../../tests/harness/unit-redis.ts';
import { key, maxCredentials, Simulation } from '../../testing/limiter-simulation.ts';

/** A gateway settles for a credential whose limit it does not know, and Redis has no counter. */

let redis: Redis;

useRedis((opened) => {
  redis = opened;
});

/** Some gateways, the first of which was recalled for a counter that is gone. */
async function afterRecall(count: number) {
  const simulation = new Simulation(redis, 1_000, count);
  await simulation.begin();
  const [gateway] = simulation.gateways;
  await gateway?.releaseReserve(true);
  return { simulation, gateway };
}

test.each([1, 2])(
  'with %d gateways, one that was recalled for a missing counter creates it',
  async (count) => {
    const { simulation, gateway } = await afterRecall(count);
    expect(await gateway?.arrive(50)).toBe(50);
    expect(await redis.exists(key)).toBe(1);
    for (const other of simulation.gateways) await other.arrive(1_000);
    expect(simulation.fullestHour()).toBe(1_000);
  },
);

test.each([1, 2])(
  'with %d gateways, one that was recalled for a missing counter admits requests without Redis',
  async (count) => {
    const { simulation, gateway } = await afterRecall(count);
    await simulation.freeze();
    expect(await gateway?.arrive(50)).toBe(50);
  },
);

test('counts of a gateway in a lost counter are not treated as its reserve', async () => {
  const simulation = new Simulation(redis, 100, 2);
  await simulation.begin();
  const [first] = simulation.gateways;
  expect(await first?.arrive(60)).toBe(60);
  // Others take the place of the record, and the gateway learns from Redis what it had counted.
  for (let i = 0; i < maxCredentials; i++) await first?.releaseReserve(false, `requests:{2}:key_${i}`);
  await first?.releaseReserve(false);
  await redis.del(key);
  await first?.releaseReserve(false);
  await simulation.freeze();
  expect(await first?.arrive(100)).toBe(0);
});
