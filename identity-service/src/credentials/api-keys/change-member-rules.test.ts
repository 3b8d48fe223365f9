import { describe, expect, test } from '@jest/globals';
import { changedRules } from './change-member-rules.ts';
import type { ListedRules } from './member-rules.ts';

describe('a change of the rules', () => {
  const before: ListedRules = { secretKeys: true, scopes: ['events:read', 'orders:read'] };
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
