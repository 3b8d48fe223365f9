import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { TestKey } from '../harness/api-keys.ts';
import { eventually } from '../harness/eventually.ts';
import type { HttpAnswer } from '../harness/http-request.ts';
import { type Load, startLoad } from '../harness/load.ts';
import { type LoadRecord, loadReport } from '../harness/load-report.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { startPostgres, type TestPostgres } from '../harness/postgres.ts';
import type { TestRedis } from '../harness/redis.ts';

/*
 * Promise: a lost part degrades the platform, it does not break it; and when the part is back, so is everything, without
 * a restart. Of the two gateways one remembers answers, and one asks identity-service about every request.
 */

const path = '/v2/businesses/me';
const remembering = 0;
const asking = 1;
/** What a process may have to wait for its turn on a busy machine, milliseconds. */
const busyMs = 300;
/** A caller of an authorization that cannot be had knows it by then, in milliseconds. */
const unavailableLimitMs = 300;
/** Longer than business-service waits for its database. */
const upstreamTimeoutMs = 3_500;

// Budgets of milliseconds over real processes: a machine that is busy for a moment breaks one once, a defect every time.
jest.retryTimes(2, { logErrorsBeforeRetry: true });

let platform: Platform;
let postgres: TestPostgres;
let redis: TestRedis;
beforeAll(async () => {
  postgres = await startPostgres();
  platform = await startPlatform({
    strictTimes: true,
    gateways: 2,
    identities: 2,
    createDatabase: postgres.createDatabase,
    gatewayEnv: (index) => ({
      UPSTREAM_TIMEOUT_MS: String(upstreamTimeoutMs),
      ...(index === asking && { ANSWER_CACHE: 'off' }),
    }),
  });
  if (platform.redis === undefined) throw new Error('These tests need Redis.');
  redis = platform.redis;
});
afterEach(async () => {
  await Promise.all(loads.splice(0).map((load) => load.stop()));
  for (const part of [postgres, redis, ...platform.businesses, ...platform.identities]) {
    part.thaw();
    await part.start();
  }
  await recovery(20_000);
});
afterAll(async () => {
  await platform.close();
  await postgres.close();
});

/** A part of the platform that can be lost. */
interface Part {
  kill?(): Promise<unknown>;
  stop(): Promise<unknown>;
  start(): Promise<unknown>;
  freeze(): void;
  thaw(): void;
}

interface Loss {
  readonly name: string;
  lose(part: Part): Promise<unknown>;
  bringBack(part: Part): Promise<unknown>;
}

const stopped: Loss = {
  name: 'stopped',
  lose: (part) => (part.kill ?? part.stop)(),
  bringBack: (part) => part.start(),
};
const frozen: Loss = {
  name: 'frozen',
  lose: async (part) => part.freeze(),
  bringBack: async (part) => part.thaw(),
};
const losses = [stopped, frozen];
const all = (parts: readonly Part[], act: (part: Part) => Promise<unknown>) => Promise.all(parts.map(act));

const ask = (gateway: number, { keyString }: TestKey) =>
  platform.request(gateway, 'GET', path, { key: keyString });

const loads: Load[] = [];

const loadOn = (gateway: number, { keyString }: TestKey, rate = 30) => {
  const ports = [platform.gatewayPorts[gateway] ?? 0];
  const load = startLoad({ ports, rate, path, key: keyString });
  loads.push(load);
  return load;
};

/** Waits until so many requests that started at `time` or later have been answered. */
const answeredSince = ({ report }: Load, time: number, count: number) =>
  eventually(() => expect(startedSince(report.records, time).length).toBeGreaterThan(count), {
    withinMs: 20_000,
  });

const startedSince = (records: readonly LoadRecord[], time: number) =>
  records.filter(({ startedAt }) => startedAt >= time);

/** The questions of a load report, to some of its requests. */
const reportOf = (records: readonly LoadRecord[]) => {
  const report = loadReport();
  report.records.push(...records);
  return report;
};

/** A refusal that says nothing about the credential. */
function expectUnavailable(answer: HttpAnswer, text: string): void {
  expect(answer.json()).toEqual({ error: text, status: 'Service Unavailable', code: 503 });
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
}

const expectAuthorizationUnavailable = (answer: HttpAnswer) =>
  expectUnavailable(answer, 'authorization is not available at the moment');

