import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { type IdentityPlatform, knownBusiness, startIdentityPlatform } from '../harness/identity-platform.ts';
import { running } from '../harness/running.ts';

const minute = 60_000;
const thisMinute = Math.floor(Date.now() / minute) * minute;

const platform = running(() => startIdentityPlatform({ replicas: 2 }));

type Sent = Parameters<IdentityPlatform['usageRpc']['RecordUsage']>[0];
type Count = Partial<NonNullable<Sent['counts']>[number]> & { readonly credentialId: string };
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
    { deadlineMs: 30_000 },
  );
};
const stored = (credentialId: string) =>
  platform.sql(
    `SELECT extract(epoch FROM minute)::float8 * 1000 AS minute, count_2xx::int, count_4xx::int, count_429::int,
            count_5xx::int FROM usage_counts WHERE credential_id = $1 ORDER BY minute`,
    [credentialId],
  );
const lastUse = async (key: { id: string; businessId: number }) => {
  const { lastUsedAt, lastUsedIp } = await platform.getKey(key);
  return { at: lastUsedAt, ip: lastUsedIp };
};
const places = async (limitId: string) => ({
  addresses: await platform.sql(
    `SELECT extract(epoch FROM hour)::float8 * 1000 AS hour, address, business_id::int, requests::int, successes::int,
            (extract(epoch FROM last_success_at) * 1000)::float8 AS last_success
     FROM usage_addresses WHERE limit_id = $1 ORDER BY hour, address`,
    [limitId],
  ),
  endpoints: await platform.sql(
    `SELECT extract(epoch FROM hour)::float8 * 1000 AS hour, method, route, requests::int
     FROM usage_endpoints WHERE limit_id = $1 ORDER BY hour, method, route`,
    [limitId],
  ),
});
const hours = (limitId: string) =>
  platform.sql(
    `SELECT extract(epoch FROM hour)::float8 * 1000 AS hour, business_id::int, count_2xx::int, count_4xx::int,
            count_429::int, count_5xx::int FROM usage_hours WHERE limit_id = $1 ORDER BY hour`,
    [limitId],
  );
const observed = (limitId: string) =>
  platform.sql(
    `SELECT used, (extract(epoch FROM observed_at) * 1000)::float8 AS at, observed_at <= clock_timestamp() AS past
     FROM limit_observations WHERE limit_id = $1`,
    [limitId],
  );
const newCredential = () => `key_${randomUUID()}`;

