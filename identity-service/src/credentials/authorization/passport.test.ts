import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { calculateJwkThumbprint, exportJWK, jwtVerify } from 'jose';
import type { Credential } from './credential.ts';
import { createPassportIssuer, createPassportSigner, isLongEnough, passportEnd } from './passport.ts';

const minute = 60_000;

const start = 1_800_000_000_000;

const credential: Credential = {
  id: 'key_1',
  type: 'restricted_key',
  businessId: 7,
  applicationId: undefined,
  scopes: ['business:read', 'orders:read'],
  limitId: 'key_1',
  limit: 10_000,
  ipWhitelist: undefined,
  allowedOrigins: [],
  generation: 3,
  expiresAt: undefined,
  frozen: false,
  keyFrozen: false,
  isSandbox: false,
  suspended: undefined,
  readAt: start,
};

/** An office that counts its signatures. */
function countingOffice() {
  let signatures = 0;
  const issue = createPassportIssuer(async (subject) => {
    signatures += 1;
    return { token: `passport ${signatures}`, upstreamTokens: {}, expiresAt: passportEnd(subject) };
  });
  return { issue, signatures: () => signatures };
}

const { privateKey, publicKey } = generateKeyPairSync('ed25519');

const verify = (token: string, audience: string, key: KeyObject = publicKey) =>
  jwtVerify(token, key, { issuer: 'identity-service', audience, currentDate: new Date(start) });

test('a passport identifies the caller and its key, and has a signature that can be verified', async () => {
  const { token, upstreamTokens, expiresAt } = await createPassportSigner(privateKey, [])(credential);
  const { payload, protectedHeader } = await verify(token, 'business-service');
  const kid = await calculateJwkThumbprint(await exportJWK(publicKey));
  expect(protectedHeader).toEqual({ alg: 'EdDSA', kid });
  expect(upstreamTokens).toEqual({});
  expect(payload).toEqual({
    iss: 'identity-service',
    aud: 'business-service',
    sub: 'key_1',
    iat: start / 1000,
    exp: expiresAt / 1000,
    business_id: 7,
    credential_type: 'restricted_key',
    scope: 'business:read orders:read',
  });
});

test('Each upstream of the operator gets a passport with the same claims, which no other service accepts.', async () => {
  const sign = createPassportSigner(privateKey, ['invoices', 'payments']);
  const { token, upstreamTokens } = await sign(credential);
  const { payload } = await verify(token, 'business-service');
  expect(Object.keys(upstreamTokens)).toEqual(['invoices', 'payments']);
  for (const [name, ofUpstream] of Object.entries(upstreamTokens)) {
    expect((await verify(ofUpstream, name)).payload).toEqual({ ...payload, aud: name });
    for (const other of ['business-service', name === 'invoices' ? 'payments' : 'invoices'])
      await expect(verify(ofUpstream, other)).rejects.toThrow('"aud"');
  }
});

test('a passport lasts ten minutes at most and never longer than the credential', () => {
  fc.assert(
    fc.property(fc.nat(1e9), fc.option(fc.nat(20 * minute), { nil: undefined }), (offset, lifetime) => {
      const readAt = start + offset;
      const expiresAt = lifetime === undefined ? undefined : readAt + lifetime;
      const end = passportEnd({ readAt, expiresAt });
      expect(end - readAt).toBeLessThanOrEqual(10 * minute);
      expect(end).toBeLessThanOrEqual(expiresAt ?? Number.POSITIVE_INFINITY);
    }),
  );
});

test('a passport lasts at least five minutes, or as long as its credential', async () => {
  const steps = fc.array(fc.nat(3 * minute), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(steps, fc.option(fc.nat(20 * minute), { nil: undefined }), async (pauses, lifetime) => {
      const { issue } = countingOffice();
      const expiresAt = lifetime === undefined ? undefined : start + lifetime;
      let readAt = start;
      for (const pause of pauses) {
        readAt += pause;
        const passport = await issue({ ...credential, readAt, expiresAt });
        expect(isLongEnough(passport, { readAt, expiresAt })).toBe(true);
      }
    }),
  );
});

test('the same passport is returned for almost five minutes', async () => {
  const { issue, signatures } = countingOffice();
  await issue(credential);
  await issue({ ...credential, readAt: start + 5 * minute });
  expect(signatures()).toBe(1);
  await issue({ ...credential, readAt: start + 5 * minute + 1 });
  expect(signatures()).toBe(2);
});

test('a key whose scopes shrank gets a passport of its own', async () => {
  const { issue } = countingOffice();
  const before = await issue(credential);
  const after = await issue({ ...credential, scopes: ['orders:read'] });
  expect(after.token).not.toBe(before.token);
});

test('memory is bounded by dropping the least recently used passports', async () => {
  const { issue, signatures } = countingOffice();
  await issue(credential);
  for (let i = 0; i < 10_000; i++) await issue({ ...credential, id: `key_${i + 2}` });
  await issue({ ...credential, id: 'key_10001' });
  expect(signatures()).toBe(10_001);
  await issue(credential);
  expect(signatures()).toBe(10_002);
});
