import { expect, test } from '@jest/globals';
import { parseDate, toTimeRange } from './date-range.ts';

test.each([
  ['2026-11-21', '2026-11-21'],
  ['2026-13-01', undefined],
  ['yesterday', undefined],
  ['2026-11-21T00:00', undefined],
  ['', undefined],
  [null, undefined],
])('%p is parsed as %p', (text, day) => {
  expect(parseDate(text)).toBe(day);
});

const midnight = (year: number, month: number, day: number) => new Date(year, month - 1, day).toISOString();

test('a range runs from local midnight to the midnight after its last day', () => {
  expect(toTimeRange({ from: '2026-10-24', to: '2026-10-25' })).toEqual({
    from: midnight(2026, 10, 24),
    to: midnight(2026, 10, 26),
  });
});

test('reversed days are swapped', () => {
  expect(toTimeRange({ from: '2026-12-31', to: '2026-12-01' })).toEqual({
    from: midnight(2026, 12, 1),
    to: midnight(2027, 1, 1),
  });
});

test('an open-ended range has no end parameter', () => {
  expect(toTimeRange({ from: undefined, to: undefined })).toEqual({});
  expect(toTimeRange({ from: undefined, to: '2026-02-28' })).toEqual({ to: midnight(2026, 3, 1) });
});
