import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectEventually } from '../harness/expect-eventually.ts';
import type { HttpResponse } from '../harness/http-request.ts';
import { type Load, startLoad } from '../harness/load.ts';
import type { LoadRecord } from '../harness/load-report.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { sharedBehind } from '../harness/shared-platform.ts';
import { onSteadyClock, shiftAgain, shiftedClock } from '../harness/steady-clock.ts';

/*
 * Promise: no rolling hour admits more than the limit, for any number of gateways, whatever their clocks say.
 */

const path = '/v2/businesses/me';
const hourMs = 3_600_000;

const statuses = (responses: readonly HttpResponse[]) => responses.map(({ status }) => status);
const succeeded = (responses: readonly HttpResponse[]) => responses.filter(({ status }) => status === 200);
const numberIn = ({ headers }: HttpResponse, name: string) => Number(headers[name]);
const remaining = (response: HttpResponse) => numberIn(response, 'x-ratelimit-remaining');
const descending = (from: number) => Array.from({ length: from }, (_, index) => from - 1 - index);

/** Requests from every gateway at once, so many each, several at a time. */
async function hammer(
  platform: Platform,
  key: string,
  perGateway: number,
  atOnce = 25,
): Promise<HttpResponse[]> {
  const responses: HttpResponse[] = [];
  const worker = async (gateway: number, count: number) => {
    for (let i = 0; i < count; i++) responses.push(await platform.request(gateway, 'GET', path, { key }));
  };
  const workers = platform.gateways.flatMap((_, gateway) =>
    Array.from({ length: atOnce }, () => worker(gateway, perGateway / atOnce)),
  );
  await Promise.all(workers);
  return responses;
}

/** Waits for a moment at which the next seconds belong to one minute. */
const earlyInAMinute = () =>
  expectEventually(() => expect(Date.now() % 60_000).toBeLessThan(50_000), {
    withinMs: 11_000,
    everyMs: 200,
  });

async function limitedKey(platform: Platform, limit: number) {
  const key = await platform.createKey();
  await platform.setKeyLimit(key, limit);
  return key;
}

describe('three gateways, two of them with clocks that are hours wrong', () => {
  let platform: Platform;
  beforeAll(async () => {
    const shifts = [0, 5 * hourMs, -5 * hourMs];
    platform = await sharedBehind({ gateways: 3, gatewayEnv: (index) => shiftedClock(shifts[index] ?? 0) });
  });
  afterAll(() => platform.close());

  const ask = (gateway: number, key: string) => platform.request(gateway % 3, 'GET', path, { key });
  const askInTurn = async (count: number, key: string) => {
    const responses: HttpResponse[] = [];
    for (let i = 0; i < count; i++) responses.push(await ask(i, key));
    return responses;
  };

  test('run with these clocks', async () => {
    const startedAt = platform.gateways.map(async ({ ports }) => {
      const metrics = await (await fetch(`http://127.0.0.1:${ports.ops}/metrics`)).text();
      return Number(/^process_start_time_seconds\S* (\S+)$/m.exec(metrics)?.[1]) * 1000;
    });
    const [right = 0, fast = 0, slow = 0] = await Promise.all(startedAt);
    expect(fast - right).toBeGreaterThan(4 * hourMs);
    expect(right - slow).toBeGreaterThan(4 * hourMs);
  });

  test('of 900 requests at once exactly 300 succeed, each with its own number', async () => {
    const key = await limitedKey(platform, 300);
    const responses = await hammer(platform, key.keyString, 300);
    expect(new Set(statuses(responses))).toEqual(new Set([200, 429]));
    const counted = succeeded(responses);
    expect(counted).toHaveLength(300);
    expect(counted.map(remaining).sort((a, b) => b - a)).toEqual(descending(300));
    expect(statuses(await askInTurn(3, key.keyString))).toEqual([429, 429, 429]);
  });

  test.each([1, 2, 3])('one below the limit, exactly one more succeeds (%i)', async () => {
    const key = await limitedKey(platform, 10);
    expect(statuses(await askInTurn(9, key.keyString))).toEqual(Array(9).fill(200));
    const rivals = await Promise.all(descending(12).map((gateway) => ask(gateway, key.keyString)));
    expect(succeeded(rivals)).toHaveLength(1);
    expect(statuses(rivals).filter((status) => status === 429)).toHaveLength(11);
  });

  test('refused requests do not count', async () => {
    const key = await limitedKey(platform, 5);
    const before = await askInTurn(25, key.keyString);
    expect(succeeded(before)).toHaveLength(5);
    await platform.setKeyLimit(key, 7);
    expect(statuses(await askInTurn(4, key.keyString))).toEqual([200, 200, 429, 429]);
  });

  test('a lowered limit takes effect at once on every gateway', async () => {
    const key = await limitedKey(platform, 50);
    expect(succeeded(await askInTurn(6, key.keyString))).toHaveLength(6);
    await platform.setKeyLimit(key, 6);
    expect(statuses(await askInTurn(3, key.keyString))).toEqual([429, 429, 429]);
  });

  test('a rotated key keeps its count', async () => {
    const key = await limitedKey(platform, 10);
    expect(succeeded(await askInTurn(6, key.keyString))).toHaveLength(6);
    const rotated = await platform.rotateKey(key);
    expect(statuses(await askInTurn(6, rotated.keyString))).toEqual([200, 200, 200, 200, 429, 429]);
  });

  test('keys of one business have a count each', async () => {
    const [one, other] = [await limitedKey(platform, 3), await limitedKey(platform, 3)];
    expect(statuses(await askInTurn(4, one.keyString))).toEqual([200, 200, 200, 429]);
    expect(statuses(await askInTurn(4, other.keyString))).toEqual([200, 200, 200, 429]);
  });

  test('headers report the state, from any gateway', async () => {
    await earlyInAMinute();
    const key = await limitedKey(platform, 6);
    const startedAt = performance.now();
    const responses = await askInTurn(9, key.keyString);
    const passed = (performance.now() - startedAt) / 1_000;
    expect(responses.map(remaining)).toEqual([5, 4, 3, 2, 1, 0, 0, 0, 0]);
    for (const response of responses) {
      const reset = numberIn(response, 'x-ratelimit-reset');
      // Requests of one minute are forgotten together, an hour after the last of them.
      expect(reset).toBeGreaterThanOrEqual(Math.floor(3_600 - passed));
      expect(reset).toBeLessThanOrEqual(3_600);
      expect(response.headers).toMatchObject({
        'x-ratelimit-limit': '6',
        'ratelimit-policy': '"hour";q=6;w=3600',
        ratelimit: `"hour";r=${remaining(response)};t=${reset}`,
      });
      const retryAfter = response.status === 429 ? String(reset) : undefined;
      expect(response.headers['retry-after']).toBe(retryAfter);
    }
  });

  test(
    'a key ends at its expiration on every gateway, neither sooner nor later',
    onSteadyClock(async () => {
      const expiresAt = new Date(Date.now() + 8_000);
      const key = await platform.createKey({ expiresAt });
      const loads = platform.gatewayPorts.map((port) =>
        startLoad({ ports: [port], rate: 15, path, key: key.keyString }),
      );
      // Up to a millisecond behind: Date.now() is cut off.
      const offset = Date.now() - performance.now();
      const wall = (time: number) => offset + time;
      const isEarly = ({ endedAt }: LoadRecord) => wall(endedAt) + 1 < expiresAt.getTime();
      const isLate = ({ startedAt }: LoadRecord) => wall(startedAt) >= expiresAt.getTime() + 1;
      const lateOf = (load: Load) => load.report.records.filter(isLate).length;
      await expectEventually(() => expect(Math.min(...loads.map(lateOf))).toBeGreaterThan(5), {
        withinMs: 5_000,
      });
      const reports = await Promise.all(loads.map((load) => load.stop()));
      for (const { records } of reports) {
        const before = records.filter(isEarly);
        const after = records.filter(isLate);
        expect(before.length).toBeGreaterThan(0);
        expect(new Set(before.map(({ status }) => status))).toEqual(new Set([200]));
        expect(new Set(after.map(({ status }) => status))).toEqual(new Set([401]));
      }
      for (const gateway of [0, 1, 2]) {
        expect((await ask(gateway, key.keyString)).json()).toMatchObject({ error: 'API key has expired' });
      }
    }),
  );
});

