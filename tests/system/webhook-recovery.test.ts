import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventsOf } from '../harness/audit-events.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { failWrites } from '../harness/fail-writes.ts';
import { holdTable } from '../harness/hold-table.ts';
import { logLines } from '../harness/log-lines.ts';
import { call } from '../harness/patience.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { openClient, query } from '../harness/postgres.ts';
import { newOwner } from '../harness/registered-application.ts';
import { connectWebhooks, type Webhooks } from '../harness/webhooks.ts';

/* Very many deliveries: one that failed is found among them, and an endpoint that has missed all of them gets them again. */

const arrived = 20_000;
const missed = 120_000;

let platform: Platform;
let webhooks: Webhooks;
let owner: { readonly businessId: number; readonly applicationId: string };
const sql = <Row extends Record<string, unknown>>(text: string, values: unknown[] = []) =>
  query<Row>(platform.databases.webhook ?? '', text, values);
beforeAll(async () => {
  const webhookEnv = { PURGE_INTERVAL_MS: '3600000', ENDPOINT_INTERVAL_MS: '200' };
  platform = await startPlatform({ webhooks: 1, webhookEnv });
  webhooks = connectWebhooks(platform);
  owner = { businessId: await platform.createVerifiedBusiness('shop'), applicationId: '' };
});
afterAll(async () => {
  webhooks.close();
  await platform.close();
});

/** Creates an endpoint that is disabled, and resolves to its identifier. */
async function addDisabled(): Promise<string> {
  const { id } = await webhooks.createEndpoint(owner, 'http://127.0.0.1:9/hook', ['order.created']);
  await webhooks.endpointRpc.DisableEndpoint({ owner, endpointId: id }, call);
  return id;
}

/** Stores deliveries of an endpoint, three in each millisecond. */
async function insertDeliveries(endpointId: string, status: string, count: number): Promise<void> {
  const client = await openClient(platform.databases.webhook ?? '');
  await client.query('SET session_replication_role = replica');
  await client.query(
    `WITH bodies AS (
       INSERT INTO messages (event_id, previous, business_id, type, sequence, body)
       SELECT $1 || n, 0, 1, 'order.created', n, '{}' FROM generate_series(1, $3::int) AS n)
     INSERT INTO deliveries (id, endpoint_id, event_id, previous, status, created_at, finished_at)
     SELECT $1 || n, $1, $1 || n, 0, $2::delivery_status, moment, moment
     FROM generate_series(1, $3::int) AS n, LATERAL (SELECT now() - interval '1 day' + n / 3 * interval '1 ms' AS moment)`,
    [endpointId, status, count],
  );
  await client.end();
  await sql('ANALYZE deliveries, messages');
}

/** Rows of deliveries that statements have read. */
const rowsRead = async () => {
  const [row] = await sql<{ read: number }>(
    `SELECT (seq_tup_read + idx_tup_fetch)::float8 AS read FROM pg_stat_user_tables WHERE relname = 'deliveries'`,
  );
  return row?.read ?? 0;
};

/** Searches in the index of deliveries that can be recovered. */
const searches = async () => {
  const [row] = await sql<{ scans: number }>(
    `SELECT idx_scan::float8 AS scans FROM pg_stat_user_indexes WHERE indexrelname = 'deliveries_recoverable'`,
  );
  return row?.scans ?? 0;
};

test('failed deliveries are listed without reading the delivered ones', async () => {
  const endpointId = await addDisabled();
  await insertDeliveries(endpointId, 'delivered', arrived);
  await sql(`UPDATE deliveries SET status = 'failed' WHERE id = $1`, [`${endpointId}7`]);
  const [before, searched] = [await rowsRead(), await searches()];
  const filter = { endpointId, statuses: ['DELIVERY_STATUS_FAILED'] };
  // A connection counts its reads about once a second.
  await expectEventually(
    async () => {
      expect((await webhooks.deliveries(owner, filter)).deliveries).toMatchObject([{ id: `${endpointId}7` }]);
      expect(await searches()).toBeGreaterThan(searched);
    },
    { withinMs: 15_000 },
  );
  expect((await rowsRead()) - before).toBeLessThan(arrived);
});

