import { expect, test } from '@jest/globals';
import { parseMinute, parseTime, toClosedRange, toTimeRange } from './time-filter.ts';

const now = Date.UTC(2026, 10, 29, 12);
const minuteOf = (text: string) => new Date(text).toISOString();
const parse = (parameters: Record<string, string>) => parseTime(new URLSearchParams(parameters));

test.each([
  ['2026-11-21T14:02', '2026-11-21T14:02'],
  ['2026-11-21', '2026-11-21T00:00'],
  ['2026-11-21T24:00', undefined],
  ['2026-13-01T00:00', undefined],
  ['yesterday', undefined],
  ['', undefined],
  [null, undefined],
])('%p is parsed as the minute %p', (text, minute) => {
  expect(parseMinute(text, '00:00')).toBe(minute);
});

test('days in the URL are whole days', () => {
  const time = parse({ from: '2026-11-01', to: '2026-11-02' });
  expect(time).toEqual({ span: 'between', from: '2026-11-01T00:00', to: '2026-11-02T23:59' });
  expect(toTimeRange(time, now)).toEqual({
    from: minuteOf('2026-11-01T00:00'),
    to: minuteOf('2026-11-03T00:00'),
  });
});

test('a range has its last minute, and reversed minutes are swapped', () => {
  const range = toTimeRange(parse({ from: '2026-11-02T08:00', to: '2026-11-01T09:30' }), now);
  expect(range).toEqual({ from: minuteOf('2026-11-01T09:30'), to: minuteOf('2026-11-02T08:01') });
});

test('an open end has no parameter', () => {
  expect(toTimeRange(parse({}), now)).toEqual({});
  expect(toTimeRange(parse({ to: '2026-11-01T09:30' }), now)).toEqual({ to: minuteOf('2026-11-01T09:31') });
  expect(toTimeRange(parse({ span: '24h' }), now)).toEqual({ from: '2026-11-28T12:00:00.000Z' });
});

test.each([
  [{}, '2026-11-28T12:00:00.000Z'],
  [{ span: '7d' }, '2026-11-22T12:00:00.000Z'],
  [{ span: 'between' }, '2026-10-30T12:00:00.000Z'],
])('a closed range of %p ends now and begins at %p', (parameters: Record<string, string>, from) => {
  expect(toClosedRange(parse(parameters), now)).toEqual({ from, to: '2026-11-29T12:00:00.000Z' });
});
