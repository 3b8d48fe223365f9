import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type IdentityPlatform, knownBusiness, startIdentityPlatform } from '../harness/identity-platform.ts';

const minute = 60_000;
const thisMinute = Math.floor(Date.now() / minute) * minute;

let platform: IdentityPlatform;
beforeAll(async () => {
  platform = await startIdentityPlatform({ replicas: 2 });
});
afterAll(() => platform.close());

interface Count {
  readonly credentialId: string;
  readonly minuteUnixMs?: number;
  readonly count_2xx?: number;
  readonly count_4xx?: number;
  readonly count_429?: number;
  readonly count_5xx?: number;
  readonly lastUsedAtUnixMs?: number;
  readonly lastUsedIp?: string;
}

const record = (batchId: string, counts: readonly Count[]) => {
  const defaults = {
    businessId: knownBusiness,
    credentialType: 'CREDENTIAL_TYPE_SECRET_KEY' as const,
    minuteUnixMs: thisMinute,
    lastUsedAtUnixMs: thisMinute,
    lastUsedIp: '192.0.2.1',
  };
  return platform.usageRpc.RecordUsage(
    { batchId, counts: counts.map((count) => ({ ...defaults, ...count })) },
    { deadlineMs: 10_000 },
  );
};
const stored = (credentialId: string) =>
  platform.sql(
    `SELECT extract(epoch FROM minute)::float8 * 1000 AS minute, count_2xx::int, count_4xx::int, count_429::int,
            count_5xx::int FROM usage_counts WHERE credential_id = $1 ORDER BY minute`,
    [credentialId],
  );
const lastUse = async (key: { id: string; businessId: number }) => {
  const { apiKey } = await platform.apiKeyRpc.GetApiKey(
    { businessId: key.businessId, apiKeyId: key.id },
    { deadlineMs: 5_000 },
  );
  return { at: apiKey?.lastUsedAtUnixMs, ip: apiKey?.lastUsedIp };
};
const newCredential = () => `key_${randomUUID()}`;

describe('counts', () => {
  test('of a batch are added once, however often and however parallel it is sent', async () => {
    const credentialId = newCredential();
    const batchId = randomUUID();
    const counts = [{ credentialId, count_2xx: 5, count_4xx: 2, count_429: 1, count_5xx: 3 }];
    await Promise.all(Array.from({ length: 6 }, () => record(batchId, counts)));
    await record(batchId, counts);
    expect(await stored(credentialId)).toEqual([
      { minute: thisMinute, count_2xx: 5, count_4xx: 2, count_429: 1, count_5xx: 3 },
    ]);
  });

  test('of several batches add up by minute', async () => {
    const credentialId = newCredential();
    const later = { credentialId, minuteUnixMs: thisMinute + minute, count_5xx: 4 };
    await record(randomUUID(), [{ credentialId, count_2xx: 1 }, later]);
    await record(randomUUID(), [{ credentialId, count_2xx: 10, count_429: 7 }]);
    expect(await stored(credentialId)).toMatchObject([
      { count_2xx: 11, count_429: 7, count_5xx: 0 },
      { minute: thisMinute + minute, count_5xx: 4 },
    ]);
  });

  test('of many gateways about the same keys add up, in whatever order they stand', async () => {
    const keys = await Promise.all(Array.from({ length: 20 }, () => platform.createKey()));
    const counts = keys.map(({ id }) => ({ credentialId: id, count_2xx: 1 }));
    const batches = Array.from({ length: 20 }, (_, i) => (i % 2 ? counts : counts.toReversed()));
    await Promise.all(batches.map((batch) => record(randomUUID(), batch)));
    for (const { id } of keys) expect(await stored(id)).toMatchObject([{ count_2xx: 20 }]);
  });

  test('of 5,000 credentials fit into one batch', async () => {
    const credential = newCredential();
    const counts = Array.from({ length: 5_000 }, (_, i) => ({
      credentialId: `${credential}_${i}`,
      count_2xx: 1,
    }));
    await record(randomUUID(), counts);
    expect(await stored(`${credential}_4999`)).toMatchObject([{ count_2xx: 1 }]);
  });
});

describe('last use', () => {
  test('is the time and address of the latest request, whatever order reports come in', async () => {
    const key = await platform.createKey();
    expect(await lastUse(key)).toEqual({ at: 0, ip: '' });
    const use = (offset: number, lastUsedIp: string) =>
      record(randomUUID(), [
        { credentialId: key.id, lastUsedAtUnixMs: thisMinute - 10_000 + offset, lastUsedIp },
      ]);
    await use(5_000, '192.0.2.5');
    await use(1_000, '192.0.2.1');
    expect(await lastUse(key)).toEqual({ at: thisMinute - 5_000, ip: '192.0.2.5' });
    await use(6_000, '2001:db8::6');
    expect(await lastUse(key)).toEqual({ at: thisMinute - 4_000, ip: '2001:db8::6' });
  });

  test("is never in the future, even if a gateway's clock is", async () => {
    const key = await platform.createKey();
    const ahead = Date.now() + 24 * 60 * minute;
    await record(randomUUID(), [{ credentialId: key.id, lastUsedAtUnixMs: ahead }]);
    const { at } = await lastUse(key);
    expect(at).toBeLessThanOrEqual(Date.now() + 1_000);
    expect(at).toBeGreaterThan(Date.now() - minute);
  });

  test('raises no generation: gateways keep what they know', async () => {
    const key = await platform.createKey();
    const before = await platform.authorize(key.keyString);
    await record(randomUUID(), [{ credentialId: key.id, count_2xx: 1 }]);
    expect((await platform.authorize(key.keyString)).generation).toBe(before.generation);
  });
});

test.each([
  ['without a UUID', 'batch', [{ credentialId: 'key_1' }]],
  ['with a time that starts no minute', randomUUID(), [{ credentialId: 'k', minuteUnixMs: thisMinute + 1 }]],
  ['with one credential and minute twice', randomUUID(), [{ credentialId: 'k' }, { credentialId: 'k' }]],
  ['with something that is no address', randomUUID(), [{ credentialId: 'k', lastUsedIp: 'localhost' }]],
  ['of more than 5,000', randomUUID(), Array.from({ length: 5_001 }, (_, i) => ({ credentialId: `k${i}` }))],
])('a batch %s is refused whole', async (_, batchId, counts) => {
  await expect(record(batchId, counts)).rejects.toEqual(
    expect.objectContaining({ kind: 'invalid_argument', reason: 'invalid_request' }),
  );
  expect(await stored('k')).toEqual([]);
});
