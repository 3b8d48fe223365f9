import { expect, test } from '@jest/globals';
import type { Replica } from './gateways.ts';
import { quantile } from './results.ts';
import { createHourCheck } from './rolling-hour.ts';

const key = { id: 'key_1', keyString: 'rk_1' };

/** A gateway that admits so many requests, which take so many milliseconds, and refuses all others. */
function replicaOf(name: string, admits: number, takesMs = 1, refusal = 429): Replica {
  let sent = 0;
  return {
    name,
    send: async () => {
      sent++;
      const startedAt = performance.now();
      return {
        status: sent > admits ? refusal : 200,
        requestId: `${name}-${sent}`,
        startedAt,
        endedAt: startedAt + takesMs,
        headers: {},
        text: '',
      };
    },
  };
}

test('requests up to the limit are no violation, regardless of the gateways that admit them', async () => {
  const check = createHourCheck(3);
  const replicas = [replicaOf('a', 2), replicaOf('b', 1)];
  expect(await check.measure(replicas, key)).toEqual([]);
  expect(await check.measure(replicas, key)).toEqual([]);
  expect(check.used()).toBe(3);
});

test('each request beyond the limit is a violation with its gateway and id, also in a later round', async () => {
  const check = createHourCheck(3);
  const replicas = [replicaOf('a', 3), replicaOf('b', 0)];
  expect(await check.measure(replicas, key)).toEqual([]);
  const [violation, ...others] = await check.measure([replicaOf('b', 1)], key);
  expect(others).toEqual([]);
  expect(violation).toMatchObject({ promise: 'rolling_hour', replica: 'b', requestId: 'b-1' });
});

test('requests that may lie in different rolling hours are no violation', async () => {
  const check = createHourCheck(3);
  const hours = replicaOf('slow', 6, 3_600_000);
  expect(await check.measure([hours], key)).toEqual([]);
  expect(await check.measure([hours], key)).toEqual([]);
});

test.each([401, 403, 503])('a gateway that responds with %i cannot be measured', async (status) => {
  const check = createHourCheck(3);
  const replica = replicaOf('a', 0, 1, status);
  await expect(check.measure([replica], key)).rejects.toThrow(
    `a neither admitted nor refused a key: ${status}`,
  );
});

test('requests that other gateways admitted count, even if one gateway cannot be measured', async () => {
  const check = createHourCheck(3);
  const replicas = [replicaOf('a', 0, 1, 401), replicaOf('b', 3)];
  await expect(check.measure(replicas, key)).rejects.toThrow('401');
  expect(check.used()).toBe(3);
  expect(await check.measure([replicaOf('b', 1)], key)).toHaveLength(1);
});

test('each key has its own rolling hour', async () => {
  const check = createHourCheck(3);
  expect(await check.measure([replicaOf('a', 3)], key)).toEqual([]);
  expect(await check.measure([replicaOf('a', 3)], { ...key, id: 'key_2' })).toEqual([]);
  expect(check.used()).toBe(3);
});

test('a gateway that does not respond cannot be measured', async () => {
  const silent: Replica = { name: 'a', send: () => Promise.reject(new Error('no response')) };
  await expect(createHourCheck(0).measure([silent], key)).rejects.toThrow('no response');
});

test('quantiles are computed by the nearest rank', () => {
  const times = Array.from({ length: 100 }, (_, index) => index + 1);
  expect([quantile(times, 0.5), quantile(times, 0.99), quantile([7], 0.99), quantile([], 0.5)]).toEqual([
    50, 99, 7, 0,
  ]);
});
