import { expect, test } from '@jest/globals';
import { dateOf, expiryOf, lifetimeOf } from './draft.ts';

const now = new Date(2026, 10, 21, 12, 30).getTime();

const day = 86_400_000;

const iso = (ms: number) => new Date(ms).toISOString();

test('a number of days counts from now', () => {
  expect(expiryOf('7', '', now)).toBe(now + 7 * day);
  expect(expiryOf('365', '', now)).toBe(now + 365 * day);
});

test('a date lasts until it is over, where the reader is', () => {
  expect(expiryOf('date', '2026-11-21', now)).toBe(new Date(2026, 10, 22).getTime());
  expect(expiryOf('date', '2026-12-31', now)).toBe(new Date(2027, 0, 1).getTime());
});

test.each(['', '2026-11-20', 'tomorrow', '2026-1-1'])('the date %j is none to end at', (date) => {
  expect(expiryOf('date', date, now)).toBeUndefined();
});

test('never is never', () => {
  expect(expiryOf('never', '2026-12-31', now)).toBeNull();
});

test.each([
  [7, '7'],
  [30, '30'],
  [89.99, '90'],
  [365, '365'],
])('a key that was given %d days is made again with %s', (days, lifetime) => {
  const createdAt = iso(now - 300 * day);
  const expiresAt = iso(now + (days - 300) * day);
  expect(lifetimeOf({ createdAt, expiresAt }, now)).toEqual({ lifetime, date: '' });
});

test('another lifetime becomes the date on which it would end from now', () => {
  const key = { createdAt: iso(now - 10 * day), expiresAt: iso(now + 35 * day) };
  expect(lifetimeOf(key, now)).toEqual({ lifetime: 'date', date: dateOf(now + 45 * day) });
});

test('a key that never expires is made again without an end', () => {
  expect(lifetimeOf({ createdAt: iso(now), expiresAt: null }, now)).toEqual({ lifetime: 'never', date: '' });
});