test('deliveries of an owner are listed without reading those of other owners', async () => {
  const own = { businessId: await platform.createVerifiedBusiness('shop'), applicationId: '' };
  const { id } = await webhooks.createEndpoint(own, 'http://127.0.0.1:9/hook', ['order.created']);
  await insertDeliveries(id, 'delivered', 10);
  const [others, each] = [5, 4_000];
  for (let i = 0; i < others; i++) {
    const other = `${id}-${i}-`;
    await sql(
      `INSERT INTO endpoints (id, business_id, application_id, url, description, events, sealed_secrets)
       SELECT $2, $3, application_id, url, description, events, sealed_secrets FROM endpoints WHERE id = $1`,
      [id, other, 1_000_000 + i],
    );
    await insertDeliveries(other, 'delivered', each);
  }
  await sql('ANALYZE endpoints');
  const before = await rowsRead();
  // A connection counts its reads about once a second.
  await expectEventually(
    async () => {
      expect((await webhooks.deliveries(own)).deliveries).toHaveLength(10);
      await webhooks.endpointRpc.GetEndpoint({ owner: own, endpointId: id }, call);
      expect(await rowsRead()).toBeGreaterThan(before);
    },
    { withinMs: 15_000 },
  );
  expect((await rowsRead()) - before).toBeLessThan(others * each);
});

test('an endpoint with very many deliveries is deleted at once, and its deliveries in the background', async () => {
  const { person, dashboard } = await newOwner(platform);
  const owned = { businessId: person.businessId, applicationId: '' };
  const { id } = await webhooks.createEndpoint(owned, 'http://127.0.0.1:9/hook', ['order.created']);
  await insertDeliveries(id, 'delivered', arrived);
  await sql(
    `INSERT INTO attempts (delivery_id, number, started_at, duration_ms, outcome, response_start)
     SELECT id, 1, now(), 1, 'delivered', repeat('x', 200) FROM deliveries WHERE endpoint_id = $1`,
    [id],
  );
  // As long as another transaction holds one of them, no statement can delete all.
  const holder = await openClient(platform.databases.webhook ?? '');
  await holder.query('BEGIN');
  await holder.query('SELECT FROM deliveries WHERE id = $1 FOR UPDATE', [`${id}7`]);
  const response = await dashboard.own('DELETE', `/webhook-endpoints/${id}`);
  expect([response.status, response.text]).toEqual([204, '']);
  expect((await eventsOf(platform, id)).map(({ action }) => action)).toEqual(['webhook_endpoint.deleted']);
  expect((await webhooks.endpointRpc.ListEndpoints({ owner: owned }, call)).endpoints).toEqual([]);
  expect((await webhooks.deliveries(owned)).deliveries).toEqual([]);
  await holder.query('COMMIT');
  await holder.end();
  await expectEventually(
    async () => {
      expect(await sql('SELECT 1 FROM deliveries WHERE endpoint_id = $1 LIMIT 1', [id])).toEqual([]);
      expect(await sql('SELECT 1 FROM endpoints WHERE id = $1', [id])).toEqual([]);
    },
    { withinMs: 5_000 },
  );
});

test('an endpoint is changed, also when its deliveries cannot be counted', async () => {
  const reference = { owner, endpointId: await addDisabled() };
  const held = await holdTable(platform.databases.webhook ?? '', 'deliveries');
  const rotation = webhooks.endpointRpc.RotateSecret({ ...reference, endOld: true }, call);
  const rotated = await rotation.finally(held.release);
  const { secret } = await webhooks.endpointRpc.RevealSecret(reference, call);
  expect(rotated).toMatchObject({ secret, endpoint: { id: reference.endpointId, pending: 0 } });
});

test('an endpoint is changed, and a test event stored, also while the queue does not respond', async () => {
  const reference = { owner, endpointId: await addDisabled() };
  const held = await holdTable(platform.databases.webhook ?? '', 'pgboss.job');
  const changes = async () => [
    (await webhooks.endpointRpc.EnableEndpoint(reference, call)).endpoint?.enabled,
    (await webhooks.deliveryRpc.SendTestEvent({ ...reference, type: 'order.paid', data: '' }, call)).delivery
      ?.status,
    (await webhooks.endpointRpc.DisableEndpoint(reference, call)).endpoint?.enabled,
  ];
  const changed = await changes().finally(held.release);
  expect(changed).toEqual([true, 'DELIVERY_STATUS_PENDING', false]);
});

