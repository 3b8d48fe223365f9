import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { scopes as knownScopes } from '../platform/scope.ts';
import { checkName } from '../platform/text.ts';
import {
  type ApiKey,
  checkDescription,
  checkLimit,
  checkScopes,
  checkUpdate,
  grantedScopes,
  type KeyUpdate,
} from './api-key.ts';

const invalidArgument = (reason: string) => expect.objectContaining({ kind: 'invalid_argument', reason });

test.each(['a', 'Warehouse sync', 'ключ 🔑', 'x'.repeat(100), '🔑'.repeat(100)])('%p is a name', (name) => {
  expect(checkName(name)).toBe(name);
});

test('a name is trimmed', () => {
  expect(checkName('  Warehouse ')).toBe('Warehouse');
});

test.each(['', '   ', 'x'.repeat(101), 'two\nlines', 'nul\0'])('%p is not a name', (name) => {
  expect(() => checkName(name)).toThrow(expect.objectContaining({ reason: 'invalid_name' }));
});

test('a description can be empty, multi-line and 500 characters long', () => {
  expect(checkDescription('')).toBe('');
  expect(checkDescription('one\ntwo')).toBe('one\ntwo');
  expect(checkDescription('é'.repeat(500))).toHaveLength(500);
});

test.each(['x'.repeat(501), 'nul\0'])('%p is not a description', (description) => {
  expect(() => checkDescription(description)).toThrow(
    expect.objectContaining({ reason: 'invalid_description' }),
  );
});

test.each([1, 10_000, 10_000_000])('%p requests per hour is a limit', (limit) => {
  expect(checkLimit(limit)).toBe(limit);
});

test.each([0, -1, 10_000_001, 1.5, Number.NaN])('%p requests per hour is not a limit', (limit) => {
  expect(() => checkLimit(limit)).toThrow(expect.objectContaining({ reason: 'invalid_limit' }));
});

test('a secret key takes no scopes and has all of them', () => {
  expect(checkScopes('secret', [])).toEqual([]);
  expect(() => checkScopes('secret', ['orders:read'])).toThrow(invalidArgument('scopes_not_allowed'));
  expect(grantedScopes({ keyType: 'secret', scopes: [] })).toEqual(knownScopes);
});

test('a restricted key needs at least one scope', () => {
  expect(() => checkScopes('restricted', [])).toThrow(invalidArgument('scopes_required'));
});

test('a restricted key takes any set of known scopes, sorted, and has no others', () => {
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
    expect(() => checkScopes('restricted', ['orders:read', scope])).toThrow(invalidArgument('unknown_scope'));
  },
);

test('a scope given twice is refused', () => {
  expect(() => checkScopes('restricted', ['orders:read', 'orders:read'])).toThrow(
    invalidArgument('duplicate_scope'),
  );
});

const secretKey: ApiKey = {
  id: 'key_1',
  businessId: 1,
  name: 'Backend',
  description: 'nightly',
  keyType: 'secret',
  scopes: [],
  status: 'active',
  lastFour: 'abcd',
  limit: 10_000,
  createdAt: 0,
  expiresAt: undefined,
  rotatedAt: undefined,
  lastUsedAt: undefined,
  lastUsedIp: undefined,
};

const restrictedKey: ApiKey = { ...secretKey, keyType: 'restricted', scopes: ['orders:read'] };

const update = (fields: Partial<KeyUpdate>): KeyUpdate => ({
  keyTypeGiven: false,
  expirationGiven: false,
  ...fields,
});

describe.each([
  ['secret', secretKey],
  ['restricted', restrictedKey],
])('a %s key', (_, key) => {
  test('can be renamed and described, and keeps absent fields', () => {
    expect(checkUpdate(key, update({ name: 'New' }))).toMatchObject({
      name: 'New',
      description: 'nightly',
      scopes: key.scopes,
      touchesAccess: false,
    });
    expect(checkUpdate(key, update({ description: '' }))).toMatchObject({ name: 'Backend', description: '' });
  });

  test('keeps its type and its expiration, even with other changes', () => {
    const named = { name: 'New' };
    expect(() => checkUpdate(key, update({ ...named, keyTypeGiven: true }))).toThrow(
      invalidArgument('key_type_immutable'),
    );
    expect(() => checkUpdate(key, update({ ...named, expirationGiven: true }))).toThrow(
      invalidArgument('expiration_immutable'),
    );
  });

  test('is not updated without changes, or with an invalid name or description', () => {
    expect(() => checkUpdate(key, update({}))).toThrow(invalidArgument('empty_update'));
    expect(() => checkUpdate(key, update({ name: '' }))).toThrow(invalidArgument('invalid_name'));
    expect(() => checkUpdate(key, update({ description: 'x'.repeat(501) }))).toThrow(
      invalidArgument('invalid_description'),
    );
  });

  test('can be renamed after it expired', () => {
    expect(checkUpdate({ ...key, status: 'expired' }, update({ name: 'Old' })).name).toBe('Old');
  });
});

test('a secret key takes no scopes, not even an empty list', () => {
  expect(() => checkUpdate(secretKey, update({ scopes: ['orders:read'] }))).toThrow(
    invalidArgument('scopes_immutable'),
  );
  expect(() => checkUpdate(secretKey, update({ scopes: [] }))).toThrow(invalidArgument('scopes_immutable'));
});

test('a change with scopes touches access, even if they stay the same', () => {
  expect(checkUpdate(restrictedKey, update({ scopes: ['business:read'] }))).toMatchObject({
    scopes: ['business:read'],
    touchesAccess: true,
  });
  expect(checkUpdate(restrictedKey, update({ scopes: ['orders:read'] })).touchesAccess).toBe(true);
});

test('a restricted key is never left without scopes', () => {
  expect(() => checkUpdate(restrictedKey, update({ scopes: [] }))).toThrow(
    invalidArgument('scopes_required'),
  );
});

test('the scopes of an expired key no longer change', () => {
  expect(() =>
    checkUpdate({ ...restrictedKey, status: 'expired' }, update({ scopes: ['business:read'] })),
  ).toThrow(expect.objectContaining({ reason: 'api_key_expired' }));
});
