import { expect, test } from '@jest/globals';
import { apiScopes } from '../../../testing/api-scopes.ts';
import { checkMayHold, checkMayOpen, defaultRules, holdsScope, listedRules } from './member-rules.ts';

const refused = (reason: string) => expect.objectContaining({ kind: 'permission_denied', reason });
const secretKey = { keyType: 'secret', scopes: [] } as const;
const restrictedTo = (...scopes: string[]) => ({ keyType: 'restricted', scopes }) as const;

test('owners and operators may hold any key', () => {
  expect(() => checkMayHold(undefined, secretKey)).not.toThrow();
  expect(() => checkMayHold(undefined, restrictedTo(...apiScopes.keys()))).not.toThrow();
});

test('by default members may hold restricted keys that read', () => {
  const { scopes } = listedRules(apiScopes, defaultRules);
  expect(scopes).toEqual(['business:read', 'events:read', 'orders:read']);
  expect(() => checkMayHold(defaultRules, restrictedTo(...scopes))).not.toThrow();
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

test('An owner holds every scope, a viewer none, and a developer what the rules permit.', () => {
  const chosen = { secretKeys: false, scopes: ['invoices:write'] };
  const any = { secretKeys: true, scopes: [] };
  const held = (role: 'owner' | 'developer' | 'viewer' | undefined, scope: string) =>
    [defaultRules, chosen, any].map((rules) => holdsScope(role, rules, scope));
  expect(held('owner', 'invoices:write')).toEqual([true, true, true]);
  expect(held('developer', 'invoices:write')).toEqual([false, true, true]);
  expect(held(undefined, 'invoices:read')).toEqual([true, false, true]);
  expect(held('viewer', 'invoices:read')).toEqual([false, false, false]);
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
