import { expect, test } from '@jest/globals';
import type { TestKey } from '../harness/api-keys.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { type Load, startLoad } from '../harness/load.ts';
import { logLines } from '../harness/log-lines.ts';
import { metricOf } from '../harness/metrics.ts';
import { startPlatformOver, startRedisCluster } from '../harness/redis-groups.ts';
import { running } from '../harness/running.ts';

/*
 * Promise: while slots of a Redis Cluster move to another master and back, no request fails, no rolling hour holds more than
 * the limit and none is refused before it, and a key that is revoked meanwhile is refused at once.
 */

const path = '/v2/businesses/me';
/** More than the load needs while slots move, and less than the default. */
const limit = 1_200;
const within = { withinMs: 20_000 };

// No failover comes in between, also where a master does not run for some seconds.
const group = running(() => startRedisCluster(30_000));
const platform = running(() => startPlatformOver(group));

const ask = async (gateway: number, { keyString: key }: TestKey) =>
  (await platform.request(gateway, 'GET', path, { key })).status;
const askBoth = (key: TestKey) => Promise.all([ask(0, key), ask(1, key)]);

const redisIsUsed = () =>
  expectEventually(
    async () => {
      for (const gateway of platform.gateways) expect(await metricOf(gateway, 'gateway_redis_up')).toBe(1);
    },
    { ...within, everyMs: 100 },
  );

/** Waits for more responses of each load. */
const goesOn = (loads: readonly Load[]) =>
  Promise.all(
    loads.map(({ report }) => {
      const enough = report.records.length + 10;
      const look = () => {
        if (report.records.length < enough) throw new Error(`${report.records.length} of ${enough} requests`);
      };
      return expectEventually(look, within);
    }),
  );

/** Redirects for which a gateway gave Redis up, or a revocation was not published. */
const redirects = () =>
  [...platform.gateways, ...platform.identities]
    .flatMap((service) => logLines(service))
    .filter(({ msg }) => ['redis is unreachable', 'generation not propagated'].includes(msg))
    .map((line) => JSON.stringify(line))
    .filter((line) => /MOVED|ASK|TRYAGAIN/.test(line));

/** Moves the slot of the business, and revokes a key in each state between. */
async function moveSlot(loads: readonly Load[], revocable: readonly TestKey[]): Promise<void> {
  const { businessId } = platform;
  const revoked: TestKey[] = [];
  const revokeOne = async () => {
    const key = revocable[revoked.length];
    if (key === undefined) throw new Error('more states than keys');
    expect(await askBoth(key)).toEqual([200, 200]);
    await platform.deleteKey(key);
    expect(await askBoth(key)).toEqual([401, 401]);
    revoked.push(key);
  };
  const move = await group.beginMove(businessId);
  await goesOn(loads);
  await revokeOne();
  // Scripts that need the counter, too, have to wait for it.
  await move.moveKey(`gen:{${businessId}}`);
  await move.moveKeys();
  await goesOn(loads);
  await revokeOne();
  await move.finish();
  await goesOn(loads);
  await revokeOne();
  for (const key of revoked) expect(await askBoth(key)).toEqual([401, 401]);
}

test('no request fails while slots move, the limit is exact, and revocations hold at once', async () => {
  const [limited, sibling] = [await platform.createKey(), await platform.createKey()];
  const revocable = await Promise.all(Array.from({ length: 6 }, () => platform.createKey()));
  await platform.setKeyLimit(limited, limit);
  for (const key of [limited, sibling, ...revocable]) expect(await askBoth(key)).toEqual([200, 200]);
  await redisIsUsed();
  const { gatewayPorts } = platform;
  const loads = [limited, sibling].map(({ keyString: key }) =>
    startLoad({ ports: gatewayPorts, rate: 10, path, key }),
  );
  try {
    await goesOn(loads);
    await moveSlot(loads, revocable.slice(0, 3));
    await moveSlot(loads, revocable.slice(3));
  } finally {
    await Promise.all(loads.map((load) => load.stop()));
  }
  for (const { report } of loads) expect(report.failures(200)).toEqual([]);
  expect(redirects()).toEqual([]);

  await redisIsUsed();
  // Those of the first look, and of the load.
  let admitted = 2 + (loads[0]?.report.records.length ?? 0);
  const some = Array.from({ length: 20 }, (_unused, index) => index % 2);
  for (let sent = admitted; sent < limit + 100; sent += some.length) {
    const statuses = await Promise.all(some.map((gateway) => ask(gateway, limited)));
    expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
    admitted += statuses.filter((status) => status === 200).length;
  }
  expect(admitted).toBe(limit);
});
