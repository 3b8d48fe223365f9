import { expect, test } from '@jest/globals';
import { expectEventually } from '../harness/expect-eventually.ts';
import { request } from '../harness/http-request.ts';
import { startIdentityPlatform } from '../harness/identity-platform.ts';
import { running } from '../harness/running.ts';
import type { TestService } from '../harness/service.ts';

const platform = running(startIdentityPlatform);

/** Equal numbers of expired and current rows: `ages` has one of each age, `n` times. */
const tables: Readonly<Record<string, { readonly rows: number; readonly insert: string }>> = {
  usage_batches: {
    rows: 2_500,
    insert: `(batch_id, received_at) SELECT gen_random_uuid(), now() - age FROM ages('61 minutes', '30 minutes')`,
  },
  usage_counts: {
    rows: 1_500,
    insert: `SELECT 'key_' || n || age, now() - age, 'secret_key', 7, 1, 0, 0, 0 FROM ages('98 days', '89 days')`,
  },
  usage_hours: {
    rows: 10,
    insert: `SELECT 7, now() - age, 'key_' || n, 1, 0, 0, 0 FROM ages('99 days', '90 days')`,
  },
  usage_addresses: {
    rows: 10,
    insert: `SELECT 'key_' || n, now() - age, '192.0.2.1', 7, 1, 1, now() - age FROM ages('32 days', '29 days')`,
  },
  usage_endpoints: {
    rows: 10,
    insert: `SELECT 'key_' || n, now() - age, 'GET', '/v2/order', 7, 1 FROM ages('32 days', '29 days')`,
  },
  canary_checks: {
    rows: 10,
    insert: `SELECT gen_random_uuid(), now() - age FROM ages('49 hours', '47 hours')`,
  },
  promise_days: {
    rows: 10,
    insert: `(day, promise, checks, violations, times, last_at)
      SELECT (now() - age)::date, 'p' || n, 1, 0, '{}', now() - age FROM ages('92 days', '89 days')`,
  },
  promise_violations: {
    rows: 10,
    insert: `(at, promise, gateway, request_id, what)
      SELECT now() - age, 'revocation', 'g', 'r', 'w' FROM ages('91 days', '89 days')`,
  },
  revocation_days: {
    rows: 10,
    insert: `SELECT n, (now() - age)::date, 1, 0, 1 FROM ages('32 days', '29 days')`,
  },
  retired_strings: {
    rows: 10,
    insert: `(hash, business_id, credential_type, credential_id, limit_id, name, reason, retired_at)
      SELECT sha256((n || ' ' || age)::bytea), 7, 'secret_key', 'key_1', 'key_1', 'Till', 'rotated', now() - age
      FROM ages('91 days', '89 days')`,
  },
  limit_observations: {
    rows: 10,
    insert: `SELECT 'key_' || n || age, 7, 1, now() - age FROM ages('121 minutes', '90 minutes')`,
  },
  request_records: {
    rows: 1_500,
    insert: `(id, at, received_at, business_id, method, path, route, status, client_ip)
      SELECT gen_random_uuid(), now() - age, now() - age, 7, 'GET', '/', 'none', 404, '192.0.2.1'
      FROM ages('169 hours', '167 hours')`,
  },
};

const sql = (text: string, values: unknown[] = []) => platform.sql<{ count: number }>(text, values);
const left = (table: string, condition = 'true') =>
  sql(`SELECT count(*)::int FROM ${table} WHERE ${condition}`);

const metricsOf = async ({ ports }: TestService) => (await request(ports.ops ?? 0, 'GET', '/metrics')).text;

test('expired rows are purged in batches, the rest stays, and metrics show it', async () => {
  await sql(`
    CREATE FUNCTION ages(older interval, newer interval, rows int) RETURNS TABLE (age interval, n int)
    LANGUAGE sql AS 'SELECT age, n FROM unnest(ARRAY[older, newer]) AS age, generate_series(1, rows) AS n'`);
  for (const [table, { rows, insert }] of Object.entries(tables)) {
    await sql(`INSERT INTO ${table} ${insert.replace(/ages\((.*)\)/, `ages($1, ${rows})`)}`);
  }
  const key = await platform.createKey();
  await sql(`INSERT INTO scope_uses SELECT id, 'orders:read', now() - interval '1 year'
    FROM unnest(ARRAY['key_gone', '${key.id}']) AS id`);
  await sql(`
    INSERT INTO request_log (id, at, received_at, business_id, method, path, route, status, client_ip)
    SELECT gen_random_uuid(), now() - age, now() - age, NULL, 'GET', '/unknown', 'none', 401, '192.0.2.1'
    FROM ages('25 hours', '23 hours', 10)`);
  // Housekeeping runs every minute, and first when a replica starts.
  const replica = await platform.addReplica({});
  await expectEventually(
    async () => {
      for (const [table, { rows }] of Object.entries(tables)) {
        const condition = table === 'request_records' ? 'business_id = 7' : 'true';
        expect([table, await left(table, condition)]).toEqual([table, [{ count: rows }]]);
      }
      expect(await left('request_records', 'business_id IS NULL')).toEqual([{ count: 10 }]);
      expect(await sql('SELECT limit_id FROM scope_uses')).toEqual([{ limit_id: key.id }]);
      const metrics = await Promise.all([...platform.replicas, replica].map(metricsOf));
      const purged = metrics.map((text) =>
        /^identity_purged_rows_total\{.*"usage_batches".*\} (\d+)$/m.exec(text),
      );
      expect(purged.reduce((sum, found) => sum + Number(found?.[1] ?? 0), 0)).toBe(2_500);
      for (const table of ['usage_counts', 'request_records']) {
        expect(metrics.at(-1)).toMatch(
          new RegExp(`^identity_table_bytes\\{.*"${table}".*\\} [1-9]\\d+$`, 'm'),
        );
      }
    },
    { withinMs: 30_000 },
  );
});
