import { expect, test } from '@jest/globals';
import { histogramOf } from './histogram.ts';
import { keptPromises } from './record.ts';

const days = ['2026-11-29', '2026-11-28', '2026-11-27'];

const row = (day: string, times: readonly number[], more = {}) => ({
  day,
  promise: 'revocation' as const,
  checks: times.length,
  violations: 0,
  times: histogramOf(times),
  slowestMs: Math.max(...times),
  highestPercent: undefined,
  lastAt: Date.parse(`${day}T12:00:00Z`),
  ...more,
});

test('a day without measurements has no figures, and no zero', () => {
  const { promises, lastAt } = keptPromises({
    now: 0,
    days,
    rows: [row('2026-11-28', [3])],
    violations: [],
  });
  const [revocation, rollingHour] = promises;
  expect(revocation?.days.map(({ day, figures }) => [day, figures?.checks])).toEqual([
    ['2026-11-29', undefined],
    ['2026-11-28', 1],
    ['2026-11-27', undefined],
  ]);
  expect([rollingHour?.all, lastAt]).toEqual([undefined, Date.parse('2026-11-28T12:00:00Z')]);
});

test('the figures of all days are those of all their times together, not averages of days', () => {
  const rows = [row('2026-11-29', Array(98).fill(2)), row('2026-11-27', [9, 5_000], { violations: 1 })];
  const { promises, violationCount } = keptPromises({ now: 0, days, rows, violations: [] });
  expect(promises[0]?.all).toEqual({
    checks: 100,
    violations: 1,
    timed: 100,
    p50Ms: 2,
    p99Ms: 9,
    slowestMs: 5_000,
    highestPercent: undefined,
  });
  expect(violationCount).toBe(1);
});
