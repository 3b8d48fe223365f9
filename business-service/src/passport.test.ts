import { generateKeyPairSync } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { SignJWT } from 'jose';
import { createPassportVerifier, parsePassport, type VerifyPassport } from './passport.ts';

const claims = {
  sub: 'key_1',
  business_id: 7,
  credential_type: 'restricted_key',
  scope: 'business:read orders:read',
  iat: 1_000,
  exp: 1_600,
};

test('claims are parsed to the principal and its scopes', () => {
  expect(parsePassport(claims)).toEqual({
    credentialId: 'key_1',
    credentialType: 'restricted_key',
    businessId: 7,
    scopes: new Set(['business:read', 'orders:read']),
    expiresAt: 1_600,
  });
});

test('an empty scope claim grants no scope', () => {
  expect(parsePassport({ ...claims, scope: '' })?.scopes.size).toBe(0);
});

test('a passport may expire at a fraction of a second', () => {
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
])('claims %s are rejected', (_, payload) => {
  expect(parsePassport(payload)).toBeUndefined();
});

const now = new Date('2026-03-02T10:00:00Z');

const seconds = now.getTime() / 1000;

const later = (s: number) => new Date(now.getTime() + s * 1000);

const current = generateKeyPairSync('ed25519');

const retired = generateKeyPairSync('ed25519');

const stranger = generateKeyPairSync('ed25519');

function sign(change: Record<string, unknown> = {}, key = current.privateKey): Promise<string> {
  const payload = { business_id: 7, credential_type: 'secret_key', scope: 'business:read', ...change };
  return new SignJWT({
    iss: 'identity-service',
    aud: 'business-service',
    sub: 'key_1',
    iat: seconds,
    exp: seconds + 60,
    ...payload,
  })
    .setProtectedHeader({ alg: 'EdDSA' })
    .sign(key);
}

let verify: VerifyPassport;

beforeEach(() => {
  verify = createPassportVerifier([retired.publicKey, current.publicKey]);
});

test.each([
  ['the current', current],
  ['the retired', retired],
])('a passport signed with %s key is accepted', async (_, { privateKey }) => {
  expect(await verify(await sign({}, privateKey), now)).toMatchObject({ businessId: 7 });
});

describe('no passport is accepted with', () => {
  test.each([
    ['a stranger’s signature', () => sign({}, stranger.privateKey)],
    ['another audience', () => sign({ aud: 'gateway' })],
    ['another issuer', () => sign({ iss: 'business-service' })],
    ['no expiry', () => sign({ exp: undefined })],
    ['an expired passport', () => sign({ iat: seconds - 70, exp: seconds - 10 })],
    ['a passport for eleven minutes', () => sign({ exp: seconds + 660 })],
    ['nonsense', async () => 'nonsense'],
    ['nothing', async () => ''],
  ])('%s', async (_, token) => {
    expect(await verify(await token(), now)).toBeUndefined();
  });

  test('a passport whose claims were changed', async () => {
    const [head, , signature] = (await sign()).split('.');
    const claims = { business_id: 8, iss: 'identity-service', aud: 'business-service', exp: seconds + 60 };
    const forged = Buffer.from(JSON.stringify(claims)).toString('base64url');
    expect(await verify(`${head}.${forged}.${signature}`, now)).toBeUndefined();
  });

  test('a passport that needs no signature', async () => {
    const [, claims] = (await sign()).split('.');
    const head = Buffer.from('{"alg":"none"}').toString('base64url');
    expect(await verify(`${head}.${claims}.`, now)).toBeUndefined();
  });

  test('a passport that was signed with the public key as a password', async () => {
    const secret = current.publicKey.export({ type: 'spki', format: 'der' });
    const token = await new SignJWT({ business_id: 7, credential_type: 'secret_key', scope: '' })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + 60)
      .sign(secret);
    expect(await verify(token, now)).toBeUndefined();
  });
});

test('a cached passport expires on time', async () => {
  const token = await sign();
  expect(await verify(token, now)).toBe(await verify(token, later(64)));
  expect(await verify(token, later(65))).toBeUndefined();
  expect(await verify(token, later(66))).toBeUndefined();
});

test('clocks may differ by five seconds', async () => {
  expect(await verify(await sign(), later(64))).toBeDefined();
});
