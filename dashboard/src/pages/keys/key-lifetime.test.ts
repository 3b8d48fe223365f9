import { expect, test } from '@jest/globals';
import { dateError, describeRule, type KeyLifetime, lastDay, permits, permitted } from './key-lifetime.ts';

const now = new Date(2026, 10, 21, 15).getTime();

const off: KeyLifetime = { rule: 'off', maxDays: null };

const anyEnd: KeyLifetime = { rule: 'any_end', maxDays: null };

const atMost = (maxDays: number): KeyLifetime => ({ rule: 'at_most', maxDays });

const preset = (lifetime: '7' | '30' | '90' | '365' | 'never') => ({ lifetime, date: '' });

test('keys without an end, and presets beyond the limit, are not offered', () => {
  expect([off, anyEnd, atMost(90)].map((rule) => permits(rule, 'never'))).toEqual([true, false, false]);
  expect([off, anyEnd, atMost(365), atMost(90)].map((rule) => permits(rule, '365'))).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expect(permits(atMost(1), 'date')).toBe(true);
});

test('the last day ends before the limit', () => {
  expect([lastDay(off, now), lastDay(anyEnd, now)]).toEqual([undefined, undefined]);
  expect([lastDay(atMost(1), now), lastDay(atMost(10), now)]).toEqual(['2026-11-21', '2026-11-30']);
});

test('a permitted lifetime is kept, and any other becomes the longest that is permitted', () => {
  expect(permitted(atMost(90), preset('90'), now)).toEqual(preset('90'));
  expect(permitted(anyEnd, preset('never'), now)).toEqual(preset('90'));
  expect(permitted(atMost(60), preset('90'), now)).toEqual(preset('30'));
  expect(permitted(atMost(3), preset('90'), now)).toEqual({ lifetime: 'date', date: '2026-11-23' });
  const late = { lifetime: 'date', date: '2027-11-21' } as const;
  expect(permitted(atMost(30), late, now)).toEqual(preset('30'));
  expect(permitted(anyEnd, late, now)).toEqual(late);
});

test('a date is at least today and at most the last day', () => {
  const chosen = (date: string) => dateError(atMost(10), { lifetime: 'date', date }, now);
  expect([chosen('2026-11-21'), chosen('2026-11-30')]).toEqual([null, null]);
  expect(chosen('2026-11-20')).toBe('Select today or a later day.');
  expect(chosen('2026-12-01')).toBe(
    'Select 2026-11-30 or an earlier day: Your business allows new keys to last at most 10 days.',
  );
  expect(dateError(atMost(10), preset('7'), now)).toBeNull();
});

test('a rule is described, and none is not', () => {
  expect(describeRule(off)).toBeUndefined();
  expect(describeRule(atMost(1))).toBe('Your business allows new keys to last at most 1 day.');
});
