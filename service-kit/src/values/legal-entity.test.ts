import { expect, test } from '@jest/globals';
import { isCountry, isRegistrationNumber } from './legal-entity.ts';

test.each(['DE', 'GB', 'US', 'XK', 'UK', 'EU', 'AA', 'de', 'DEU', '', 'SU'])(
  'whether %j is a country is decided correctly',
  (code) => {
    expect(isCountry(code)).toBe(['DE', 'GB', 'US', 'XK'].includes(code));
  },
);

test.each([
  'HRB 12345',
  'SC123456',
  '552 032 534 R.C.S. Paris',
  '12-3456789',
  'CHE-116.281.710',
  '91110000802100433B',
  '１２３',
  '1',
])('%s is accepted as a registration number', (text) => expect(isRegistrationNumber(text)).toBe(true));

test.each([
  '',
  'none',
  'HRB',
  '-',
  'http://1.example',
  'a@b.c1',
  '<1>',
  '1\n2',
  '1\u200b2',
  '#1',
  `1${'2'.repeat(50)}`,
])('%j is refused as a registration number', (text) => expect(isRegistrationNumber(text)).toBe(false));
