import { expect, test } from '@jest/globals';
import { formatDuration, formatRelativeTime, formatSize, readCount } from './format.ts';

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
  [9_999, 'now'],
  [10_000, 'in less than a minute'],
  [59_999, 'in less than a minute'],
  [minute, 'in 1 minute'],
  [5 * minute, 'in 5 minutes'],
  [5 * minute - 1, 'in 5 minutes'],
  [24 * 60 * minute - 1, 'in 24 hours'],
  [7 * 24 * 60 * minute - minute, 'in 7 days'],
  [8 * 24 * 60 * minute, 'next week'],
  [11 * 24 * 60 * minute, 'next week'],
  [14 * 24 * 60 * minute - minute, 'in 2 weeks'],
  [90 * 24 * 60 * minute - minute, 'in 3 months'],
  [800 * 24 * 60 * minute, 'in 2 years'],
])('%d ms from now is %s', (distance, words) => {
  expect(formatRelativeTime(now + distance, now)).toBe(words);
});

test.each([
  ['0', 0],
  ['10000', 10_000],
  [' 10,000 ', 10_000],
  ['10.000', 10_000],
  ["10'000", 10_000],
  ['10 000', 10_000],
  ['10\u202F000', 10_000],
  ['1,234,567', 1_234_567],
  ['', Number.NaN],
  ['1.5', Number.NaN],
  ['0,5', Number.NaN],
  ['0,500', Number.NaN],
  ['1e3', Number.NaN],
  ['-5', Number.NaN],
  ['0x10', Number.NaN],
  ['10,00', Number.NaN],
  ['1000,000', Number.NaN],
  ['1,000.000', Number.NaN],
  ['10 requests', Number.NaN],
])('"%s" is the count %d', (text, count) => {
  expect(readCount(text)).toBe(count);
});

test.each([
  [0.868, '0.87 ms'],
  [42.123, '42.1 ms'],
  [999, '999 ms'],
  [1_240, '1.24 s'],
])('%p milliseconds are shown as %p', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [999, '999 bytes'],
  [12_345, '12.3 kB'],
])('%p bytes are shown as %p', (bytes, text) => {
  expect(formatSize(bytes)).toBe(text);
});
