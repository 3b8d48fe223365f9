import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { NewKey, TestKey } from '../harness/api-keys.ts';
import { type CanaryKeys, connectCanaryKeys } from '../harness/canary-keys.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { completedAfter, type Load, startLoad } from '../harness/load.ts';
import { gatewayPatience, strictRedis } from '../harness/patience.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import type { TestRedis } from '../harness/redis.ts';
import { type Circumstances, redisCircumstances, untilPublishing } from '../harness/redis-circumstances.ts';
import { running } from '../harness/running.ts';
import { scaled } from '../harness/slowness.ts';

/*
 * Promise: after the response to a change that takes access away, no request that starts later succeeds, on any gateway,
 * whatever happens to Redis. Requests and responses are timed by this process.
 */

const path = '/v2/businesses/me';

const platform = running(() => startPlatform({ gateways: 2, identities: 2, gatewayEnv: () => strictRedis }));
let redis: TestRedis;
/** For each change a business under load, and one whose keys are used by these tests only. */
const prepared: { readonly change: Change; readonly busyId: number; readonly quietId: number }[] = [];
beforeAll(async () => {
  if (platform.redis === undefined) throw new Error('These tests need Redis.');
  redis = platform.redis;
  for (const change of changes) {
    const busyId = await platform.createVerifiedBusiness('busy');
    prepared.push({ change, busyId, quietId: await platform.createVerifiedBusiness('quiet') });
  }
});

type Propagation = Awaited<ReturnType<Platform['deleteKey']>>;

/** A change that takes access to `path` away. */
interface Change {
  readonly name: string;
  readonly newKey?: NewKey;
  /** Status that clients get from then on. */
  readonly refusal: number;
  apply(key: TestKey): Promise<Propagation>;
}

const changes: readonly Change[] = [
  { name: 'deletion', refusal: 401, apply: (key) => platform.deleteKey(key) },
  { name: 'rotation', refusal: 401, apply: async (key) => (await platform.rotateKey(key)).propagation },
  {
    name: 'fewer scopes',
    newKey: { type: 'restricted', scopes: ['business:read', 'orders:read'] },
    refusal: 403,
    apply: (key) => platform.updateKey(key, { scopes: ['orders:read'] }),
  },
];

/** The next restart finds nothing. */
const saveEmpty = async (redis: TestRedis) => {
  await redis.flush();
  await redis.save();
};

const circumstances: Readonly<Record<string, Circumstances>> = {
  ...redisCircumstances,
  'Redis is flushed after the reply': async (redis, apply) => {
    const repliedAt = await apply();
    await redis.flush();
    return repliedAt;
  },
  'Redis is gone before, and comes back empty': async (redis, apply) => {
    await saveEmpty(redis);
    await redis.stop();
    const repliedAt = await apply('pending');
    await redis.start();
    return repliedAt;
  },
};

const loadOn = (port: number, keyString: string, rate: number) =>
  startLoad({ ports: [port], rate, path, key: keyString });

/** A gateway with too little CPU responds 503, which grants nothing: how rarely it does is the promise of other tests. */
const busy = 503;

/** Statuses of requests that started at `time` or later. */
const statusesSince = ({ report }: Load, time: number) => [
  ...new Set(
    report.records
      .filter(({ startedAt, status }) => startedAt >= time && status !== busy)
      .map(({ status, error }) => status ?? error),
  ),
];

/** The status that decides about a key; a busy gateway is asked again. */
async function ask(gateway: number, keyString: string): Promise<number> {
  const { status } = await platform.request(gateway, 'GET', path, { key: keyString });
  return status === busy ? ask(gateway, keyString) : status;
}

/** Waits until gateways count in Redis again. */
async function redisIsUsed(): Promise<void> {
  const runs = async () => {
    const stats = String(await redis.command('INFO', 'commandstats'));
    return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0);
  };
  const before = await runs();
  await expectEventually(async () => expect(await runs()).toBeGreaterThan(before + 6), { withinMs: 5_000 });
}

/**
 * Two keys that both gateways have in memory, for a change. The busy one is under load all the time. The quiet one, and its whole
 * business, is not used between the change and the end of what happens around it: nothing makes the gateways drop it.
 */
async function startCase({ change, busyId, quietId }: (typeof prepared)[number]) {
  const used = await platform.createKey({ ...change.newKey, businessId: busyId });
  // How long all of this takes does not matter: its load stays below it.
  await platform.setKeyLimit(used, 1_000_000);
  const sibling = await platform.createKey({ businessId: busyId });
  const quiet = await platform.createKey({ ...change.newKey, businessId: quietId });
  const onBusy = platform.gatewayPorts.map((port) => loadOn(port, used.keyString, 15));
  const onSibling = platform.gatewayPorts.map((port) => loadOn(port, sibling.keyString, 3));
  const askQuiet = () => Promise.all([ask(0, quiet.keyString), ask(1, quiet.keyString)]);
  return { change, used, quiet, onBusy, onSibling, askQuiet };
}

/** Makes every change at the same moment, each in businesses of its own, so that none is held by another. */
async function changeUnderLoad(cases: readonly Case[], during: Circumstances) {
  const loads = cases.flatMap(({ onBusy }) => onBusy);
  await Promise.all(loads.map((load) => completedAfter(load, 0, 10)));
  for (const { askQuiet } of cases) expect(await askQuiet()).toEqual([200, 200]);
  const repliedAt = await during(redis, async (propagation) => {
    const replies = await Promise.all(
      cases.flatMap(({ change, used, quiet }) => [change.apply(used), change.apply(quiet)]),
    );
    const now = performance.now();
    // Otherwise Redis was not lost, and these tests would show nothing.
    if (propagation === 'pending') expect(new Set(replies)).toEqual(new Set(['pending']));
    return now;
  });
  const end = performance.now();
  await redisIsUsed();
  const quietStatuses = await Promise.all(cases.map(({ askQuiet }) => askQuiet()));
  await Promise.all(loads.map((load) => completedAfter(load, end, 20)));
  await Promise.all(cases.flatMap(({ onSibling }) => onSibling.map((load) => completedAfter(load, end, 3))));
  return { repliedAt, quietStatuses };
}

