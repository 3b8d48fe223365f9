import { expect, test } from '@jest/globals';
import { timestampField } from './timestamp.ts';

test.each([
  ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
  ['2026-01-02t03:04:05z', '2026-01-02T03:04:05.000Z'],
  ['2026-01-02t03:04:05.678+02:00', '2026-01-02T01:04:05.678Z'],
  ['2026-01-02T03:04:05-00:00', '2026-01-02T03:04:05.000Z'],
])('%s is a date and time', (text, instant) => {
  expect(timestampField.parse(text).toISOString()).toBe(instant);
});

test.each([
  '2026-01-02',
  '2026-01-02T03:04:05',
  '2026-02-30T00:00:00Z',
  '2026-01-02T03:04:05+0200',
  'now',
  '',
])('%j is refused as a timestamp', (text) => {
  const { error } = timestampField.safeParse(text);
  expect(error?.issues.map(({ message }) => message)).toEqual([
    'must be a date and time such as 2027-01-31T12:00:00Z',
  ]);
});

test('a blank in place of + is refused with the hint to encode it', () => {
  const { error } = timestampField.safeParse('2026-01-02T03:04:05 02:00');
  expect(error?.issues[0]?.message).toMatch(/in a URL, \+ is written as %2B$/);
});
