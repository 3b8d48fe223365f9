import { expect, test } from '@jest/globals';
import { checkOwner, checkOwnerRemains, memberOf } from './team.ts';

const ada = { personId: 'ada', email: 'ada@people.test', role: 'owner' } as const;

const bob = { personId: 'bob', email: 'bob@people.test', role: 'owner' } as const;

const cyd = { personId: 'cyd', email: 'cyd@people.test', role: 'developer' } as const;

test('checkOwner accepts only owners of the team', () => {
  expect(() => checkOwner([ada, cyd], 'ada')).not.toThrow();
  expect(() => checkOwner([ada, cyd], 'cyd')).toThrow(expect.objectContaining({ reason: 'not_owner' }));
  expect(() => checkOwner([ada, cyd], 'bob')).toThrow(expect.objectContaining({ reason: 'not_owner' }));
});

test('a person outside the team is not found', () => {
  expect(memberOf([ada, cyd], 'cyd')).toBe(cyd);
  expect(() => memberOf([ada, cyd], 'bob')).toThrow(expect.objectContaining({ reason: 'member_not_found' }));
});

test('the last owner can neither leave nor get another role', () => {
  for (const next of ['viewer', 'developer', undefined] as const) {
    expect(() => checkOwnerRemains([ada, cyd], ada, next)).toThrow(
      expect.objectContaining({ kind: 'failed_precondition', reason: 'last_owner' }),
    );
    expect(() => checkOwnerRemains([ada, bob], ada, next)).not.toThrow();
    expect(() => checkOwnerRemains([ada, cyd], cyd, next)).not.toThrow();
  }
  expect(() => checkOwnerRemains([ada], ada, 'owner')).not.toThrow();
});