/** Resolves when every replica takes part again: calls go to one after the other. */
async function recovery(withinMs: number): Promise<void> {
  await eventually(
    async () => {
      for (const _replica of [...platform.identities, ...platform.identities]) {
        const key = await platform.createKey();
        const answers = await Promise.all([ask(remembering, key), ask(asking, key)]);
        expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      }
    },
    { withinMs },
  );
}

const expectNobodyRestarted = () => {
  const services = [...platform.gateways, ...platform.identities, ...platform.businesses];
  expect(services.map((service) => service.isRunning())).toEqual(services.map(() => true));
};

describe.each(losses)('while Redis is $name', ({ lose, bringBack }) => {
  /** Runs of the gateways' script, as Redis counts them. */
  const scriptRuns = async () => {
    const stats = String(await redis.command('INFO', 'commandstats'));
    return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0);
  };

  test('no request fails, every answer is right and none is slow; afterwards it is used again', async () => {
    const [warm, doomed] = [await platform.createKey(), await platform.createKey()];
    const limited = await platform.createKey();
    await platform.setKeyLimit(limited, 3);
    const narrow = await platform.createKey({ type: 'restricted', scopes: ['orders:read'] });
    const both = [loadOn(remembering, warm), loadOn(asking, warm)];
    await ask(remembering, doomed);
    await Promise.all(both.map((load) => answeredSince(load, 0, 30)));

    const lostAt = performance.now();
    await lose(redis);
    await Promise.all(both.map((load) => answeredSince(load, lostAt, 50)));
    expect((await ask(remembering, doomed)).status).toBe(200);
    await platform.deleteKey(doomed);
    for (const gateway of [remembering, asking]) {
      expect((await ask(gateway, doomed)).status).toBe(401);
      expect((await ask(gateway, narrow)).status).toBe(403);
      const counted = [1, 2, 3, 4].map(() => ask(gateway, limited));
      const statuses = (await Promise.all(counted)).map(({ status }) => status);
      expect(statuses.sort()).toEqual([200, 200, 200, 429]);
    }

    const backAt = performance.now();
    await bringBack(redis);
    const runsBefore = await scriptRuns();
    await eventually(async () => expect(await scriptRuns()).toBeGreaterThan(runsBefore + 20), {
      withinMs: 5_000,
    });
    for (const load of both) {
      const { records, failures } = await load.stop();
      expect(failures(200)).toEqual([]);
      const meanwhile = startedSince(records, lostAt).filter(({ startedAt }) => startedAt < backAt);
      // The first requests wait for one Redis command to time out, later ones for nothing.
      expect(reportOf(meanwhile).latency(1)).toBeLessThan(50 + busyMs);
      expect(reportOf(startedSince(meanwhile, lostAt + 200)).latency(0.5)).toBeLessThan(50);
    }
    expect((await ask(remembering, doomed)).status).toBe(401);
    expectNobodyRestarted();
  });
});

describe.each(losses)('while one of two identity-services is $name', ({ lose, bringBack }) => {
  /** Authorize calls that a replica has answered. */
  const authorizations = async (index: number) => {
    const port = platform.identities[index]?.ports.ops;
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const counts = [...metrics.matchAll(/^identity_authorize_duration_seconds_count\S* (\d+)$/gm)];
    return counts.reduce((sum, [, count]) => sum + Number(count), 0);
  };

  test('no request fails; afterwards it is used again', async () => {
    const key = await platform.createKey();
    const [identity] = platform.identities;
    if (identity === undefined) throw new Error('There is no identity-service.');
    const both = [loadOn(remembering, key), loadOn(asking, key)];
    await Promise.all(both.map((load) => answeredSince(load, 0, 30)));

    const lostAt = performance.now();
    await lose(identity);
    await Promise.all(both.map((load) => answeredSince(load, lostAt, 60)));
    await bringBack(identity);
    const before = await authorizations(0);
    await eventually(async () => expect(await authorizations(0)).toBeGreaterThan(before + 10), {
      withinMs: 10_000,
    });

    for (const load of both) {
      const report = await load.stop();
      expect(report.failures(200)).toEqual([]);
      expect(report.latency(1)).toBeLessThan(unavailableLimitMs + busyMs);
    }
    await recovery(10_000);
  });
});

