import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { startIdentityPlatform } from '../harness/identity-platform.ts';
import { running } from '../harness/running.ts';

const platform = running(() => startIdentityPlatform({ replicas: 2 }));

/** A key that was rotated, and the id of its old string, as Authorize tells it. */
async function rotatedKey() {
  const key = await platform.createKey();
  await platform.rotateKey(key);
  const { outcome, retired } = await platform.authorize(key.keyString);
  expect([outcome, retired?.credentialId]).toEqual(['OUTCOME_INVALID', key.id]);
  return { ...key, retiredId: retired?.id ?? '' };
}

const now = Date.now();

interface Calls {
  readonly retiredId: string;
  readonly requests: number;
  readonly at?: number;
  readonly addresses?: string[];
}

const record = (batchId: string, calls: readonly Calls[]) =>
  platform.usageRpc.RecordRetiredCalls(
    {
      batchId,
      calls: calls.map(({ at: lastAtUnixMs = now, addresses = ['192.0.2.1'], ...rest }) => ({
        ...rest,
        lastAtUnixMs,
        addresses,
      })),
    },
    { deadlineMs: 30_000 },
  );

const stored = (limitId: string) =>
  platform.sql(
    `SELECT calls::int, addresses, (extract(epoch FROM last_call_at) * 1000)::float8 AS at
     FROM retired_strings WHERE limit_id = $1 ORDER BY retired_at`,
    [limitId],
  );

test('calls of a batch are added once, even if it is sent repeatedly and concurrently', async () => {
  const { id, retiredId } = await rotatedKey();
  const batchId = randomUUID();
  await Promise.all(Array.from({ length: 6 }, () => record(batchId, [{ retiredId, requests: 5 }])));
  await record(batchId, [{ retiredId, requests: 5 }]);
  expect(await stored(id)).toMatchObject([{ calls: 5 }]);
});

test('calls of many gateways with the same strings add up, regardless of their order', async () => {
  const keys = await Promise.all(Array.from({ length: 10 }, rotatedKey));
  const calls = keys.map(({ retiredId }) => ({ retiredId, requests: 1 }));
  const batches = Array.from({ length: 20 }, (_, i) => (i % 2 ? calls : calls.toReversed()));
  await Promise.all(batches.map((batch) => record(randomUUID(), batch)));
  for (const { id } of keys) expect(await stored(id)).toMatchObject([{ calls: 20 }]);
});

test('the last call is the latest one, with the three latest addresses, regardless of the order of reports', async () => {
  const { id, retiredId } = await rotatedKey();
  const at = (secondsAgo: number, ...addresses: string[]) =>
    record(randomUUID(), [{ retiredId, requests: 1, at: now - secondsAgo * 1_000, addresses }]);
  await at(20, '192.0.2.2', '192.0.2.3');
  await at(10, '192.0.2.1', '192.0.2.2');
  await at(30, '192.0.2.4');
  const addresses = ['192.0.2.1', '192.0.2.2', '192.0.2.3'];
  expect(await stored(id)).toEqual([{ calls: 3, addresses, at: now - 10_000 }]);
});

test('each old string of a key is known by itself, and none of them without a hash', async () => {
  const first = await platform.createKey();
  const second = await platform.rotateKey(first);
  const third = await platform.rotateKey(first);
  await platform.deleteKey(first);
  const ids = new Set<string | undefined>();
  for (const { keyString } of [first, second, third]) {
    const { retired } = await platform.authorize(keyString);
    expect(retired).toMatchObject({ businessId: first.businessId, limitId: first.id });
    ids.add(retired?.id);
  }
  expect(ids.size).toBe(3);
  const rows = await platform.sql<{ reason: string; row: string }>(
    'SELECT reason, r::text AS row FROM retired_strings r WHERE limit_id = $1 ORDER BY retired_at',
    [first.id],
  );
  expect(rows.map(({ reason }) => reason)).toEqual(['rotated', 'rotated', 'deleted']);
  for (const { keyString } of [first, second, third]) {
    expect(rows.some(({ row }) => row.includes(keyString.slice(3)))).toBe(false);
  }
});
