import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { scopes as knownScopes } from '../platform/scope.ts';
import { checkScopes, grantedScopes } from './api-key.ts';

const refused = (reason: string) => expect.objectContaining({ kind: 'invalid_argument', reason });

test('a secret key takes no scopes and may do everything', () => {
  expect(checkScopes('secret', [])).toEqual([]);
  expect(() => checkScopes('secret', ['orders:read'])).toThrow(refused('scopes_not_allowed'));
  expect(grantedScopes({ keyType: 'secret', scopes: [] })).toEqual(knownScopes);
});

test('a restricted key needs at least one scope', () => {
  expect(() => checkScopes('restricted', [])).toThrow(refused('scopes_required'));
});

test('a restricted key takes any set of known scopes, keeps them sorted and may do nothing else', () => {
  const someScopes = fc.shuffledSubarray([...knownScopes], { minLength: 1 });
  fc.assert(
    fc.property(someScopes, (given) => {
      const scopes = checkScopes('restricted', given);
      expect(scopes).toEqual([...given].sort());
      expect(grantedScopes({ keyType: 'restricted', scopes })).toEqual(scopes);
    }),
  );
});

test.each(['orders', 'orders:*', '*', 'ORDERS:READ', 'orders:read ', '', 'constructor'])(
  '%p is an unknown scope',
  (scope) => {
    expect(() => checkScopes('restricted', ['orders:read', scope])).toThrow(refused('unknown_scope'));
  },
);

test('a scope given twice is refused', () => {
  expect(() => checkScopes('restricted', ['orders:read', 'orders:read'])).toThrow(refused('duplicate_scope'));
});
