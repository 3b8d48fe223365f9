import { describe, expect, test } from '@jest/globals';
import { maskOf } from '@platform/protos/field-mask';
import type { TestKey } from '../harness/api-keys.ts';
import { knownBusiness, otherBusiness, startIdentityPlatform } from '../harness/identity-platform.ts';
import { running } from '../harness/running.ts';

const call = { deadlineMs: 30_000 };
const actor = { kind: 'operator', id: 'ada', clientIp: '198.51.100.7' };
const hour = 3_600_000;

const platform = running(startIdentityPlatform);

const refused = (kind: string, reason: string) => expect.objectContaining({ kind, reason });
const which = ({ businessId, id }: TestKey) => ({ actor, businessId, apiKeyId: id });
const getKey = async ({ businessId, id }: TestKey) => {
  const { apiKey } = await platform.apiKeyRpc.GetApiKey({ businessId, apiKeyId: id }, call);
  return apiKey;
};
/** Puts a key's expiration at an interval from the database's own clock. */
const expireIn = (key: TestKey, interval: string) =>
  platform.sql('UPDATE api_keys SET expires_at = clock_timestamp() + $2::interval WHERE id = $1', [
    key.id,
    interval,
  ]);

describe('creating a key', () => {
  const create = (fields: object) =>
    platform.apiKeyRpc.CreateApiKey(
      { actor, businessId: knownBusiness, name: 'Backend', keyType: 'API_KEY_TYPE_SECRET', ...fields },
      call,
    );

  test('a secret key is shown once, whole, and with every setting', async () => {
    const expiresAtUnixMs = Date.now() + hour;
    const { apiKey, keyString } = await create({ description: 'nightly', expiresAtUnixMs });
    expect(keyString).toMatch(/^sk_[0-9A-Za-z]{45}$/);
    expect(apiKey).toMatchObject({
      businessId: knownBusiness,
      name: 'Backend',
      description: 'nightly',
      keyType: 'API_KEY_TYPE_SECRET',
      scopes: [],
      status: 'API_KEY_STATUS_ACTIVE',
      lastFour: keyString.slice(-4),
      limit: 10_000,
      expiresAtUnixMs,
      lastUsedAtUnixMs: 0,
      rotatedAtUnixMs: 0,
    });
    const read = await platform.apiKeyRpc.GetApiKey(
      { businessId: knownBusiness, apiKeyId: apiKey?.id ?? '' },
      call,
    );
    const listed = await platform.apiKeyRpc.ListApiKeys({ businessId: knownBusiness }, call);
    expect(listed.apiKeys).toContainEqual(read.apiKey);
    for (const response of [read, listed]) {
      expect(JSON.stringify(response)).not.toContain(keyString.slice(3));
    }
  });

  test('a restricted key has its scopes, sorted', async () => {
    const { apiKey, keyString } = await create({
      keyType: 'API_KEY_TYPE_RESTRICTED',
      scopes: ['orders:read', 'business:read'],
    });
    expect(keyString).toMatch(/^rk_/);
    expect(apiKey?.scopes).toEqual(['business:read', 'orders:read']);
  });

  test.each([
    ['without a name', { name: '' }, 'invalid_name'],
    ['restricted without scopes', { keyType: 'API_KEY_TYPE_RESTRICTED' }, 'scopes_required'],
    ['of no type', { keyType: 'API_KEY_TYPE_UNSPECIFIED' }, 'invalid_request'],
    ['without an actor', { actor: null }, 'invalid_request'],
    ['that expires in the past', { expiresAtUnixMs: 1_000 }, 'expiration_not_in_future'],
    ['with a negative expiration', { expiresAtUnixMs: -1 }, 'invalid_request'],
  ])('a key %s is refused and leaves nothing behind', async (_, fields, reason) => {
    const count = () =>
      platform.sql('SELECT count(*) FROM api_keys UNION ALL SELECT count(*) FROM audit_events');
    const before = await count();
    await expect(create(fields)).rejects.toEqual(refused('invalid_argument', reason));
    expect(await count()).toEqual(before);
  });

  test('a business that does not exist gets no key', async () => {
    await expect(create({ businessId: 404 })).rejects.toEqual(refused('not_found', 'business_not_found'));
  });
});

describe('reading keys', () => {
  test('the list is newest first and holds no key of another business', async () => {
    const first = await platform.createKey({ name: 'first', businessId: otherBusiness });
    const second = await platform.createKey({ name: 'second', businessId: otherBusiness });
    const { apiKeys } = await platform.apiKeyRpc.ListApiKeys({ businessId: otherBusiness }, call);
    expect(apiKeys.map(({ id }) => id)).toEqual([second.id, first.id]);
  });

  test("another business's key is not found, whatever is asked of it", async () => {
    const key = await platform.createKey();
    const foreign = { actor, businessId: otherBusiness, apiKeyId: key.id };
    const { apiKeyRpc } = platform;
    const notFound = refused('not_found', 'api_key_not_found');
    await expect(apiKeyRpc.GetApiKey(foreign, call)).rejects.toEqual(notFound);
    await expect(apiKeyRpc.UpdateApiKey({ ...foreign, name: 'x' }, call)).rejects.toEqual(notFound);
    await expect(apiKeyRpc.RotateApiKey(foreign, call)).rejects.toEqual(notFound);
    await expect(apiKeyRpc.SetApiKeyLimit({ ...foreign, limit: 1 }, call)).rejects.toEqual(notFound);
    await expect(apiKeyRpc.DeleteApiKey(foreign, call)).rejects.toEqual(notFound);
    expect((await platform.authorize(key.keyString)).outcome).toBe('OUTCOME_ALLOWED');
  });
});

