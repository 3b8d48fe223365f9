import { expect, test } from '@jest/globals';
import { dailyPoints, describeUsage, hourlyPoints, timeRangeOf } from './usage.ts';

const day = (
  at: string,
  counts: Partial<Record<'successful' | 'refused' | 'limited' | 'failed', number>>,
) => ({
  at,
  successful: 0,
  refused: 0,
  limited: 0,
  failed: 0,
  ...counts,
});

test('usage is described by status class, with its busiest day', () => {
  const points = [
    day('2026-11-20T00:00:00Z', { successful: 1_200, refused: 3 }),
    day('2026-11-21T00:00:00Z', { successful: 40, limited: 2, failed: 1 }),
  ];
  expect(describeUsage(points, 'day')).toBe(
    '1,246 requests from 20 Nov to 21 Nov: 1,240 with 2xx, 3 with 4xx, 2 with 429, 1 with 5xx. The busiest day was 20 Nov with 1,203.',
  );
});

test.each([[[]], [[day('2026-11-20T00:00:00Z', {})]]])(
  'the description says when there are no requests',
  (points) => {
    expect(describeUsage(points, 'day')).toBe('No requests in this period.');
  },
);

const hour = (start: string, count2xx: number) => ({
  start,
  count2xx,
  count4xx: 1,
  count429: 2,
  count5xx: 3,
});

const at = Date.parse;

test('the hours are all that begin in the range, without a gap', () => {
  const hours = [hour('2026-11-20T22:00:00.000Z', 7)];
  const points = hourlyPoints(hours, at('2026-11-20T20:30:00Z'), at('2026-11-21T00:00:00Z'));
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
])('days are split at midnight in %s', (timeZone, totals) => {
  const hours = [hour('2026-11-20T23:00:00.000Z', 5), hour('2026-11-21T05:00:00.000Z', 10)];
  const points = dailyPoints(hours, at('2026-11-20T20:00:00Z'), at('2026-11-21T06:00:00Z'), timeZone);
  expect(points.map(({ successful }) => successful)).toEqual(totals);
  expect(points.map((point) => point.at)).toEqual(['2026-11-20', '2026-11-21']);
});

test.each([
  ['Asia/Kolkata', '+05:30'],
  ['Asia/Kathmandu', '+05:45'],
  ['Australia/Adelaide', '+10:30'],
  ['Europe/Berlin', '+01:00'],
  ['UTC', 'Z'],
])('7 days have 7 points in %s, and the description begins with the first', (timeZone, offset) => {
  const [from, to] = [at(`2026-11-15T00:00:00${offset}`), at('2026-11-21T10:00:00Z')];
  const hours = [hour('2026-11-18T12:00:00.000Z', 5)];
  const points = dailyPoints(hours, from, to, timeZone);
  expect(points.map((point) => point.at)).toEqual(
    [15, 16, 17, 18, 19, 20, 21].map((date) => `2026-11-${date}`),
  );
  expect(describeUsage(points, 'day')).toContain('from 15 Nov to 21 Nov');
});

test('the day on which daylight saving ends has 25 hours', () => {
  const from = at('2026-10-24T22:00:00Z');
  const to = at('2026-10-25T23:00:00Z');
  const hours = [hour('2026-10-25T00:00:00.000Z', 1), hour('2026-10-25T01:00:00.000Z', 1)];
  expect(dailyPoints(hours, from, to, 'Europe/Berlin')).toMatchObject([{ at: '2026-10-25', successful: 2 }]);
});

const hourMs = 3_600_000;

const local = (day: number, hours: number, minutes = 0) => new Date(2026, 10, day, hours, minutes).getTime();

/** End of the hour of UTC, which is at half past in some time zones. */
const hourEnd = (time: number) => (Math.floor(time / hourMs) + 1) * hourMs;

test('24 hours begin with the hour 24 hours ago, and include the current one', () => {
  const to = hourEnd(local(21, 12, 45));
  expect(timeRangeOf('24h', local(21, 12, 45))).toEqual({ from: to - 25 * hourMs, to });
});

test('7 days are today and the six before it', () => {
  const to = hourEnd(local(21, 12, 45));
  expect(timeRangeOf('7d', local(21, 12, 45))).toEqual({ from: local(15, 0), to });
});

test.each([0, 1, 12, 23])('90 days never exceed the longest range of a request, at %d:59', (hours) => {
  const { from, to } = timeRangeOf('90d', local(21, hours, 59));
  expect(to - from).toBeLessThanOrEqual(90 * 24 * hourMs);
  expect(to - from).toBeGreaterThan(89 * 24 * hourMs);
});