describe.each(losses)('while every identity-service is $name', ({ lose, bringBack }) => {
  test('remembered credentials work on, others are told to come back; afterwards all work', async () => {
    const [warm, cold] = [await platform.createKey(), await platform.createKey()];
    const onWarm = loadOn(remembering, warm);
    await answeredSince(onWarm, 0, 30);

    await all(platform.identities, lose);
    const onCold = [loadOn(remembering, cold, 50), loadOn(asking, warm, 50)];
    await Promise.all(onCold.map((load) => answeredSince(load, 0, 60)));
    expectAuthorizationUnavailable(await ask(remembering, cold));
    expectAuthorizationUnavailable(await ask(asking, warm));
    for (const load of onCold) {
      const { failures, latency } = await load.stop();
      expect(failures(503)).toEqual([]);
      expect(latency(0.5)).toBeLessThan(unavailableLimitMs);
      expect(latency(1)).toBeLessThan(unavailableLimitMs + 2 * busyMs);
    }

    await all(platform.identities, bringBack);
    await recovery(10_000);
    expect((await onWarm.stop()).failures(200)).toEqual([]);
    expectNobodyRestarted();
  });
});

test('a remembered credential that expires while identity-service is gone does not outlive its end', async () => {
  const expiresAt = Date.now() + 6_500;
  const end = expiresAt - performance.timeOrigin;
  const key = await platform.createKey({ expiresAt: new Date(expiresAt) });
  const load = loadOn(remembering, key);
  await answeredSince(load, 0, 10);
  await all(platform.identities, frozen.lose);
  const lostAt = performance.now();
  await answeredSince(load, end, 10);
  const { successesStartedAfter, failures } = await load.stop();
  expect(successesStartedAfter(lostAt).length).toBeGreaterThan(0);
  expect(successesStartedAfter(end + 1)).toEqual([]);
  expect(failures(200, 503)).toEqual([]);
});

describe.each([
  { ...stopped, code: 502, status: 'Bad Gateway' },
  { ...frozen, code: 504, status: 'Gateway Timeout' },
])('while business-service is $name', ({ lose, bringBack, code, status }) => {
  test(`a request that may pass is answered ${code} in JSON, others as ever; afterwards all work`, async () => {
    const key = await platform.createKey();
    expect((await ask(remembering, key)).status).toBe(200);
    await all(platform.businesses, lose);
    const startedAt = performance.now();
    const [answer] = await Promise.all([
      ask(remembering, key),
      platform.request(remembering, 'GET', path).then((refused) => expect(refused.status).toBe(401)),
    ]);
    expect(performance.now() - startedAt).toBeLessThan(upstreamTimeoutMs + 2 * busyMs);
    expect(answer.status).toBe(code);
    expect(answer.json()).toEqual({ error: expect.stringContaining('did not answer'), status, code });
    await all(platform.businesses, bringBack);
    await eventually(async () => expect((await ask(remembering, key)).status).toBe(200), {
      withinMs: 10_000,
    });
    expectNobodyRestarted();
  });
});

describe.each(losses)('while PostgreSQL is $name', ({ lose, bringBack }) => {
  test('known credentials are still let in, everything else is told to come back; afterwards all work', async () => {
    const [warm, cold] = [await platform.createKey(), await platform.createKey()];
    expect((await ask(remembering, warm)).status).toBe(200);
    await lose(postgres);

    // The gateway lets it pass; it is business-service that cannot serve.
    const passed = await ask(remembering, warm);
    expectUnavailable(passed, 'the service is temporarily unavailable');
    expect(passed.headers).toHaveProperty('x-ratelimit-remaining');
    const load = loadOn(remembering, cold, 50);
    await answeredSince(load, 0, 60);
    expectAuthorizationUnavailable(await ask(remembering, cold));
    const { failures, latency } = await load.stop();
    expect(failures(503)).toEqual([]);
    expect(latency(0.5)).toBeLessThan(unavailableLimitMs);
    expect(latency(1)).toBeLessThan(unavailableLimitMs + 2 * busyMs);

    await bringBack(postgres);
    await recovery(15_000);
    expect((await ask(remembering, warm)).status).toBe(200);
    expectNobodyRestarted();
  });
});
