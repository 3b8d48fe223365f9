import { expect, test } from '@jest/globals';
import { momentsOf, readDay, relativeTime } from './time.ts';

test.each([
  ['2026-11-21', '2026-11-21'],
  ['2026-13-01', undefined],
  ['yesterday', undefined],
  ['2026-11-21T00:00', undefined],
  ['', undefined],
  [null, undefined],
])('%p is the day %p', (text, day) => {
  expect(readDay(text)).toBe(day);
});

const midnight = (year: number, month: number, day: number) => new Date(year, month - 1, day).toISOString();

test('a range is from the first midnight to the one after its last day, where the reader is', () => {
  expect(momentsOf({ from: '2026-10-24', to: '2026-10-25' })).toEqual({
    from: midnight(2026, 10, 24),
    to: midnight(2026, 10, 26),
  });
});

test('days in the wrong order are put in order', () => {
  expect(momentsOf({ from: '2026-12-31', to: '2026-12-01' })).toEqual({
    from: midnight(2026, 12, 1),
    to: midnight(2027, 1, 1),
  });
});

test('what is left open is not asked for', () => {
  expect(momentsOf({ from: undefined, to: undefined })).toEqual({});
  expect(momentsOf({ from: undefined, to: '2026-02-28' })).toEqual({ to: midnight(2026, 3, 1) });
});

const now = Date.UTC(2026, 10, 21, 12);

const minute = 60_000;

test.each([
  [0, 'just now'],
  [-59_999, 'just now'],
  [-minute, '1 minute ago'],
  [-90 * minute, '1 hour ago'],
  [-24 * 60 * minute, 'yesterday'],
  [-3 * 24 * 60 * minute, '3 days ago'],
  [-40 * 24 * 60 * minute, 'last month'],
  [5 * minute, 'in 5 minutes'],
  [8 * 24 * 60 * minute, 'next week'],
  [800 * 24 * 60 * minute, 'in 2 years'],
])('a moment %d ms away is called %s', (distance, words) => {
  expect(relativeTime(now + distance, now)).toBe(words);
});