describe('counts', () => {
  test('of a batch are added once, even if it is sent repeatedly and concurrently', async () => {
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

  test('of many gateways about the same keys add up, regardless of their order', async () => {
    const keys = await Promise.all(Array.from({ length: 20 }, () => platform.createKey()));
    const counts = keys.map(({ id }) => ({
      credentialId: id,
      limitId: id,
      count_2xx: 1,
      scopesUsed: ['orders:read', 'orders:write'],
      addresses: ['192.0.2.1', '192.0.2.2'].map((address) => ({ address, requests: 1 })),
      endpoints: ['GET', 'POST'].map((method) => ({ method, route: '/v2/order', requests: 1 })),
      limitUsed: 1,
      limitObservedAtUnixMs: thisMinute,
    }));
    const batches = Array.from({ length: 20 }, (_, i) => (i % 2 ? counts : counts.toReversed()));
    await Promise.all(batches.map((batch) => record(randomUUID(), batch)));
    for (const { id } of keys) {
      expect(await stored(id)).toMatchObject([{ count_2xx: 20 }]);
      expect(await places(id)).toMatchObject({
        addresses: [{ requests: 20 }, { requests: 20 }],
        endpoints: [{ requests: 20 }, { requests: 20 }],
      });
    }
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
  test('is the time and address of the latest request, regardless of the order of reports', async () => {
    const key = await platform.createKey();
    expect(await lastUse(key)).toEqual({ at: undefined, ip: undefined });
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

  test('raises no generation, so that gateways keep cached authorizations', async () => {
    const key = await platform.createKey();
    const before = await platform.authorize(key.keyString);
    await record(randomUUID(), [{ credentialId: key.id, count_2xx: 1 }]);
    expect((await platform.authorize(key.keyString)).generation).toBe(before.generation);
  });
});

describe('usage by limit id', () => {
  const hour = Math.floor((thisMinute - 60 * minute) / (60 * minute)) * 60 * minute;
  const at = (minutes: number) => hour + minutes * minute;

  test('sums minutes and tokens of one hour: responses, addresses, endpoints', async () => {
    const limitId = newCredential();
    const count = (credentialId: string, minutes: number, address: string, successes: number) => ({
      credentialId,
      credentialType: 'CREDENTIAL_TYPE_ACCESS_TOKEN' as const,
      limitId,
      minuteUnixMs: at(minutes),
      count_2xx: successes,
      count_4xx: 1,
      addresses: [
        { address, requests: successes + 1, successes, lastSuccessAtUnixMs: successes && at(minutes) + 7 },
      ],
      endpoints: [{ method: 'GET', route: '/v2/order/{id}', requests: successes + 1 }],
    });
    const one = newCredential();
    const another = newCredential();
    await record(randomUUID(), [
      count(one, 0, '192.0.2.1', 2),
      count(one, 59, '192.0.2.1', 3),
      count(another, 1, '2001:db8::1', 0),
    ]);
    await record(randomUUID(), [count(another, 2, '192.0.2.1', 1), count(one, -1, '', 4)]);
    expect(await places(limitId)).toEqual({
      addresses: [
        {
          hour: at(-60),
          address: '',
          business_id: knownBusiness,
          requests: 5,
          successes: 4,
          last_success: at(-1) + 7,
        },
        {
          hour,
          address: '192.0.2.1',
          business_id: knownBusiness,
          requests: 9,
          successes: 6,
          last_success: at(59) + 7,
        },
        {
          hour,
          address: '2001:db8::1',
          business_id: knownBusiness,
          requests: 1,
          successes: 0,
          last_success: null,
        },
      ],
      endpoints: [
        { hour: at(-60), method: 'GET', route: '/v2/order/{id}', requests: 5 },
        { hour, method: 'GET', route: '/v2/order/{id}', requests: 10 },
      ],
    });
    const others = { business_id: knownBusiness, count_429: 0, count_5xx: 0 };
    expect(await hours(limitId)).toEqual([
      { hour: at(-60), count_2xx: 4, count_4xx: 1, ...others },
      { hour, count_2xx: 6, count_4xx: 4, ...others },
    ]);
  });

  test('has the last use of each scope, regardless of the order of reports', async () => {
    const credentialId = newCredential();
    const use = (lastUsedAtUnixMs: number, scopesUsed: string[]) =>
      record(randomUUID(), [{ credentialId, limitId: credentialId, lastUsedAtUnixMs, scopesUsed }]);
    await use(at(2), ['orders:read', 'events:read']);
    // The gateway may have a newer document.
    await use(at(1), ['orders:read', 'orders:write', 'not:known']);
    const uses = await platform.sql(
      `SELECT scope, extract(epoch FROM last_used_at)::float8 * 1000 AS at FROM scope_uses
       WHERE limit_id = $1 ORDER BY scope`,
      [credentialId],
    );
    expect(uses).toEqual([
      { scope: 'events:read', at: at(2) },
      { scope: 'not:known', at: at(1) },
      { scope: 'orders:read', at: at(2) },
      { scope: 'orders:write', at: at(1) },
    ]);
  });

  test('has the latest observation of the rolling hour, never in the future', async () => {
    const credentialId = newCredential();
    const see = (limitUsed: number, limitObservedAtUnixMs: number) =>
      record(randomUUID(), [{ credentialId, limitId: credentialId, limitUsed, limitObservedAtUnixMs }]);
    // Within the two hours for which it is kept.
    const seenAt = thisMinute - minute;
    await see(5, seenAt);
    await see(9, seenAt - minute);
    await see(7, 0);
    expect(await observed(credentialId)).toEqual([{ used: 5, at: seenAt, past: true }]);
    await see(4, Date.now() + 60 * minute);
    expect(await observed(credentialId)).toMatchObject([{ used: 4, past: true }]);
  });

  test('is counted even if a gateway reports no limit id', async () => {
    const key = newCredential();
    const token = newCredential();
    await record(randomUUID(), [
      { credentialId: key, count_2xx: 3, minuteUnixMs: at(0) },
      {
        credentialId: token,
        credentialType: 'CREDENTIAL_TYPE_ACCESS_TOKEN',
        count_2xx: 4,
        minuteUnixMs: at(0),
      },
    ]);
    expect(await hours(key)).toMatchObject([{ hour, count_2xx: 3 }]);
    expect(await hours('')).toMatchObject([{ hour, count_2xx: 4 }]);
    expect(await places(key)).toEqual({ addresses: [], endpoints: [] });
    expect(await observed(key)).toEqual([]);
  });
});

test.each([
  ['without a UUID', 'batch', [{ credentialId: 'key_1' }]],
  ['with a time that starts no minute', randomUUID(), [{ credentialId: 'k', minuteUnixMs: thisMinute + 1 }]],
  ['with one credential and minute twice', randomUUID(), [{ credentialId: 'k' }, { credentialId: 'k' }]],
  ['with something that is no address', randomUUID(), [{ credentialId: 'k', lastUsedIp: 'localhost' }]],
  [
    'with an invalid address',
    randomUUID(),
    [{ credentialId: 'k', limitId: 'k', addresses: [{ address: 'localhost', requests: 1 }] }],
  ],
  ['of more than 5,000', randomUUID(), Array.from({ length: 5_001 }, (_, i) => ({ credentialId: `k${i}` }))],
])('a batch %s is refused whole', async (_, batchId, counts) => {
  await expect(record(batchId, counts)).rejects.toEqual(
    expect.objectContaining({ kind: 'invalid_argument', reason: 'invalid_request' }),
  );
  const ids = counts.map(({ credentialId }) => credentialId);
  const rows = 'SELECT credential_id FROM usage_counts WHERE credential_id = ANY($1)';
  expect(await platform.sql(rows, [ids])).toEqual([]);
});
