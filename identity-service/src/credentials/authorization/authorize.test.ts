import { describe, expect, test } from '@jest/globals';
import { createCheckedToken } from '@platform/service-kit/secrets/checked-token.ts';
import { createSecretHasher } from '../../platform/secrets.ts';
import { authorize } from './authorize.ts';
import type { Credential } from './credential.ts';

const hasher = createSecretHasher(['a pepper that is longer than 32 characters']);
const bearer = createCheckedToken('rk');
const credential: Credential = {
  id: 'key_1',
  type: 'restricted_key',
  businessId: 7,
  applicationId: undefined,
  scopes: ['orders:read'],
  limitId: 'key_1',
  limit: 10_000,
  ipWhitelist: undefined,
  allowedOrigins: [],
  generation: 3,
  expiresAt: 2_000,
  frozen: false,
  keyFrozen: false,
  isSandbox: false,
  suspended: undefined,
  readAt: 1_000,
};
const clientIp = '192.0.2.1';
const endsAt = Number.POSITIVE_INFINITY;
const ended = createCheckedToken('rk');
const retired = {
  id: 'string',
  businessId: 7,
  credentialType: 'restricted_key',
  credentialId: 'key_1',
  limitId: 'key_1',
} as const;
const passport = { token: 'signed', upstreamTokens: {}, expiresAt: 1_500 };

/** Dependencies that know `found` under the hash of `bearer`, and `ended` as retired, and count the lookups. */
function depsThatFind(found: Credential | undefined) {
  const lookups: unknown[] = [];
  return {
    hasher,
    lookups,
    findCredential: async (_kind: string, hashes: readonly Buffer[]) => {
      lookups.push(hashes);
      return hashes.some((hash) => hash.equals(hasher.hash(bearer))) ? found : undefined;
    },
    findRetired: async (hashes: readonly Buffer[]) => {
      lookups.push(hashes);
      return hashes.some((hash) => hash.equals(hasher.hash(ended))) ? retired : undefined;
    },
    issuePassport: async () => passport,
  };
}

describe('authorize', () => {
  test('allows a genuine key with the scope, and adds a passport', async () => {
    const result = await authorize(depsThatFind(credential), {
      bearer,
      requiredScope: 'orders:read',
      clientIp,
      endsAt,
    });
    expect(result).toEqual({ outcome: 'allowed', credential, passport });
  });

  test('allows any genuine key when no scope is required', async () => {
    const result = await authorize(depsThatFind(credential), {
      bearer,
      requiredScope: undefined,
      clientIp,
      endsAt,
    });
    expect(result.outcome).toBe('allowed');
  });

  test('denies a scope that the key lacks, without a passport', async () => {
    const result = await authorize(depsThatFind(credential), {
      bearer,
      requiredScope: 'orders:write',
      clientIp,
      endsAt,
    });
    expect(result).toEqual({ outcome: 'scope_denied', credential });
  });

  test('reports a key as expired from its expiration on, before it checks scopes', async () => {
    const expired = { ...credential, readAt: 2_000 };
    const result = await authorize(depsThatFind(expired), {
      bearer,
      requiredScope: 'orders:write',
      clientIp,
      endsAt,
    });
    expect(result).toEqual({ outcome: 'expired', credential: expired });
  });

  test('refuses every request while the business is frozen, before it checks address and scope', async () => {
    const frozen = { ...credential, frozen: true, ipWhitelist: ['198.51.100.1'] };
    const demand = { bearer, requiredScope: 'orders:write', clientIp, endsAt };
    expect(await authorize(depsThatFind(frozen), demand)).toEqual({ outcome: 'frozen', credential: frozen });
    const expired = { ...frozen, readAt: 2_000 };
    expect(await authorize(depsThatFind(expired), demand)).toMatchObject({ outcome: 'expired' });
  });

  test('refuses every request with a frozen key, before it checks address and scope', async () => {
    const frozen = { ...credential, keyFrozen: true, ipWhitelist: ['198.51.100.1'] };
    const demand = { bearer, requiredScope: 'orders:write', clientIp, endsAt };
    expect(await authorize(depsThatFind(frozen), demand)).toEqual({
      outcome: 'key_frozen',
      credential: frozen,
    });
    const ofFrozen = { ...frozen, frozen: true };
    expect(await authorize(depsThatFind(ofFrozen), demand)).toMatchObject({ outcome: 'frozen' });
  });

  test.each(['application', 'connection'] as const)(
    'refuses every request while the %s is suspended',
    async (what) => {
      const suspended = { ...credential, suspended: what, ipWhitelist: ['198.51.100.1'] };
      const demand = { bearer, requiredScope: 'orders:write', clientIp, endsAt };
      const outcome = `${what}_suspended`;
      expect(await authorize(depsThatFind(suspended), demand)).toEqual({ outcome, credential: suspended });
      const frozen = { ...suspended, frozen: true };
      expect(await authorize(depsThatFind(frozen), demand)).toMatchObject({ outcome: 'frozen' });
    },
  );

  test.each([
    ['is not stored', createCheckedToken('rk'), undefined],
    ['is retired', ended, retired],
  ])('reports a well-formed string that %s as invalid after two lookups', async (_, sent, known) => {
    const deps = depsThatFind(credential);
    const demand = { bearer: sent, requiredScope: 'orders:read', clientIp, endsAt };
    expect(await authorize(deps, demand)).toEqual({ outcome: 'invalid', retired: known });
    expect(deps.lookups).toHaveLength(2);
  });

  test('reports a string as invalid while retired strings cannot be looked up', async () => {
    const findRetired = () => Promise.reject(new Error('overloaded'));
    const demand = { bearer: ended, requiredScope: undefined, clientIp, endsAt };
    const result = await authorize({ ...depsThatFind(credential), findRetired }, demand);
    expect(result).toEqual({ outcome: 'invalid', retired: undefined });
  });

  test.each([
    ['nothing', ''],
    ['a broken checksum', `${bearer.slice(0, -1)}${bearer.endsWith('0') ? '1' : '0'}`],
    ['a blank at the end', `${bearer} `],
    ['an unknown prefix', bearer.replace('rk_', 'xk_')],
    ['another token', 'eyJhbGciOiJub25lIn0.e30.'],
  ])('refuses %s without a lookup', async (_, malformed) => {
    const deps = depsThatFind(credential);
    expect(await authorize(deps, { bearer: malformed, requiredScope: undefined, clientIp, endsAt })).toEqual({
      outcome: 'invalid',
    });
    expect(deps.lookups).toEqual([]);
  });
});
