import { expect, test } from '@jest/globals';
import { dailyPoints, hourlyPoints } from './usage.ts';

const hour = (start: string, count2xx: number) => ({
  start,
  count2xx,
  count4xx: 1,
  count429: 2,
  count5xx: 3,
});

const at = Date.parse;

test('hours have no gaps, begin with the one of the first moment and end before the last', () => {
  const hours = [hour('2026-11-20T22:00:00.000Z', 7)];
  const points = hourlyPoints(hours, at('2026-11-20T21:30:00Z'), at('2026-11-21T00:00:00Z'));
  expect(points).toEqual([
    { at: '2026-11-20T21:00:00.000Z', successful: 0, refused: 0, limited: 0, failed: 0 },
    { at: '2026-11-20T22:00:00.000Z', successful: 7, refused: 1, limited: 2, failed: 3 },
    { at: '2026-11-20T23:00:00.000Z', successful: 0, refused: 0, limited: 0, failed: 0 },
  ]);
});

test.each([
  ['UTC', [5, 10]],
  ['Europe/Berlin', [0, 15]],
  ['America/New_York', [5, 10]],
])('days are those of %s', (timeZone, totals) => {
  const hours = [hour('2026-11-20T23:00:00.000Z', 5), hour('2026-11-21T05:00:00.000Z', 10)];
  const points = dailyPoints(hours, at('2026-11-20T20:00:00Z'), at('2026-11-21T06:00:00Z'), timeZone);
  expect(points.map(({ successful }) => successful)).toEqual(totals);
  expect(points.map((point) => point.at)).toEqual(['2026-11-20', '2026-11-21']);
});

test('a day on which clocks are turned back is one day of 25 hours', () => {
  const from = at('2026-10-24T22:00:00Z');
  const to = at('2026-10-25T23:00:00Z');
  const hours = [hour('2026-10-25T00:00:00.000Z', 1), hour('2026-10-25T01:00:00.000Z', 1)];
  expect(dailyPoints(hours, from, to, 'Europe/Berlin')).toMatchObject([{ at: '2026-10-25', successful: 2 }]);
});
