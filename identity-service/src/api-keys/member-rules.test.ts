import { describe, expect, test } from '@jest/globals';
import { scopes as knownScopes } from '../platform/scope.ts';
import { changedRules, checkMayHold, defaultRules, type MemberKeyRules } from './member-rules.ts';

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

describe('a change of the rules', () => {
  const before: MemberKeyRules = { secretKeys: true, scopes: ['events:read', 'orders:read'] };
  const none = { addedScopes: [], removedScopes: [] } as const;

  test('adds and removes scopes, and leaves the others as they are', () => {
    const change = { addedScopes: ['business:read', 'orders:read'], removedScopes: ['events:read'] } as const;
    expect(changedRules(before, change)).toEqual({
      secretKeys: true,
      scopes: ['business:read', 'orders:read'],
    });
  });

  test('leaves secret keys as they are unless it names them', () => {
    expect(changedRules(before, none)).toEqual(before);
    expect(changedRules(before, { ...none, secretKeys: false })).toEqual({ ...before, secretKeys: false });
  });

  test('that adds and removes the same scope removes it', () => {
    const both = { addedScopes: ['orders:read'], removedScopes: ['orders:read'] } as const;
    expect(changedRules(before, both).scopes).toEqual(['events:read']);
  });
});
