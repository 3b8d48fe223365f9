import { expect, test } from '@jest/globals';
import { type MemberKeyRules, rulesChange } from './member-rules.ts';

const initial: MemberKeyRules = { secretKeys: false, scopes: ['business:read', 'orders:read'] };

test('scopes are sent that came and went, and no others', () => {
  expect(rulesChange(initial, { ...initial, scopes: ['orders:read', 'orders:write'] })).toEqual({
    addedScopes: ['orders:write'],
    removedScopes: ['business:read'],
  });
  const turned: MemberKeyRules = { ...initial, scopes: initial.scopes.toReversed() };
  expect(rulesChange(initial, turned)).toEqual({ addedScopes: [], removedScopes: [] });
});

test('whether developers make secret keys is sent only when it was changed', () => {
  expect(rulesChange(initial, { ...initial, secretKeys: true })).toEqual({
    secretKeys: true,
    addedScopes: [],
    removedScopes: [],
  });
});
