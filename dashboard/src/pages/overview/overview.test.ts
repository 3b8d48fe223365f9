import { expect, test } from '@jest/globals';
import { formatPercent, revocationsText, totalsOf } from './overview.ts';

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

test.each([
  [{ count: 0, pending: 0, slowestMs: null }, undefined],
  [{ count: 1, pending: 0, slowestMs: 9 }, 'Your revocation of the last 30 days: 9 ms.'],
  [{ count: 1_200, pending: 0, slowestMs: 31 }, 'Your 1,200 revocations of the last 30 days: slowest 31 ms.'],
  [
    { count: 2, pending: 1, slowestMs: 31 },
    'Your 2 revocations of the last 30 days: slowest 31 ms. Gateways did not confirm 1 in time, and apply such a change within 30 seconds.',
  ],
  [
    { count: 1, pending: 1, slowestMs: null },
    'Your revocation of the last 30 days. Gateways did not confirm 1 in time, and apply such a change within 30 seconds.',
  ],
  [undefined, undefined],
])('revocations %j read as %j', (revocations, text) => {
  expect(revocationsText(revocations)).toBe(text);
});
