import { expect, test } from '@jest/globals';
import { parsePassport } from './passport.ts';

const claims = {
  sub: 'key_1',
  business_id: 7,
  credential_type: 'restricted_key',
  scope: 'business:read orders:read',
  iat: 1_000,
  exp: 1_600,
};

test('the claims of a passport say who calls and what the credential may do', () => {
  expect(parsePassport(claims)).toEqual({
    credentialId: 'key_1',
    credentialType: 'restricted_key',
    businessId: 7,
    scopes: new Set(['business:read', 'orders:read']),
    expiresAt: 1_600,
  });
});

test('an empty scope is no scope', () => {
  expect(parsePassport({ ...claims, scope: '' })?.scopes.size).toBe(0);
});

test('a passport may end between two seconds', () => {
  expect(parsePassport({ ...claims, exp: 1_090.5 })?.expiresAt).toBe(1_090.5);
});

test.each([
  ['without a subject', { ...claims, sub: '' }],
  ['without a business', { ...claims, business_id: undefined }],
  ['for a business that is no number', { ...claims, business_id: '7' }],
  ['for a business that the database cannot hold', { ...claims, business_id: 2 ** 31 }],
  ['of an unknown kind of credential', { ...claims, credential_type: 'session' }],
  ['without a scope', { ...claims, scope: undefined }],
  ['that lives longer than ten minutes', { ...claims, exp: 1_601 }],
  ['that ends before it begins', { ...claims, exp: 999 }],
])('claims %s are none', (_, payload) => {
  expect(parsePassport(payload)).toBeUndefined();
});
