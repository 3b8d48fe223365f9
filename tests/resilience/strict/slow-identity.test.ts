import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { TestKey } from '../../harness/api-keys.ts';
import { expectEventually } from '../../harness/expect-eventually.ts';
import { type HeldLocks, holdTable } from '../../harness/hold-table.ts';
import { startLoad } from '../../harness/load.ts';
import { authorizationsOf } from '../../harness/metrics.ts';
import { scaledLimits } from '../../harness/patience.ts';
import { startPlatform } from '../../harness/platform.ts';
import { running } from '../../harness/running.ts';
import type { Environment } from '../../harness/service.ts';
import { scaled, slowness } from '../../harness/slowness.ts';

/** Ends by itself after a minute, whatever the result of the test. */
const program = 'const end = Date.now() + 60_000; while (Date.now() < end);';

/** Starts processes that use all CPUs, `perCpu` for each; resolves to a function that ends them. */
function keepCpusBusy(perCpu: number): () => void {
  const hogs: ChildProcess[] = Array.from({ length: perCpu * availableParallelism() }, () =>
    spawn(process.execPath, ['-e', program], { stdio: 'ignore' }),
  );
  return () => {
    for (const hog of hogs) hog.kill('SIGKILL');
  };
}

/*
 * Promise: the gateway waits for a slow identity-service as long as the request has time, and not for a dead one. Tests
 * of the 300 ms for a dead one: degradation.test.ts.
 */

const path = '/v2/businesses/me';
/** Gateways: with the default time limits, with more time for a request, and with more for a sign of life as well. */
const [usual, patient, unhurried] = [0, 1, 2];
const gatewayEnvs: readonly Environment[] = [
  {},
  { AUTHORIZE_TIMEOUT_MS: '10000' },
  // Processes beside it may keep a live identity-service from the CPU for longer than the default.
  { AUTHORIZE_TIMEOUT_MS: '10000', ...scaledLimits({ IDENTITY_PATIENCE_MS: 1_000 }) },
];

const platform = running(() =>
  startPlatform({
    strictTimes: true,
    gateways: gatewayEnvs.length,
    gatewayEnv: (index) => gatewayEnvs[index] ?? {},
  }),
);

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanUp.splice(0)) await each();
});

const ask = async (key: TestKey, gateway = usual) => {
  const { status } = await platform.request(gateway, 'GET', path, { key: key.keyString });
  return { status };
};
/** Ten at a time: these databases give no statement longer than in production. */
async function newKeys(count: number): Promise<TestKey[]> {
  const keys: TestKey[] = [];
  while (keys.length < count) {
    keys.push(...(await Promise.all(Array.from({ length: 10 }, () => platform.createKey()))));
  }
  return keys.slice(0, count);
}
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Requests for one key after the other, evenly over time; resolves to the number by status. */
async function statusesOf(keys: readonly TestKey[], rate: number, forMs: number) {
  let sent = 0;
  const ports = [platform.gatewayPorts[unhurried] ?? 0];
  const key = () => keys[sent++ % keys.length]?.keyString ?? '';
  const load = startLoad({
    ports,
    rate: rate / slowness(),
    path,
    key,
    timeoutMs: scaled(20_000),
    maxInFlight: Number.POSITIVE_INFINITY,
  });
  await wait(scaled(forMs));
  return (await load.stop()).counts();
}

describe('while the lookup of credentials takes longer than the wait for a dead identity-service', () => {
  const hold = async (): Promise<HeldLocks> => {
    const held = await holdTable(platform.databases.identity, 'api_keys');
    cleanUp.push(held.release);
    return held;
  };

  test('a cold request waits for it, and succeeds', async () => {
    const key = await platform.createKey();
    const held = await hold();
    const response = ask(key, patient);
    await expectEventually(async () => expect(await held.waiting()).toBeGreaterThan(0), { withinMs: 5_000 });
    // Longer than a dead identity-service is waited for.
    await wait(scaled(400));
    await held.release();
    expect((await response).status).toBe(200);
  });

  test('a request whose time has expired gets 503', async () => {
    const key = await platform.createKey();
    await hold();
    expect((await ask(key)).status).toBe(503);
  });

  test('requests for one credential share a call', async () => {
    const [key] = await newKeys(1);
    if (key === undefined) throw new Error('There is no key.');
    const before = await authorizationsOf(platform.identities[0]);
    const held = await hold();
    const responses = Array.from({ length: 30 }, () => ask(key, patient));
    await expectEventually(async () => expect(await held.waiting()).toBeGreaterThan(0), { withinMs: 5_000 });
    await held.release();
    expect(new Set((await Promise.all(responses)).map(({ status }) => status))).toEqual(new Set([200]));
    // One for those that began before it, one for those that began after, each perhaps a second time for being slow; and
    // a busy machine may bring the thirty in more than two groups.
    expect((await authorizationsOf(platform.identities[0])) - before).toBeLessThan(10);
  });

  test('requests for many credentials share a query', async () => {
    const keys = await newKeys(30);
    const held = await hold();
    const responses = keys.map((key) => ask(key, patient));
    await expectEventually(async () => expect(await held.waiting()).toBeGreaterThan(0), { withinMs: 5_000 });
    await wait(200);
    // Far from thirty; a loop of the service may wait as well.
    expect(await held.waiting()).toBeLessThanOrEqual(5);
    await held.release();
    expect(new Set((await Promise.all(responses)).map(({ status }) => status))).toEqual(new Set([200]));
  });

  test('a cached credential is not affected', async () => {
    const [key] = await newKeys(1);
    if (key === undefined) throw new Error('There is no key.');
    expect([(await ask(key)).status, (await ask(key)).status]).toEqual([200, 200]);
    await hold();
    const responses = [await ask(key), await ask(key), await ask(key)];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});

describe('with so little CPU that everything is slow', () => {
  test('no cold request fails', async () => {
    const keys = await newKeys(100);
    cleanUp.push(keepCpusBusy(4));
    expect(Object.keys(await statusesOf(keys, 25, 2_000))).toEqual(['200']);
  });

  test('no request fails while Redis is frozen and every one needs identity-service', async () => {
    const keys = await newKeys(50);
    platform.redis?.freeze();
    cleanUp.push(() => platform.redis?.thaw());
    cleanUp.push(keepCpusBusy(2));
    expect(Object.keys(await statusesOf(keys, 40, 2_000))).toEqual(['200']);
  });
});
