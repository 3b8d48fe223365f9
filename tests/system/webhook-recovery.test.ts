import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { call } from '../harness/applications.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { openClient, query } from '../harness/postgres.ts';
import { connectWebhooks, type Webhooks } from '../harness/webhooks.ts';

/* An endpoint that has missed very many deliveries is enabled, and they are sent again. */

const missed = 200_000;

let platform: Platform;
let webhooks: Webhooks;
let reference: { readonly owner: object; readonly endpointId: string };
const sql = <Row extends Record<string, unknown>>(text: string, values: unknown[] = []) =>
  query<Row>(platform.databases.webhook ?? '', text, values);
beforeAll(async () => {
  platform = await startPlatform({ webhooks: 1, webhookEnv: { PURGE_INTERVAL_MS: '3600000' } });
  webhooks = connectWebhooks(platform);
  const owner = { businessId: await platform.createVerifiedBusiness('shop'), applicationId: '' };
  const { id } = await webhooks.createEndpoint(owner, 'http://127.0.0.1:9/hook', ['order.created']);
  reference = { owner, endpointId: id };
  await webhooks.endpointRpc.DisableEndpoint(reference, call);
  // Without their bodies, which are of no account here.
  const client = await openClient(platform.databases.webhook ?? '');
  await client.query('SET session_replication_role = replica');
  await client.query(
    `INSERT INTO deliveries (id, endpoint_id, event_id, previous, status, created_at, finished_at)
     SELECT 'dlv_' || n, $1, 'evt_' || n, 0, 'skipped', moment, moment
     FROM generate_series(1, $2::int) AS n, LATERAL (SELECT now() - interval '1 day' + n / 3 * interval '1 ms' AS moment)`,
    [id, missed],
  );
  await client.end();
  await sql('ANALYZE deliveries');
});
afterAll(async () => {
  webhooks.close();
  await platform.close();
});

/** Rows of deliveries that statements have read. */
const rowsRead = async () => {
  const [row] = await sql<{ read: number }>(
    `SELECT (seq_tup_read + idx_tup_fetch)::float8 AS read FROM pg_stat_user_tables WHERE relname = 'deliveries'`,
  );
  return row?.read ?? 0;
};

const enable = () => webhooks.endpointRpc.EnableEndpoint(reference, call);

test('is enabled with at least how many it has missed', async () => {
  const { endpoint, recoverable } = await enable();
  expect([endpoint?.enabled, recoverable]).toEqual([true, 100_000]);
});

test('all of them become pending, and none is read again for each batch', async () => {
  await enable();
  // None is sent meanwhile.
  await sql(`UPDATE endpoints SET paused_until = now() + interval '1 hour'`);
  const before = await rowsRead();
  const request = { ...reference, sinceUnixMs: 0 };
  await webhooks.deliveryRpc.RecoverDeliveries(request, call);
  await expectEventually(
    async () =>
      expect(await sql('SELECT total, requeued FROM recoveries')).toEqual([
        { total: missed, requeued: missed },
      ]),
    { withinMs: 60_000 },
  );
  expect((await rowsRead()) - before).toBeLessThan(20 * missed);
});
