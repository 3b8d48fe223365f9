import { expect, test } from '@jest/globals';
import { scopes as knownScopes } from '../../platform/scope.ts';
import { checkMayHold, checkMayOpen, defaultRules } from './member-rules.ts';

const refused = (reason: string) => expect.objectContaining({ kind: 'permission_denied', reason });
const secretKey = { keyType: 'secret', scopes: [] } as const;
const restrictedTo = (...scopes: (typeof knownScopes)[number][]) =>
  ({ keyType: 'restricted', scopes }) as const;

test('owners and operators may hold any key', () => {
  expect(() => checkMayHold(undefined, secretKey)).not.toThrow();
  expect(() => checkMayHold(undefined, restrictedTo(...knownScopes))).not.toThrow();
});

test('by default members may hold restricted keys that read', () => {
  expect(defaultRules.scopes.every((scope) => scope.endsWith(':read'))).toBe(true);
  expect(() => checkMayHold(defaultRules, restrictedTo(...defaultRules.scopes))).not.toThrow();
  expect(() => checkMayHold(defaultRules, secretKey)).toThrow(refused('secret_keys_not_allowed'));
  expect(() => checkMayHold(defaultRules, restrictedTo('orders:read', 'orders:write'))).toThrow(
    refused('scopes_beyond_members'),
  );
});

test('members who may hold secret keys may hold keys of any scope', () => {
  const rules = { secretKeys: true, scopes: [] };
  expect(() => checkMayHold(rules, secretKey)).not.toThrow();
  expect(() => checkMayHold(rules, restrictedTo('orders:write'))).not.toThrow();
});

test('members may open keys to more addresses that they may hold, and no others', () => {
  const anyKey = { secretKeys: true, scopes: [] };
  expect(() => checkMayOpen(undefined, secretKey)).not.toThrow();
  expect(() => checkMayOpen(anyKey, secretKey)).not.toThrow();
  expect(() => checkMayOpen(defaultRules, restrictedTo('orders:read'))).not.toThrow();
  for (const key of [secretKey, restrictedTo('orders:read', 'orders:write')]) {
    expect(() => checkMayOpen(defaultRules, key)).toThrow(refused('addresses_beyond_members'));
  }
});