describe('one gateway without Redis', () => {
  const stepMs = 20 * 60_000;
  let platform: Platform;
  beforeAll(async () => {
    platform = await startPlatform({ redis: false, gatewayEnv: shiftedClock(stepMs) });
  });
  afterAll(() => platform.close());

  test('of 200 requests at once exactly 100 succeed', async () => {
    const key = await limitedKey(platform, 100);
    const responses = await hammer(platform, key.keyString, 200);
    expect(new Set(statuses(responses))).toEqual(new Set([200, 429]));
    expect(
      succeeded(responses)
        .map(remaining)
        .sort((a, b) => b - a),
    ).toEqual(descending(100));
  });

  test('Retry-After is the time until the next request is admitted', async () => {
    await earlyInAMinute();
    const [gateway] = platform.gateways;
    if (gateway === undefined) throw new Error('There is no gateway.');
    const key = await limitedKey(platform, 3);
    const ask = () => platform.request(0, 'GET', path, { key: key.keyString });
    const startedAt = performance.now();
    const counted = [await ask(), await ask(), await ask()];
    expect(statuses(counted)).toEqual([200, 200, 200]);
    let retryAfter = numberIn(await ask(), 'retry-after');
    for (const minutesLeft of [40, 20]) {
      shiftAgain(gateway);
      const before = retryAfter;
      // The signal and the next request take different ways into the process, and a call under way misses its deadline.
      const refused = await expectEventually(
        async () => {
          const response = await ask();
          expect(response.status).toBe(429);
          expect(before - numberIn(response, 'retry-after')).toBeGreaterThanOrEqual(stepMs / 1000);
          return response;
        },
        { withinMs: 5_000 },
      );
      retryAfter = numberIn(refused, 'retry-after');
      const passed = (performance.now() - startedAt) / 1_000;
      expect(retryAfter).toBeGreaterThanOrEqual(Math.floor(minutesLeft * 60 - passed));
      expect(retryAfter).toBeLessThanOrEqual(minutesLeft * 60);
    }
    shiftAgain(gateway);
    const admitted = await expectEventually(
      async () => {
        const response = await ask();
        expect(response.status).toBe(200);
        return response;
      },
      { withinMs: 5_000 },
    );
    expect(remaining(admitted)).toBe(2);
  });
});
