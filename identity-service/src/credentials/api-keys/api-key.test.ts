import { describe, expect, test } from '@jest/globals';
import { apiScopes } from '../../../testing/api-scopes.ts';
import { type ApiKey, checkLimit, checkUpdate, type KeyUpdate } from './api-key.ts';
import type { SettingsUpdate } from './settings.ts';

const invalidArgument = (reason: string) => expect.objectContaining({ kind: 'invalid_argument', reason });

test.each([1, 10_000, 10_000_000])('%p requests per hour is a limit', (limit) => {
  expect(() => checkLimit(limit)).not.toThrow();
});

test.each([0, -1, 10_000_001, 1.5, Number.NaN])('%p requests per hour is not a limit', (limit) => {
  expect(() => checkLimit(limit)).toThrow(expect.objectContaining({ reason: 'invalid_limit' }));
});

type Key = Pick<ApiKey, 'keyType' | 'status' | 'scopes'>;

const secretKey: Key = { keyType: 'secret', status: 'active', scopes: [] };

const restrictedKey: Key = {
  keyType: 'restricted',
  status: 'active',
  scopes: ['invoices:read', 'orders:read'],
};

const update = (settings: SettingsUpdate, given: Partial<KeyUpdate> = {}): KeyUpdate => ({
  settings,
  keyTypeGiven: false,
  expirationGiven: false,
  ...given,
});

describe.each([
  ['secret', secretKey],
  ['restricted', restrictedKey],
])('a %s key', (_, key) => {
  test('can be renamed and described, and changes no other settings', () => {
    const allowed = (change: SettingsUpdate) => ({ change, touchesAccess: false });
    expect(checkUpdate(apiScopes, key, update({ name: ' New ' }))).toEqual(allowed({ name: 'New' }));
    expect(checkUpdate(apiScopes, key, update({ description: '' }))).toEqual(allowed({ description: '' }));
  });

  test('keeps its type and its expiration, even with other changes', () => {
    const named = { name: 'New' };
    expect(() => checkUpdate(apiScopes, key, update(named, { keyTypeGiven: true }))).toThrow(
      invalidArgument('key_type_immutable'),
    );
    expect(() => checkUpdate(apiScopes, key, update(named, { expirationGiven: true }))).toThrow(
      invalidArgument('expiration_immutable'),
    );
  });

  test('is not updated without changes, or with an invalid name or description', () => {
    expect(() => checkUpdate(apiScopes, key, update({}))).toThrow(invalidArgument('empty_update'));
    expect(() => checkUpdate(apiScopes, key, update({ name: '' }))).toThrow(invalidArgument('invalid_name'));
    expect(() => checkUpdate(apiScopes, key, update({ description: 'x'.repeat(501) }))).toThrow(
      invalidArgument('invalid_description'),
    );
  });

  test('can be renamed after it expired', () => {
    expect(checkUpdate(apiScopes, { ...key, status: 'expired' }, update({ name: 'Old' })).change).toEqual({
      name: 'Old',
    });
  });
});

test('a secret key takes no scopes, not even an empty list', () => {
  expect(() => checkUpdate(apiScopes, secretKey, update({ scopes: ['orders:read'] }))).toThrow(
    invalidArgument('scopes_immutable'),
  );
  expect(() => checkUpdate(apiScopes, secretKey, update({ scopes: [] }))).toThrow(
    invalidArgument('scopes_immutable'),
  );
});

test('a change that names scopes counts as a change of access, even if the scopes stay the same', () => {
  expect(checkUpdate(apiScopes, restrictedKey, update({ scopes: ['business:read'] }))).toEqual({
    change: { scopes: ['business:read'] },
    touchesAccess: true,
  });
  expect(checkUpdate(apiScopes, restrictedKey, update({ scopes: ['orders:read'] })).touchesAccess).toBe(true);
});

test('addresses are kept in their normal form, count as a change of access, and may be none', () => {
  const given = ['203.0.113.77/24', '::ffff:192.0.2.1'];
  expect(checkUpdate(apiScopes, secretKey, update({ ipWhitelist: given }))).toEqual({
    change: { ipWhitelist: ['203.0.113.0/24', '192.0.2.1'] },
    touchesAccess: true,
  });
  expect(checkUpdate(apiScopes, secretKey, update({ ipWhitelist: [] })).change).toEqual({ ipWhitelist: [] });
});

test('A restricted key may keep a scope that the API has no longer, and gets no other such scope.', () => {
  const kept = checkUpdate(apiScopes, restrictedKey, update({ scopes: ['invoices:read', 'events:read'] }));
  expect(kept.change).toEqual({ scopes: ['events:read', 'invoices:read'] });
  for (const key of [restrictedKey, { ...restrictedKey, scopes: ['orders:read'] }]) {
    const added = update({ scopes: ['invoices:read', 'invoices:write'] });
    expect(() => checkUpdate(apiScopes, key, added)).toThrow(invalidArgument('unknown_scope'));
  }
});

test('a restricted key is never left without scopes', () => {
  expect(() => checkUpdate(apiScopes, restrictedKey, update({ scopes: [] }))).toThrow(
    invalidArgument('scopes_required'),
  );
});

test.each([{ scopes: ['business:read'] }, { ipWhitelist: [] }])(
  'an expired key is no longer changed to %j',
  (change) => {
    expect(() => checkUpdate(apiScopes, { ...restrictedKey, status: 'expired' }, update(change))).toThrow(
      expect.objectContaining({ reason: 'api_key_expired' }),
    );
  },
);
