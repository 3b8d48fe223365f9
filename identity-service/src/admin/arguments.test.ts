import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseExpiry } from './arguments.ts';

const now = Date.parse('2027-01-01T00:00:00Z');

test.each([
  ['30m', '2027-01-01T00:30:00Z'],
  ['12h', '2027-01-01T12:00:00Z'],
  ['90d', '2027-04-01T00:00:00Z'],
  ['4w', '2027-01-29T00:00:00Z'],
  ['2027-01-31T00:00:00Z', '2027-01-31T00:00:00Z'],
  ['2027-01-31T01:00:00.5+01:00', '2027-01-31T00:00:00.5Z'],
])('%s from 2027-01-01 is %s', (text, time) => {
  expect(parseExpiry(text, now)).toBe(Date.parse(time));
});

test.each([
  '',
  '90',
  'd',
  '90 days',
  '-1d',
  '1.5d',
  '2027-01-31',
  '2027-01-31T00:00:00',
  '2027-13-31T00:00:00Z',
  'soon',
])('%p is not an expiration', (text) => {
  expect(() => parseExpiry(text, now)).toThrow('--expires must be');
});

test('every printed time can be parsed', () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date(0), max: new Date(253_402_300_799_999), noInvalidDate: true }),
      (date) => {
        expect(parseExpiry(date.toISOString(), now)).toBe(date.getTime());
      },
    ),
  );
});
