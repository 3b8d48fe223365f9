import { describe, expect, test } from '@jest/globals';
import type { NewKey, TestKey } from '../harness/api-keys.ts';
import { knownBusiness, otherBusiness, startIdentityPlatform } from '../harness/identity-platform.ts';
import { running } from '../harness/running.ts';

const hour = 3_600_000;

const platform = running(startIdentityPlatform);

const refused = (kind: string, reason: string) => expect.objectContaining({ kind, reason });
/** Puts a key's expiration at an interval from the database's own clock. */
const expireIn = (key: TestKey, interval: string) =>
  platform.sql('UPDATE api_keys SET expires_at = clock_timestamp() + $2::interval WHERE id = $1', [
    key.id,
    interval,
  ]);

describe('creating a key', () => {
  test('a secret key is shown once, whole, and with every setting', async () => {
    const expiresAt = new Date(Date.now() + hour);
    const made = await platform.createKey({ name: 'Backend', description: 'nightly', expiresAt });
    expect(made.keyString).toMatch(/^sk_[0-9A-Za-z]{45}$/);
    const read = await platform.getKey(made);
    expect(read).toMatchObject({
      businessId: knownBusiness,
      name: 'Backend',
      description: 'nightly',
      keyType: 'secret',
      scopes: [],
      status: 'active',
      lastFour: made.keyString.slice(-4),
      limit: 10_000,
      expiresAt: expiresAt.getTime(),
      lastUsedAt: undefined,
      rotatedAt: undefined,
    });
    const listed = await platform.listKeys(knownBusiness);
    expect(listed).toContainEqual(read);
    for (const shown of [read, listed]) expect(JSON.stringify(shown)).not.toContain(made.keyString.slice(3));
  });

  test('a restricted key has its scopes, sorted', async () => {
    const made = await platform.createKey({ type: 'restricted', scopes: ['orders:read', 'business:read'] });
    expect(made.keyString).toMatch(/^rk_/);
    expect((await platform.getKey(made)).scopes).toEqual(['business:read', 'orders:read']);
  });

  const refusals: readonly [string, NewKey, string][] = [
    ['without a name', { name: '' }, 'invalid_name'],
    ['restricted without scopes', { type: 'restricted' }, 'scopes_required'],
    ['that expires in the past', { expiresAt: new Date(1_000) }, 'expiration_not_in_future'],
  ];
  test.each(refusals)('a key %s is refused and leaves nothing behind', async (_, wanted, reason) => {
    const count = () =>
      platform.sql('SELECT count(*) FROM api_keys UNION ALL SELECT count(*) FROM audit_events');
    const before = await count();
    await expect(platform.createKey(wanted)).rejects.toEqual(refused('invalid_argument', reason));
    expect(await count()).toEqual(before);
  });

  test('a business that does not exist gets no key', async () => {
    await expect(platform.createKey({ businessId: 404 })).rejects.toEqual(
      refused('not_found', 'business_not_found'),
    );
  });
});

describe('reading keys', () => {
  test('the list is newest first and holds no key of another business', async () => {
    const first = await platform.createKey({ name: 'first', businessId: otherBusiness });
    const second = await platform.createKey({ name: 'second', businessId: otherBusiness });
    const apiKeys = await platform.listKeys(otherBusiness);
    expect(apiKeys.map(({ id }) => id)).toEqual([second.id, first.id]);
  });

  test('a key of another business is not found by any request', async () => {
    const key = await platform.createKey();
    const foreign = { ...key, businessId: otherBusiness };
    const notFound = refused('not_found', 'api_key_not_found');
    await expect(platform.getKey(foreign)).rejects.toEqual(notFound);
    await expect(platform.updateKey(foreign, { name: 'x' })).rejects.toEqual(notFound);
    await expect(platform.rotateKey(foreign)).rejects.toEqual(notFound);
    await expect(platform.setKeyLimit(foreign, 1)).rejects.toEqual(notFound);
    await expect(platform.deleteKey(foreign)).rejects.toEqual(notFound);
    expect((await platform.authorize(key.keyString)).outcome).toBe('OUTCOME_ALLOWED');
  });
});

