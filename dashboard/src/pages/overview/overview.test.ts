import { expect, test } from '@jest/globals';
import { formatPercent, totalsOf } from './overview.ts';

test('totals are summed over all hours', () => {
  const hour = { start: '2026-11-21T08:00:00Z', count2xx: 10, count4xx: 3, count429: 2, count5xx: 1 };
  expect(totalsOf([hour, hour])).toEqual({ requests: 32, refused: 6, limited: 4, failed: 2 });
  expect(totalsOf([])).toEqual({ requests: 0, refused: 0, limited: 0, failed: 0 });
});

test.each([
  [0, 0, '0%'],
  [0, 10, '0%'],
  [1, 100_000, '< 0.1%'],
  [1, 250, '0.4%'],
  [1, 8, '13%'],
  [10, 10, '100%'],
])('%d of %d is %s', (part, whole, text) => {
  expect(formatPercent(part, whole)).toBe(text);
});
