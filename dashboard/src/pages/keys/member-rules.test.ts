import { expect, test } from '@jest/globals';
import { keptToOwners, type MemberKeyRules, rulesChange } from './member-rules.ts';

const initial: MemberKeyRules = { secretKeys: false, scopes: ['business:read', 'orders:read'] };

test('only scopes that were added or removed are sent', () => {
  expect(rulesChange(initial, { ...initial, scopes: ['orders:read', 'orders:write'] })).toEqual({
    addedScopes: ['orders:write'],
    removedScopes: ['business:read'],
  });
  const turned: MemberKeyRules = { ...initial, scopes: initial.scopes.toReversed() };
  expect(rulesChange(initial, turned)).toEqual({ addedScopes: [], removedScopes: [] });
});

test('the setting for secret keys is sent only when it was changed', () => {
  expect(rulesChange(initial, { ...initial, secretKeys: true })).toEqual({
    secretKeys: true,
    addedScopes: [],
    removedScopes: [],
  });
});

test.each<
  [MemberKeyRules | undefined, 'secret' | 'restricted', MemberKeyRules['scopes'], string | undefined]
>([
  [undefined, 'secret', [], undefined],
  [{ ...initial, secretKeys: true }, 'secret', [], undefined],
  [{ ...initial, secretKeys: true }, 'restricted', ['orders:write'], undefined],
  [initial, 'secret', [], 'secret keys'],
  [initial, 'restricted', ['orders:read'], undefined],
  [initial, 'restricted', ['orders:read', 'orders:write'], 'keys with orders:write'],
  [initial, 'restricted', ['events:read', 'orders:write'], 'keys with events:read or orders:write'],
])('under %j a %s key with %j is kept to owners as: %s', (rules, keyType, scopes, kept) => {
  expect(keptToOwners(rules, { keyType, scopes })).toBe(kept);
});
