import { describe, expect, test } from '@jest/globals';
import { type ApiKey, checkUpdate, type KeyUpdate } from './api-key.ts';

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

const refused = (reason: string) => expect.objectContaining({ reason });

describe.each([
  ['secret', secretKey],
  ['restricted', restrictedKey],
])('a %s key', (_, key) => {
  test('may be renamed and described, and keeps what is not named', () => {
    expect(checkUpdate(key, update({ name: 'New' }))).toMatchObject({
      name: 'New',
      description: 'nightly',
      scopes: key.scopes,
      touchesAccess: false,
    });
    expect(checkUpdate(key, update({ description: '' }))).toMatchObject({ name: 'Backend', description: '' });
  });

  test('keeps its type and its expiration, whatever else is named', () => {
    const named = { name: 'New' };
    expect(() => checkUpdate(key, update({ ...named, keyTypeGiven: true }))).toThrow(
      refused('key_type_immutable'),
    );
    expect(() => checkUpdate(key, update({ ...named, expirationGiven: true }))).toThrow(
      refused('expiration_immutable'),
    );
  });

  test('is not updated with nothing, nor with an unusable name or description', () => {
    expect(() => checkUpdate(key, update({}))).toThrow(refused('empty_update'));
    expect(() => checkUpdate(key, update({ name: '' }))).toThrow(refused('invalid_name'));
    expect(() => checkUpdate(key, update({ description: 'x'.repeat(501) }))).toThrow(
      refused('invalid_description'),
    );
  });

  test('may be renamed after it expired', () => {
    expect(checkUpdate({ ...key, status: 'expired' }, update({ name: 'Old' })).name).toBe('Old');
  });
});

test('a secret key takes no scopes, not even an empty list', () => {
  expect(() => checkUpdate(secretKey, update({ scopes: ['orders:read'] }))).toThrow(
    refused('scopes_immutable'),
  );
  expect(() => checkUpdate(secretKey, update({ scopes: [] }))).toThrow(refused('scopes_immutable'));
});

test('naming the scopes of a restricted key touches access, even if they stay the same', () => {
  expect(checkUpdate(restrictedKey, update({ scopes: ['business:read'] }))).toMatchObject({
    scopes: ['business:read'],
    touchesAccess: true,
  });
  expect(checkUpdate(restrictedKey, update({ scopes: ['orders:read'] })).touchesAccess).toBe(true);
});

test('a restricted key is never left without scopes', () => {
  expect(() => checkUpdate(restrictedKey, update({ scopes: [] }))).toThrow(refused('scopes_required'));
});

test('the scopes of an expired key no longer change', () => {
  expect(() =>
    checkUpdate({ ...restrictedKey, status: 'expired' }, update({ scopes: ['business:read'] })),
  ).toThrow(refused('api_key_expired'));
});
