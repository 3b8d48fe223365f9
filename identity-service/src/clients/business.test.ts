import { expect, test } from '@jest/globals';
import { whyUnverified } from './business.ts';

const business = { id: 7, accountHolder: 'Acme', username: 'acme', rejectionReason: 'no such number' };

test('a verified business may register and authorize applications', () => {
  expect(whyUnverified({ ...business, verification: 'verified' })).toBeUndefined();
});

test.each([
  ['unverified', /not verified/],
  ['pending', /not decided/],
  ['rejected', /rejected: no such number/],
] as const)(
  'a business that is %s may not register applications, and the reason says so',
  (verification, reason) => {
    expect(whyUnverified({ ...business, verification })).toMatch(reason);
  },
);
