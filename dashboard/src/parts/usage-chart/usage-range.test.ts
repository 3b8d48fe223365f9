import { expect, test } from '@jest/globals';
import { spanOf } from './usage.ts';

const hour = 3_600_000;

const local = (day: number, hours: number, minutes = 0) => new Date(2026, 10, day, hours, minutes).getTime();

test('24 hours end with the hour that is not over yet', () => {
  expect(spanOf('24h', local(21, 12, 30))).toEqual({ from: local(20, 13), to: local(21, 13) });
});

test('7 days are today and the six before it', () => {
  expect(spanOf('7d', local(21, 12, 30))).toEqual({ from: local(15, 0), to: local(21, 13) });
});

test.each([0, 1, 12, 23])('90 days are never more than the server tells at once, at %d o’clock', (hours) => {
  const { from, to } = spanOf('90d', local(21, hours, 59));
  expect(to - from).toBeLessThanOrEqual(90 * 24 * hour);
  expect(to - from).toBeGreaterThan(89 * 24 * hour);
});