type Case = Awaited<ReturnType<typeof startCase>>;

describe.each(Object.entries(circumstances))('when %s', (_, during) => {
  test('a deletion, a rotation and a removal of scopes end access at once, and other keys keep working', async () => {
    await untilPublishing(platform);
    const cases = await Promise.all(prepared.map(startCase));
    const loads = cases.flatMap(({ onBusy, onSibling }) => [...onBusy, ...onSibling]);
    const { repliedAt, quietStatuses } = await changeUnderLoad(cases, during).finally(() =>
      Promise.all(loads.map((load) => load.stop())),
    );
    for (const [index, { change, onBusy, onSibling }] of cases.entries()) {
      const { name, refusal } = change;
      for (const load of onBusy) {
        expect([name, ...load.report.successesStartedAfter(repliedAt)]).toEqual([name]);
        expect([name, statusesSince(load, repliedAt)]).toEqual([name, [refusal]]);
        expect([name, ...load.report.failures(200, refusal, busy)]).toEqual([name]);
      }
      expect([name, quietStatuses[index]]).toEqual([name, [refusal, refusal]]);
      for (const load of onSibling) expect([name, statusesSince(load, repliedAt)]).toEqual([name, [200]]);
    }
  });
});

test('without an outage the response says that the change is confirmed', () => untilPublishing(platform));

test('after a rotation the new string works at once on every gateway, and the old one on none', async () => {
  const key = await platform.createKey();
  expect(await Promise.all([ask(0, key.keyString), ask(1, key.keyString)])).toEqual([200, 200]);
  const rotated = await platform.rotateKey(key);
  const questions = [rotated, key].flatMap(({ keyString }) => [ask(0, keyString), ask(1, keyString)]);
  expect(await Promise.all(questions)).toEqual([200, 200, 401, 401]);
});

describe('when identity-service cannot reach Redis but gateways can', () => {
  /** Changes them in the process of a replica. */
  let keys: CanaryKeys;
  afterAll(() => keys.disconnect());

  const permit = (rule: string) =>
    redis.command('ACL', 'SETUSER', 'identity', 'on', '>of-this-test', '~*', '+@all', rule);

  beforeAll(async () => {
    await permit('+eval');
    const url = new URL(redis.url);
    url.username = 'identity';
    url.password = 'of-this-test';
    for (const identity of platform.identities) {
      await identity.stop();
      await identity.start({ REDIS_URL: url.href });
    }
    // A gateway that gives Redis up for a moment asks identity-service, and no longer vouches for what it has cached.
    for (const gateway of platform.gateways) {
      await gateway.stop();
      await gateway.start({ REDIS_TIMEOUT_MS: gatewayPatience.REDIS_TIMEOUT_MS });
    }
    keys = connectCanaryKeys(platform.targets.identity, platform.businessId);
  });

  /** Rotates a key whose old string gateways go on to vouch for, and waits until none does. Calls `then` when each of them has done so. */
  const rotateUnderLoad = async (then: () => Promise<unknown>) => {
    const name = randomUUID();
    const key = await keys.takeKey(name);
    const loads = platform.gatewayPorts.map((port) => loadOn(port, key.keyString, 20));
    try {
      await Promise.all(loads.map((load) => completedAfter(load, 0, 20)));
      await permit('-eval');
      const { propagation } = await keys.takeKey(name);
      const repliedAt = performance.now();
      // Otherwise these tests would show nothing: the gateways must still vouch for cached authorizations.
      await Promise.all(loads.map((load) => succeededSince(load, repliedAt)));
      await then();
      const reachedAt = performance.now();
      await Promise.all(loads.map((load) => refusedForGood(load)));
      return { propagation, repliedAt, reachedAt, loads };
    } finally {
      await permit('+eval');
      await Promise.all(loads.map((load) => load.stop()));
    }
  };

  const succeededSince = ({ report }: Load, time: number) =>
    expectEventually(() => expect(report.successesStartedAfter(time).length).toBeGreaterThan(0), {
      withinMs: 5_000,
    });

  const refusedForGood = ({ report }: Load) =>
    expectEventually(
      () => {
        const statuses = report.records.map(({ status }) => status).filter((status) => status !== busy);
        expect(statuses.slice(-20)).toEqual(Array(20).fill(401));
      },
      { withinMs: 40_000, everyMs: 100 },
    );

  const expectLastSuccessBefore = (time: number, loads: readonly Load[]) => {
    for (const { report } of loads) {
      expect(report.successesStartedAfter(time)).toEqual([]);
      expect(report.failures(200, 401, busy)).toEqual([]);
    }
  };

  test('the response says that the change is pending, and every gateway confirms it within 30 s', async () => {
    const { propagation, repliedAt, loads } = await rotateUnderLoad(() => Promise.resolve());
    expect(propagation).toBe('pending');
    expectLastSuccessBefore(repliedAt + 30_000, loads);
  });

  test('every gateway confirms it within 5 s once identity-service reaches Redis again', async () => {
    const { propagation, reachedAt, loads } = await rotateUnderLoad(() => permit('+eval'));
    expect(propagation).toBe('pending');
    expectLastSuccessBefore(reachedAt + scaled(5_000), loads);
  });
});