describe('updating a key', () => {
  test('name and description change, everything else stays', async () => {
    const key = await platform.createKey();
    const before = await platform.getKey(key);
    const texts = { name: 'New', description: 'text' };
    await platform.updateKey(key, texts);
    expect(await platform.getKey(key)).toEqual({ ...before, ...texts });
  });

  test('the scopes of a restricted key change what it may do', async () => {
    const key = await platform.createKey({ type: 'restricted', scopes: ['orders:read', 'orders:write'] });
    const before = await platform.authorize(key.keyString, 'orders:write');
    await platform.updateKey(key, { scopes: ['orders:read'] });
    const after = await platform.authorize(key.keyString, 'orders:write');
    expect(before.outcome).toBe('OUTCOME_ALLOWED');
    expect(after.outcome).toBe('OUTCOME_SCOPE_DENIED');
    expect(after.generation).toBeGreaterThan(before.generation);
  });

  const secret = { type: 'secret' } as const;
  test.each([
    ['the scopes of a secret key', secret, { scopes: ['orders:read'] }, 'scopes_immutable'],
    ['nothing', secret, {}, 'empty_update'],
  ])('changing %s is refused, and nothing changes', async (_, kind, change, reason) => {
    const key = await platform.createKey(kind);
    const before = await platform.getKey(key);
    await expect(platform.updateKey(key, change)).rejects.toEqual(refused('invalid_argument', reason));
    expect(await platform.getKey(key)).toEqual(before);
  });
});

describe('rotating a key', () => {
  test('the old string has ended, the new one works, and all settings are kept', async () => {
    const key = await platform.createKey({ type: 'restricted', scopes: ['orders:read'] });
    const before = await platform.getKey(key);
    const rotated = await platform.rotateKey(key);
    expect(rotated.keyString).toMatch(/^rk_/);
    expect(await platform.getKey(key)).toEqual({
      ...before,
      lastFour: rotated.keyString.slice(-4),
      rotatedAt: expect.any(Number),
    });
    expect((await platform.authorize(key.keyString)).outcome).toBe('OUTCOME_INVALID');
    expect(await platform.authorize(rotated.keyString)).toMatchObject({
      outcome: 'OUTCOME_ALLOWED',
      principal: { credentialId: key.id, limitId: key.id },
    });
  });

  test('after concurrent rotations one string works, and refused rotations have returned none', async () => {
    const key = await platform.createKey();
    const attempts = await Promise.allSettled(Array.from({ length: 8 }, () => platform.rotateKey(key)));
    const strings = attempts.flatMap((a) => (a.status === 'fulfilled' ? [a.value.keyString] : []));
    const refusals = attempts.flatMap((a) => (a.status === 'rejected' ? [a.reason] : []));
    expect(strings.length).toBeGreaterThanOrEqual(1);
    for (const refusal of refusals) expect(refusal).toEqual(refused('conflict', 'api_key_changed'));
    const responses = await Promise.all(strings.map((bearer) => platform.authorize(bearer)));
    expect(responses.filter(({ outcome }) => outcome === 'OUTCOME_ALLOWED')).toHaveLength(1);
    const audited = await platform.sql(
      "SELECT id FROM audit_events WHERE subject_id = $1 AND action = 'api_key.rotated'",
      [key.id],
    );
    expect(audited).toHaveLength(strings.length);
    expect((await platform.authorize(key.keyString)).outcome).toBe('OUTCOME_INVALID');
  });
});

describe('deleting a key', () => {
  test('removes it, even if it has expired', async () => {
    const active = await platform.createKey();
    const expired = await platform.createKey();
    await expireIn(expired, '-1 second');
    for (const key of [active, expired]) {
      expect(await platform.deleteKey(key)).toBe('confirmed');
      expect((await platform.authorize(key.keyString)).outcome).toBe('OUTCOME_INVALID');
      await expect(platform.getKey(key)).rejects.toEqual(refused('not_found', 'api_key_not_found'));
      await expect(platform.deleteKey(key)).rejects.toEqual(refused('not_found', 'api_key_not_found'));
    }
  });
});

describe('the limit of a key', () => {
  test('is what Authorize returns from then on', async () => {
    const key = await platform.createKey();
    const before = await platform.authorize(key.keyString);
    await platform.setKeyLimit(key, 25_000);
    const after = await platform.authorize(key.keyString);
    expect([before.limit, after.limit]).toEqual([10_000, 25_000]);
    expect(after.generation).toBeGreaterThan(before.generation);
  });

  test.each([0, 10_000_001])('is never %p', async (limit) => {
    const key = await platform.createKey();
    await expect(platform.setKeyLimit(key, limit)).rejects.toEqual(
      refused('invalid_argument', 'invalid_limit'),
    );
  });
});

describe('an expired key', () => {
  test('is shown as expired, and may be renamed but neither rotated, limited nor rescoped', async () => {
    const key = await platform.createKey({ type: 'restricted', scopes: ['orders:read'] });
    await expireIn(key, '-1 second');
    expect((await platform.getKey(key)).status).toBe('expired');
    const expired = refused('failed_precondition', 'api_key_expired');
    await expect(platform.rotateKey(key)).rejects.toEqual(expired);
    await expect(platform.setKeyLimit(key, 5)).rejects.toEqual(expired);
    await expect(platform.updateKey(key, { scopes: ['business:read'] })).rejects.toEqual(expired);
    await platform.updateKey(key, { name: 'Old' });
    expect((await platform.getKey(key)).name).toBe('Old');
  });
});