describe('updating a key', () => {
  const update = (key: TestKey, fields: object) =>
    platform.apiKeyRpc.UpdateApiKey({ ...which(key), ...fields }, call);

  const texts = { name: 'New', description: 'text' };
  test.each([
    ['settings of the mask', { settings: { ...texts, scopes: ['x'] }, updateMask: maskOf(texts) }],
    ['fields of clients from before `settings`', texts],
    ['both, of which the mask counts', { name: 'Old', settings: texts, updateMask: maskOf(texts) }],
  ])('name and description change, everything else stays: %s', async (_, fields) => {
    const key = await platform.createKey();
    const before = await getKey(key);
    const { apiKey } = await update(key, fields);
    expect(apiKey).toEqual({ ...before, ...texts, settings: { ...texts, scopes: [] } });
    expect(await getKey(key)).toEqual(apiKey);
  });

  test('the scopes of a restricted key change what it may do', async () => {
    const key = await platform.createKey({ type: 'restricted', scopes: ['orders:read', 'orders:write'] });
    const before = await platform.authorize(key.keyString, 'orders:write');
    await update(key, { scopes: { scopes: ['orders:read'] } });
    const after = await platform.authorize(key.keyString, 'orders:write');
    expect(before.outcome).toBe('OUTCOME_ALLOWED');
    expect(after.outcome).toBe('OUTCOME_SCOPE_DENIED');
    expect(after.generation).toBeGreaterThan(before.generation);
  });

  const secret = { type: 'secret' } as const;
  const restricted = { type: 'restricted', scopes: ['orders:read'] } as const;
  test.each([
    ['the type of a secret key', secret, { keyType: 'API_KEY_TYPE_RESTRICTED' }, 'key_type_immutable'],
    ['the expiration, to none', restricted, { expiresAtUnixMs: 0 }, 'expiration_immutable'],
    ['the scopes of a secret key', secret, { scopes: { scopes: ['orders:read'] } }, 'scopes_immutable'],
    ['nothing', secret, {}, 'empty_update'],
    ['settings without a mask', secret, { settings: { name: 'x' } }, 'empty_update'],
    ['what the settings do not have', secret, { updateMask: maskOf({ limit: 1 }) }, 'invalid_request'],
    ['all scopes away by the mask', restricted, { updateMask: maskOf({ scopes: [] }) }, 'empty_update'],
  ])('changing %s is refused, and nothing changes', async (_, kind, fields, reason) => {
    const key = await platform.createKey(kind);
    const before = await getKey(key);
    await expect(update(key, fields)).rejects.toEqual(refused('invalid_argument', reason));
    expect(await getKey(key)).toEqual(before);
  });
});

describe('rotating a key', () => {
  test('the old string has ended, the new one works, and all settings are kept', async () => {
    const key = await platform.createKey({ type: 'restricted', scopes: ['orders:read'] });
    const before = await getKey(key);
    const rotated = await platform.rotateKey(key);
    expect(rotated.keyString).toMatch(/^rk_/);
    expect(await getKey(key)).toEqual({
      ...before,
      lastFour: rotated.keyString.slice(-4),
      rotatedAtUnixMs: expect.any(Number),
    });
    expect((await platform.authorize(key.keyString)).outcome).toBe('OUTCOME_INVALID');
    expect(await platform.authorize(rotated.keyString)).toMatchObject({
      outcome: 'OUTCOME_ALLOWED',
      principal: { credentialId: key.id, limitId: key.id },
    });
  });

  test('of rotations at once each result is true: one string works, refused ones have none', async () => {
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
  test('it is gone, active or expired', async () => {
    const active = await platform.createKey();
    const expired = await platform.createKey();
    await expireIn(expired, '-1 second');
    for (const key of [active, expired]) {
      expect(await platform.deleteKey(key)).toBe('PROPAGATION_CONFIRMED');
      expect((await platform.authorize(key.keyString)).outcome).toBe('OUTCOME_INVALID');
      await expect(getKey(key)).rejects.toEqual(refused('not_found', 'api_key_not_found'));
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
    expect((await getKey(key))?.status).toBe('API_KEY_STATUS_EXPIRED');
    const expired = refused('failed_precondition', 'api_key_expired');
    await expect(platform.rotateKey(key)).rejects.toEqual(expired);
    await expect(platform.setKeyLimit(key, 5)).rejects.toEqual(expired);
    await expect(platform.updateKey(key, { scopes: ['business:read'] })).rejects.toEqual(expired);
    await platform.updateKey(key, { name: 'Old' });
    expect((await getKey(key))?.name).toBe('Old');
  });
});
