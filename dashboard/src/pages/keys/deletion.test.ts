import { expect, test } from '@jest/globals';
import { deletedText, namedKeys, usedLately } from './deletion.ts';

const now = Date.UTC(2026, 10, 21, 12);

const usedHoursAgo = (hours: number) => ({ lastUsedAt: new Date(now - hours * 3_600_000).toISOString() });

test.each([
  ['just now', usedHoursAgo(0), true],
  ['23.9 hours ago', usedHoursAgo(23.9), true],
  ['24 hours ago', usedHoursAgo(24), false],
  ['never', { lastUsedAt: null }, false],
])('the time of the last use decides whether a key is in use: %s', (_, key, expected) => {
  expect(usedLately(key, now)).toBe(expected);
});

test('ten keys are named, those in use first, and the others are counted', () => {
  const keys = Array.from({ length: 12 }, (_, n) => ({
    n,
    ...(n === 11 ? usedHoursAgo(2) : usedHoursAgo(48)),
  }));
  const { named, more } = namedKeys(keys, now);
  expect([named.map(({ n }) => n), more]).toEqual([[11, 0, 1, 2, 3, 4, 5, 6, 7, 8], 2]);
  expect(namedKeys(keys.slice(0, 10), now)).toMatchObject({ named: { length: 10 }, more: 0 });
});

test('a deletion says how many of the keys no longer existed', () => {
  expect(deletedText(3, 3)).toBe('3 keys deleted.');
  expect(deletedText(1, 2)).toBe('1 key deleted. 1 was gone already.');
  expect(deletedText(0, 2)).toBe('0 keys deleted. 2 were gone already.');
});
