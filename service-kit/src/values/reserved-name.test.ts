import { expect, test } from '@jest/globals';
import { isReservedName } from './reserved-name.ts';

test.each([
  'Admin',
  'ADMIN',
  'Аdmin',
  'adm1n',
  'Supp0rt',
  'ＳＵＰＰＯＲＴ',
  'S u p p o r t',
  'Support Team',
  'the-security-team',
  'Official Support',
  'billing',
  'BiIIing',
  'Business API',
  'Busіness API',
  'business-api-help',
  'BusinessAPI Support Ltd',
])('a name is reserved: %s', (name) => {
  expect(isReservedName(name)).toBe(true);
});

test.each([
  'Ada Lovelace',
  'Anna Billing',
  'Acme Support',
  'Security Systems Ltd',
  'Team Acme',
  'the-team',
  'Business Apiaries',
  'Small Business API',
  'Administration Software',
  '株式会社',
  '7',
])('a name is not reserved: %s', (name) => {
  expect(isReservedName(name)).toBe(false);
});
