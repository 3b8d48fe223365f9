import { createPublicKey, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { authorizationService } from '@platform/protos/identity';
import { createGrpcClient } from '@platform/service-kit/grpc/client.ts';
import { createCheckedToken } from '@platform/service-kit/secrets/checked-token.ts';
import { jwtVerify } from 'jose';
import { expectEventually } from '../harness/expect-eventually.ts';
import { knownBusiness, startIdentityPlatform } from '../harness/identity-platform.ts';
import { strictIdentity } from '../harness/patience.ts';
import { startPostgres } from '../harness/postgres.ts';
import { running } from '../harness/running.ts';
import type { TestService } from '../harness/service.ts';

const hour = 3_600_000;

const postgres = running(startPostgres);
const platform = running(() => startIdentityPlatform({ createDatabase: postgres.createDatabase }));

const verify = (passport: string) => {
  const key = Buffer.from(platform.secrets.passportPublicKey, 'base64');
  const publicKey = createPublicKey({ key, format: 'der', type: 'spki' });
  return jwtVerify(passport, publicKey, { issuer: 'identity-service', audience: 'business-service' });
};
const setExpiry = (id: string, interval: string) =>
  platform.sql('UPDATE api_keys SET expires_at = clock_timestamp() + $2::interval WHERE id = $1', [
    id,
    interval,
  ]);

/** Asks one replica, once: no second attempt elsewhere. */
const authorizeAt = async ({ ports }: TestService, bearer: string) => {
  const target = `ipv4:127.0.0.1:${ports.grpc}`;
  const { rpc, close } = createGrpcClient(authorizationService, { target, tls: { kind: 'plain' } });
  try {
    const request = { bearer, clientIp: '192.0.2.1', requiredScope: '' };
    return (await rpc.Authorize(request, { deadlineMs: 30_000 })).outcome;
  } finally {
    close();
  }
};

describe('an allowed credential', () => {
  test('comes with its principal, limit, generation and expiration', async () => {
    const expiresAt = new Date(Date.now() + hour);
    const key = await platform.createKey({ type: 'restricted', scopes: ['orders:read'], expiresAt });
    expect(await platform.authorize(key.keyString, 'orders:read')).toMatchObject({
      outcome: 'OUTCOME_ALLOWED',
      principal: {
        businessId: knownBusiness,
        credentialType: 'CREDENTIAL_TYPE_RESTRICTED_KEY',
        credentialId: key.id,
        limitId: key.id,
        scopes: ['orders:read'],
      },
      limit: 10_000,
      generation: 1,
      expiresAtUnixMs: expiresAt.getTime(),
    });
  });

  test('comes with a passport that business-service can verify', async () => {
    const key = await platform.createKey();
    const { passport, passportExpiresAtUnixMs } = await platform.authorize(key.keyString, 'orders:write');
    const { payload } = await verify(passport);
    expect(payload).toEqual({
      iss: 'identity-service',
      aud: 'business-service',
      sub: key.id,
      iat: expect.any(Number),
      exp: passportExpiresAtUnixMs / 1000,
      business_id: knownBusiness,
      credential_type: 'secret_key',
      scope: 'business:read events:read orders:read orders:write',
    });
    const lifetime = (payload.exp ?? 0) - (payload.iat ?? 0);
    expect(lifetime).toBeGreaterThan(5 * 60);
    expect(lifetime).toBeLessThanOrEqual(10 * 60);
  });

  test('never gets a passport that is valid longer than itself', async () => {
    const expiresAt = new Date(Date.now() + 90_500);
    const key = await platform.createKey({ expiresAt });
    const { passport, passportExpiresAtUnixMs } = await platform.authorize(key.keyString);
    expect(passportExpiresAtUnixMs).toBe(expiresAt.getTime());
    expect((await verify(passport)).payload.exp).toBe(expiresAt.getTime() / 1000);
  });
});

describe('a refused credential', () => {
  test('without the scope gets its principal, and no passport', async () => {
    const key = await platform.createKey({ type: 'restricted', scopes: ['orders:read'] });
    expect(await platform.authorize(key.keyString, 'orders:write')).toMatchObject({
      outcome: 'OUTCOME_SCOPE_DENIED',
      principal: { credentialId: key.id, scopes: ['orders:read'] },
      passport: '',
      passportExpiresAtUnixMs: 0,
    });
  });

  test("is expired from its expiration on, on the database's clock, and allowed before", async () => {
    const key = await platform.createKey({ type: 'restricted', scopes: ['orders:read'] });
    await setExpiry(key.id, '1 hour');
    expect((await platform.authorize(key.keyString, 'orders:read')).outcome).toBe('OUTCOME_ALLOWED');
    await setExpiry(key.id, '0 seconds');
    const expired = await platform.authorize(key.keyString, 'orders:write');
    expect(expired).toMatchObject({
      outcome: 'OUTCOME_EXPIRED',
      principal: { credentialId: key.id },
      passport: '',
    });
  });

  test.each([
    ['well-formed but unknown', createCheckedToken('sk')],
    ['with a broken checksum', `${createCheckedToken('sk').slice(0, -6)}000000`],
    ['of another kind', createCheckedToken('at')],
    ['empty', ''],
    ['very long', 'sk_'.padEnd(100_000, 'x')],
    ['with a NUL', 'sk_\0'],
  ])('%s is invalid and has no principal', async (_, bearer) => {
    expect(await platform.authorize(bearer)).toMatchObject({ outcome: 'OUTCOME_INVALID', principal: null });
  });
});

test('a generation is never newer than the key that it is returned with', async () => {
  let key = await platform.createKey();
  for (let round = 0; round < 20; round++) {
    const old = key.keyString;
    let rotating = true;
    const responses: Awaited<ReturnType<typeof platform.authorize>>[] = [];
    const ask = async () => {
      while (rotating) responses.push(await platform.authorize(old));
    };
    const calls = [ask(), ask(), ask()];
    key = await platform.rotateKey(key);
    rotating = false;
    await Promise.all(calls);
    const { generation } = await platform.authorize(key.keyString);
    for (const response of responses) {
      if (response.outcome === 'OUTCOME_ALLOWED') expect(response.generation).toBeLessThan(generation);
    }
  }
});

describe('peppers', () => {
  test('a key hashed under a retired pepper is accepted, under an unknown one not', async () => {
    const key = await platform.createKey();
    const next = randomBytes(32).toString('hex');
    const rotated = await platform.addReplica({ KEY_PEPPERS: `${next}, ${platform.secrets.keyPepper}` });
    const stranger = await platform.addReplica({ KEY_PEPPERS: next });
    expect(await authorizeAt(rotated, key.keyString)).toBe('OUTCOME_ALLOWED');
    expect(await authorizeAt(stranger, key.keyString)).toBe('OUTCOME_INVALID');
  });
});

describe('without PostgreSQL', () => {
  let impatient: TestService;
  beforeAll(async () => {
    impatient = await platform.addReplica(strictIdentity);
  });
  const attempt = (bearer: string) => authorizeAt(impatient, bearer).catch((error: unknown) => error);
  const unavailable = expect.objectContaining({ kind: 'unavailable', reason: 'database_unavailable' });

  test.each([
    ['stopped', () => postgres.stop(), () => postgres.start()],
    ['frozen', async () => postgres.freeze(), async () => postgres.thaw()],
  ])('%s, Authorize responds with UNAVAILABLE and recovers by itself', async (_, breakIt, mendIt) => {
    const key = await expectEventually(() => platform.createKey(), { withinMs: 10_000 });
    await expectEventually(() => authorizeAt(impatient, key.keyString), { withinMs: 10_000 });
    await breakIt();
    for (let turn = 0; turn < 5; turn++) expect(await attempt(key.keyString)).toEqual(unavailable);
    await mendIt();
    const outcome = await expectEventually(() => authorizeAt(impatient, key.keyString), { withinMs: 10_000 });
    expect(outcome).toBe('OUTCOME_ALLOWED');
  });
});
