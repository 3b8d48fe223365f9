import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../harness/eventually.ts';
import { request } from '../harness/http-request.ts';
import { type IdentityPlatform, startIdentityPlatform } from '../harness/identity-platform.ts';

let platform: IdentityPlatform;
beforeAll(async () => {
  platform = await startIdentityPlatform();
});
afterAll(() => platform.close());

test('what is over is purged in batches, the rest stays, and metrics tell', async () => {
  await platform.sql(`
    INSERT INTO usage_batches (batch_id, received_at)
    SELECT gen_random_uuid(), now() - age FROM unnest(ARRAY[interval '61 minutes', interval '59 minutes']) AS age,
           generate_series(1, 2500)`);
  await platform.sql(`
    INSERT INTO usage_counts
    SELECT 'key_' || n || age, now() - age, 'secret_key', 7, 1, 0, 0, 0
    FROM unnest(ARRAY[interval '91 days', interval '89 days']) AS age, generate_series(1, 1500) AS n`);
  // Housekeeping runs every minute, and first when a replica starts.
  const replica = await platform.addReplica({});
  const left = (table: string) => platform.sql(`SELECT count(*)::int FROM ${table}`);
  await eventually(
    async () => {
      expect(await left('usage_batches')).toEqual([{ count: 2_500 }]);
      expect(await left('usage_counts')).toEqual([{ count: 1_500 }]);
      const { text } = await request(replica.ports.ops ?? 0, 'GET', '/metrics');
      expect(text).toMatch(/^identity_purged_rows_total\{.*table="usage_batches".*\} 2500$/m);
      expect(text).toMatch(/^identity_table_bytes\{.*table="usage_counts".*\} [1-9]\d+$/m);
    },
    { withinMs: 10_000 },
  );
});
