import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectEventually } from '../harness/expect-eventually.ts';
import { completedAfter, type Load, startLoad } from '../harness/load.ts';
import type { Platform } from '../harness/platform.ts';
import {
  cutOff,
  type RedisGroup,
  startPlatformOver,
  startRedisCluster,
  startRedisSentinel,
} from '../harness/redis-groups.ts';

/*
 * Promise: when another Redis server takes over, the platform goes on: no request that starts after the response to a
 * revocation succeeds, even if the new master never received it, and no rolling hour holds more than a quarter beyond the
 * limit.
 */

const path = '/v2/businesses/me';
const limit = 100;
/** Quiet keys that are used when the new master is, and not before. */
const afterwards = 10;
/** Keys that are deleted at the same time. */
const deletedAtOnce = 8;

describe.each([
  ['a Sentinel', startRedisSentinel],
  ['a Cluster', () => startRedisCluster()],
])('with %s', (_, startGroup) => {
  let group: RedisGroup;
  let platform: Platform;
  beforeAll(async () => {
    group = await startGroup();
    platform = await startPlatformOver(group);
  });
  afterAll(async () => {
    await platform?.close();
    await group?.close();
  });

  const ask = async (gateway: number, key: string) =>
    (await platform.request(gateway, 'GET', path, { key })).status;
  /** One after the other, to each gateway in turn, over some seconds. */
  const askInTurn = async (keys: readonly string[]) => {
    const statuses: number[] = [];
    for (const [index, key] of keys.entries()) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      statuses.push(await ask(index % 2, key));
    }
    return statuses;
  };
  const loadOn = (port: number, key: string, rate: number) => startLoad({ ports: [port], rate, path, key });
  /** Waits until every gateway counts in Redis. */
  const redisIsUsed = () =>
    expectEventually(
      async () => {
        for (const { ports } of platform.gateways) {
          const metrics = await (await fetch(`http://127.0.0.1:${ports.ops}/metrics`)).text();
          expect(metrics).toMatch(/^gateway_redis_up\S* 1$/m);
        }
      },
      { withinMs: 20_000, everyMs: 100 },
    );

  test('keys are counted and revoked as on one server', async () => {
    await redisIsUsed();
    const key = await platform.createKey();
    await platform.setKeyLimit(key, 10);
    const asked = Array.from({ length: 24 }, (_unused, index) => ask(index % 2, key.keyString));
    const statuses = await Promise.all(asked);
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    // On a busy machine a replica may need longer than the half second that a confirmation waits for it.
    const other = await expectEventually(
      async () => {
        const next = await platform.createKey();
        expect([await ask(0, next.keyString), await ask(1, next.keyString)]).toEqual([200, 200]);
        expect(await platform.deleteKey(next)).toBe('confirmed');
        return next;
      },
      { withinMs: 5_000 },
    );
    expect([await ask(0, other.keyString), await ask(1, other.keyString)]).toEqual([401, 401]);
  });

  test('a revocation that the replica does not have yet is not reported as confirmed', async () => {
    const { replica } = await group.pairOf(platform.businessId);
    const key = await platform.createKey();
    expect(await ask(0, key.keyString)).toBe(200);
    replica.process.send('SIGSTOP');
    const propagation = await platform.deleteKey(key).finally(() => replica.process.send('SIGCONT'));
    expect(propagation).toBe('pending');
    expect([await ask(0, key.keyString), await ask(1, key.keyString)]).toEqual([401, 401]);
    await expectEventually(
      async () => {
        const next = await platform.createKey();
        expect(await platform.deleteKey(next)).toBe('confirmed');
      },
      { withinMs: 10_000 },
    );
  });

  test('a revocation that the new master never received holds; others keep working', async () => {
    const [revoked, sibling, limited] = [
      await platform.createKey(),
      await platform.createKey(),
      await platform.createKey(),
    ];
    await platform.setKeyLimit(limited, limit);
    // Of a business of its own: nothing but the failover makes the gateways drop what they have cached of it.
    const businessId = await platform.createVerifiedBusiness('quiet');
    const quiet = await Promise.all(Array.from({ length: 40 }, () => platform.createKey({ businessId })));
    await redisIsUsed();
    const { gatewayPorts } = platform;
    const onRevoked = gatewayPorts.map((port) => loadOn(port, revoked.keyString, 12));
    const onSibling = gatewayPorts.map((port) => loadOn(port, sibling.keyString, 8));
    const onLimited = gatewayPorts.map((port) => loadOn(port, limited.keyString, 15));
    const all = [...onRevoked, ...onSibling, ...onLimited];
    try {
      await Promise.all(onRevoked.map((load) => completedAfter(load, 0, 20, 20_000)));
      const isLimited = ({ report }: Load) => report.records.some(({ status }) => status === 429);
      await expectEventually(() => expect(onLimited.every(isLimited)).toBe(true), { withinMs: 20_000 });
      // Both gateways have these cached, and get one request for each, at some moment of the failover.
      for (const { keyString } of [...quiet.slice(0, 1), ...quiet])
        expect(await Promise.all([ask(0, keyString), ask(1, keyString)])).toEqual([200, 200]);

      const { master, replica } = await group.pairOf(businessId);
      await cutOff(master, replica);
      await platform.deleteKey(revoked);
      // Not all at once: they share the few database connections of this process.
      for (let start = 0; start < quiet.length; start += deletedAtOnce) {
        await Promise.all(quiet.slice(start, start + deletedAtOnce).map((key) => platform.deleteKey(key)));
      }
      const repliedAt = performance.now();
      await master.process.stop('SIGKILL', 1_000);
      const asked = quiet.map(({ keyString }) => keyString);
      const asking = askInTurn(asked.slice(0, -afterwards));
      await group.promoted(replica);
      await redisIsUsed();
      const backAt = performance.now();
      expect(new Set(await asking)).toEqual(new Set([401]));
      for (const keyString of asked.slice(-afterwards)) {
        expect(await Promise.all([ask(0, keyString), ask(1, keyString)])).toEqual([401, 401]);
      }
      await Promise.all(onSibling.map((load) => completedAfter(load, backAt, 10, 20_000)));
      // As many as a new master that forgot the count would admit beyond what is allowed.
      await Promise.all(onLimited.map((load) => completedAfter(load, backAt, limit / 4, 20_000)));

      for (const load of onRevoked) {
        expect(load.report.successesStartedAfter(repliedAt)).toEqual([]);
        expect(load.report.failures(200, 401)).toEqual([]);
      }
      for (const load of onSibling) expect(load.report.failures(200)).toEqual([]);
      const counts = onLimited.map(
        ({ report }) => report.records.filter(({ status }) => status === 200).length,
      );
      expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(1.25 * limit);
      for (const load of onLimited) expect(load.report.failures(200, 429)).toEqual([]);
    } finally {
      await Promise.all(all.map((load) => load.stop()));
    }
  });
});