test('a delivery with very many attempts is shown with the latest ones', async () => {
  const endpointId = await addDisabled();
  await insertDeliveries(endpointId, 'failed', 1);
  const deliveryId = `dlv_${'0'.repeat(20)}`;
  await sql('UPDATE deliveries SET id = $2 WHERE id = $1', [`${endpointId}1`, deliveryId]);
  const attempts = 400;
  // With all of them, the response would be larger than a message between services may be.
  await sql(
    `INSERT INTO attempts (delivery_id, number, started_at, duration_ms, outcome, status, response_start)
     SELECT $1, n, now(), 1, 'refused', 500, repeat('x', 4096) FROM generate_series(1, $2::int) AS n`,
    [deliveryId, attempts],
  );
  const { attempts: shown } = await webhooks.deliveryRpc.GetDelivery({ owner, deliveryId }, call);
  expect(shown.map(({ number }) => number)).toEqual(
    Array.from({ length: 50 }, (_, index) => attempts - 49 + index),
  );
});

test('a recovery that fails is logged, and repeated for longer than an outage lasts', async () => {
  const own = { businessId: await platform.createVerifiedBusiness('shop'), applicationId: '' };
  const { id: endpointId } = await webhooks.createEndpoint(own, 'http://127.0.0.1:9/hook', ['order.created']);
  await insertDeliveries(endpointId, 'failed', 10);
  await sql(`UPDATE endpoints SET paused_until = now() + interval '1 hour' WHERE id = $1`, [endpointId]);
  const restore = await failWrites(platform.databases.webhook ?? '', 'deliveries', '53100');
  await webhooks.deliveryRpc.RecoverDeliveries({ owner: own, endpointId, sinceUnixMs: 0 }, call);
  const failures = () => platform.webhooks.flatMap(logLines).filter(({ msg }) => msg === 'recovery failed');
  await expectEventually(() => expect(failures()).not.toEqual([]), { withinMs: 5_000 }).finally(restore);
  // Five seconds lie between two tries.
  const [job] = await sql<{ tries: number }>(
    `SELECT retry_limit AS tries FROM pgboss.job WHERE name = 'recoveries' AND data->>'endpointId' = $1`,
    [endpointId],
  );
  expect(job?.tries).toBeGreaterThan(500);
  const pending = async () =>
    (await webhooks.endpointRpc.GetEndpoint({ owner: own, endpointId }, call)).endpoint?.pending;
  await expectEventually(async () => expect(await pending()).toBe(10), { withinMs: 15_000 });
});

test('recoveries that another process has left behind run one after the other without a pause', async () => {
  await sql(
    `INSERT INTO pgboss.job (name, data, retry_limit)
     SELECT 'recoveries', jsonb_build_object('endpointId', 'left ' || n, 'sinceMs', 0, 'untilMs', 1), 1 FROM generate_series(1, 30) n`,
  );
  // One in each poll would take two minutes and a half.
  const waiting = `SELECT 1 FROM pgboss.job WHERE name = 'recoveries' AND state <> 'completed' AND data->>'endpointId' LIKE 'left %'`;
  await expectEventually(async () => expect(await sql(waiting)).toEqual([]), { withinMs: 15_000 });
});

describe('an endpoint that has missed very many deliveries', () => {
  let reference: { readonly owner: object; readonly endpointId: string };
  beforeAll(async () => {
    reference = { owner, endpointId: await addDisabled() };
    await insertDeliveries(reference.endpointId, 'skipped', missed);
  });

  const enable = () => webhooks.endpointRpc.EnableEndpoint(reference, call);

  test('returns a lower bound of the number of missed deliveries when it is enabled', async () => {
    const { endpoint, recoverable } = await enable();
    expect([endpoint?.enabled, recoverable]).toEqual([true, 100_000]);
  });

  test('has all of them pending after a recovery, without reading each again for every batch', async () => {
    await enable();
    // None is sent meanwhile.
    await sql(`UPDATE endpoints SET paused_until = now() + interval '1 hour'`);
    const before = await rowsRead();
    const request = { ...reference, sinceUnixMs: 0 };
    await webhooks.deliveryRpc.RecoverDeliveries(request, call);
    const recovery = 'SELECT total, requeued FROM recoveries WHERE endpoint_id = $1';
    await expectEventually(
      async () =>
        expect(await sql(recovery, [reference.endpointId])).toEqual([{ total: missed, requeued: missed }]),
      { withinMs: 60_000 },
    );
    expect((await rowsRead()) - before).toBeLessThan(20 * missed);
    // All of them would be counted after each change of the endpoint.
    const { endpoint } = await webhooks.endpointRpc.GetEndpoint(reference, call);
    expect(endpoint?.pending).toBe(100_000);
  });
});
