import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { TestKey } from '../harness/api-keys.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { type Load, startLoad } from '../harness/load.ts';
import { metricOf } from '../harness/metrics.ts';
import { strictRedis } from '../harness/patience.ts';
import { startPlatform } from '../harness/platform.ts';
import type { TestRedis } from '../harness/redis.ts';
import { running } from '../harness/running.ts';
import { scaled } from '../harness/slowness.ts';

/*
 * Promise: the rolling hour outlives Redis. While Redis only freezes, all gateways together admit the limit, no more and
 * no less; through restarts that find nothing, and evictions, at most a quarter more.
 */

const path = '/v2/businesses/me';
const limit = 100;
const gatewayCount = 3;

const platform = running(() => startPlatform({ gateways: gatewayCount, gatewayEnv: () => strictRedis }));
let redis: TestRedis;
let key: TestKey;
beforeAll(async () => {
  if (platform.redis === undefined) throw new Error('These tests need Redis.');
  redis = platform.redis;
});
beforeEach(async () => {
  key = await platform.createKey();
  await platform.setKeyLimit(key, limit);
});

const gateways = Array.from({ length: gatewayCount }, (_, index) => index);
const pass = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const ask = async (gateway: number) =>
  (await platform.request(gateway, 'GET', path, { key: key.keyString })).status;
/** So many requests from each gateway at once: how many were admitted. */
async function burst(perGateway: number): Promise<number> {
  const asked = gateways.flatMap((gateway) => Array.from({ length: perGateway }, () => ask(gateway)));
  const statuses = await Promise.all(asked);
  expect(new Set(statuses.filter((status) => status !== 200 && status !== 429))).toEqual(new Set());
  return statuses.filter((status) => status === 200).length;
}
const loadOn = () => startLoad({ ports: platform.gatewayPorts, rate: 60, path, key: key.keyString });
const admitted = ({ report }: Load) => report.records.filter(({ status }) => status === 200).length;
const unexpected = ({ report }: Load) => report.failures(200, 429);

/** Waits until so many requests were admitted. */
const exhausted = (load: Load, atLeast: number) =>
  expectEventually(
    () => {
      if (admitted(load) < atLeast) throw new Error(`responses: ${JSON.stringify(load.report.counts())}`);
    },
    { withinMs: 15_000 },
  );

test('ten short freezes under load admit exactly the limit', async () => {
  const losses = async () => {
    const counts = platform.gateways.map((gateway) => metricOf(gateway, 'gateway_redis_lost_total'));
    return (await Promise.all(counts)).reduce<number>((sum, count = 0) => sum + count, 0);
  };
  const lostBefore = await losses();
  const load = loadOn();
  for (let freeze = 0; freeze < 10; freeze++) {
    redis.freeze();
    await pass(scaled(250));
    redis.thaw();
    await pass(300);
  }
  await exhausted(load, limit);
  await pass(500);
  await load.stop();
  expect(await losses()).toBeGreaterThan(lostBefore);
  expect(unexpected(load)).toEqual([]);
  expect(admitted(load)).toBe(limit);
});

test('a key that is first used while Redis is frozen gets exactly its limit', async () => {
  redis.freeze();
  const inTheDark = await burst(limit);
  redis.thaw();
  expect(inTheDark).toBeGreaterThan(0);
  const load = loadOn();
  await exhausted(load, limit - inTheDark);
  await pass(500);
  await load.stop();
  expect(inTheDark + admitted(load)).toBe(limit);
});

test('requests that one gateway has admitted count on the others while Redis is frozen', async () => {
  let ofOne = 0;
  // What is reserved for gateways that are short of CPU is refused for a second.
  await expectEventually(
    async () => {
      while (ofOne <= limit && (await ask(0)) === 200) ofOne++;
      expect(ofOne).toBe(limit);
    },
    { withinMs: 5_000 },
  );
  redis.freeze();
  const more = await burst(20);
  redis.thaw();
  expect(more).toBe(0);
});

describe.each<[string, () => Promise<unknown>]>([
  [
    'Redis restarts empty',
    async () => {
      await redis.stop();
      await redis.start();
    },
  ],
  ['Redis is flushed', () => redis.flush()],
  [
    'the count is evicted',
    async () => {
      const keys = await redis.command('KEYS', 'requests:*');
      if (Array.isArray(keys)) for (const name of keys) await redis.command('DEL', String(name));
    },
  ],
])('when %s', (_, forget) => {
  test('three times under load, at most a quarter more than the limit is admitted', async () => {
    const load = loadOn();
    for (let loss = 0; loss < 3; loss++) {
      await pass(400);
      await forget();
      await pass(600);
    }
    await exhausted(load, limit);
    await pass(500);
    await load.stop();
    expect(unexpected(load)).toEqual([]);
    expect(admitted(load)).toBeLessThanOrEqual(1.25 * limit);
  });
});
