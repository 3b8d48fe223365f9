import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { figures } from './figures.ts';
import { authorizationsOf, defaultLoad, planFor } from './plan.ts';

const small = { ...defaultLoad, businesses: 1_000, rps: 1_000 };
const needed = (load: typeof small, name: string) =>
  planFor(load).parts.find((part) => part.name === name)?.needed ?? Number.NaN;

test('gateways and Redis grow with the number of requests and include a reserve', () => {
  expect(needed({ ...small, rps: figures.gatewayPerCore }, 'gateway')).toBeCloseTo(1 / figures.utilization);
  expect(needed({ ...small, rps: 10_000 }, 'Redis')).toBeCloseTo(10 * needed(small, 'Redis'));
  expect(needed({ ...small, businesses: 2_000 }, 'Redis memory')).toBeCloseTo(
    2 * needed(small, 'Redis memory'),
  );
});

test('each gateway authorizes each key separately, but never more often than there are requests', () => {
  expect(authorizationsOf(1_000_000, 3_000, 2)).toBe(200);
  expect(authorizationsOf(1_000_000, 3_000, 4)).toBe(400);
  expect(authorizationsOf(1_000, 1_000_000, 4)).toBe(1_000);
});

test('a table is sized for its retention period, with at most one row per key and minute', () => {
  const usage = (load: typeof small) =>
    planFor(load).growth.find(({ table }) => table.name === 'usage_counts');
  expect(usage(small)?.rowsPerDay).toBe(1_000 * 1_440);
  expect(usage(small)?.bytes).toBe(1_000 * 1_440 * 97 * 343);
  expect(usage({ ...small, rps: 0.5 })?.rowsPerDay).toBe(43_200);
});

test('the log of requests is in PostgreSQL up to a million requests of each business, and in ClickHouse beyond its rate', () => {
  const logOf = (load: typeof small) => {
    const logs = planFor(load).growth.filter(
      ({ table, rowsPerDay }) => table.name === 'request_log' && rowsPerDay > 0,
    );
    return logs.map(({ table, bytes }) => [table.service, bytes]);
  };
  expect(logOf({ ...small, rps: 10 })).toEqual([['identity', 10 * 86_400 * 31 * 524]]);
  expect(logOf({ ...small, businesses: 1 })).toEqual([['identity', 1_000_000 * 524]]);
  expect(logOf({ ...small, rps: 5_001 })).toEqual([['clickhouse', 5_001 * 86_400 * 91 * 89]]);
  expect(needed({ ...small, rps: 1_000_000 }, 'ClickHouse, rows written')).toBeCloseTo(5.85, 1);
});

test('the first part to saturate is the single-server part that is nearest to its limit', () => {
  expect(planFor({ ...small, writeShare: 0 }).first.part.name).toBe(
    'PostgreSQL of identity-service, bytes kept',
  );
  const writing = planFor({ ...small, writeShare: 1, deliveriesPerEvent: 50 });
  expect(writing.first.part.name).toMatch(/webhook-service/);
  expect(writing.first.rps * writing.first.part.needed).toBeCloseTo(1_000);
});

test('the command prints the plan, and refuses values that are not numbers', () => {
  const command = (...args: string[]) =>
    execFileSync(process.execPath, ['deploy/capacity/main.ts', ...args], { encoding: 'utf8', stdio: 'pipe' });
  const text = command('--businesses', '1e6', '--rps', '1e6');
  expect(text).toMatch(/^1,000,000 businesses, 1,000,000 requests\/s/);
  expect(text).toMatch(/^First to saturate: PostgreSQL/m);
  expect(text).toMatch(/^One business: at most/m);
  expect(() => command('--rps', 'many')).toThrow('--rps is a number, as 1e6');
  expect(() => command('--replicas', '1')).toThrow('--replicas');
});
