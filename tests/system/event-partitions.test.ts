import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { migrate } from '@platform/service-kit/database/migrate.ts';
import { createLogger } from '@platform/service-kit/telemetry/logger.ts';
import {
  type BusinessPlatform,
  orderBody,
  signPassport,
  startBusinessPlatform,
} from '../harness/business-platform.ts';
import { feedPage, readFeed } from '../harness/event-feed.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { metricOf, metricsOf } from '../harness/metrics.ts';
import { createOwnedDatabase, type OwnedDatabase } from '../harness/owned-database.ts';
import { createDatabase, openClient, query } from '../harness/postgres.ts';
import { runDirectory } from '../harness/run-directory.ts';

/*
 * Promise: an event is kept for the days of EVENT_RETENTION_DAYS and ends with the partition of its day, and readers see no gap:
 * what is left follows each other, and a position before it is 410. The service runs as a role that owns no table. Time passes in
 * these tests by partitions that the owner makes by hand, and by rows that are moved to an earlier day.
 */

let urls: OwnedDatabase;
let platform: BusinessPlatform;
const often = { PURGE_INTERVAL_MS: '500' };
beforeAll(async () => {
  urls = await createOwnedDatabase();
  const env = { ...often, MIGRATION_DATABASE_URL: urls.owner };
  platform = await startBusinessPlatform({ databaseUrl: urls.runner, replicas: 2, env });
  await query(urls.owner, 'DROP TABLE events_first');
});
afterAll(() => platform?.close());

/** The beginning of the day that many days ago, in SQL. */
const day = (ago: number) => `(date_trunc('day', now(), 'UTC') - interval '${ago} days')`;

/** Makes the partition of a past day, and moves events of a business to its end: at once, so that no replica drops one meanwhile. */
async function age(url: string, businessId: number, ages: Readonly<Record<number, readonly number[]>>) {
  const client = await openClient(url);
  await client.query("BEGIN; SET LOCAL session_replication_role = 'replica'");
  for (const [ago, sequences] of Object.entries(ages)) {
    await client.query(
      `DO $$ BEGIN EXECUTE format('CREATE TABLE IF NOT EXISTS events_past_${ago} PARTITION OF events FOR VALUES FROM (%L) TO (%L)',
         ${day(Number(ago))}, ${day(Number(ago) - 1)}); END $$`,
    );
    await client.query(
      `UPDATE events SET created_at = ${day(Number(ago) - 1)} - interval '1 ms'
       WHERE business_id = $1 AND sequence = ANY ($2)`,
      [businessId, sequences],
    );
  }
  await client.query('COMMIT');
  await client.end();
}

/** A business with three events of its verification and as many orders, and reads of its feed. */
async function newBusiness(of = platform) {
  const businessId = await of.businesses.createVerifiedBusiness('events');
  const passport = await signPassport(businessId);
  const get = (query = '') => of.call('GET', `/events?${query}`, { passport });
  const post = () => of.call('POST', '/order', { passport, body: orderBody });
  for (let count = 0; count < 3; count++) await post();
  const after = async (limit: number) => feedPage(await get(`limit=${limit}`)).next_cursor;
  return { businessId, get, post, cursors: [await after(1), await after(2), await after(3)] as const };
}

const partitions = async (url = urls.owner) => {
  const rows = await query<{ name: string }>(
    url,
    "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'events'::regclass",
  );
  return rows.map(({ name }) => name);
};

test('a new database has partitions for the next days, and an event is in that of its day', async () => {
  const { businessId } = await newBusiness();
  await expectEventually(
    async () => {
      const [service] = platform.services;
      const ahead = await metricOf(service, 'business_partitions_ahead_seconds', { table: 'events' });
      expect(ahead).toBeGreaterThan(2 * 86_400);
    },
    { withinMs: 10_000 },
  );
  const names = await query<{ name: string }>(
    urls.owner,
    `SELECT DISTINCT tableoid::regclass::text AS name FROM events
     WHERE business_id = $1 AND tableoid::regclass::text = 'events_' || to_char(created_at, 'YYYYMMDD')`,
    [businessId],
  );
  expect(names).not.toEqual([]);
  expect(await partitions()).toEqual(expect.arrayContaining(names.map(({ name }) => name)));
});

test('events end with their day: two replicas drop its partition once, and what is left has no gap', async () => {
  const { businessId, get, cursors } = await newBusiness();
  await age(urls.admin, businessId, { 31: [1, 2], 30: [3], 29: [4] });
  await expectEventually(
    async () => {
      expect(await partitions()).not.toContain('events_past_31');
      const of = { table: 'events' };
      const dropped = await Promise.all(
        platform.services.map((each) => metricOf(each, 'business_dropped_partitions_total', of)),
      );
      expect(dropped.reduce<number>((sum, value) => sum + (value ?? 0), 0)).toBe(1);
      expect(await metricOf(platform.services[0], 'business_partitions_overdue', of)).toBe(0);
    },
    { withinMs: 20_000 },
  );
  expect(await partitions()).toEqual(expect.arrayContaining(['events_past_30', 'events_past_29']));
  const { events } = await readFeed(get, 'limit=1');
  expect(events.map(({ sequence, previous }) => [sequence, previous])).toEqual([
    [3, 0],
    [4, 3],
    [5, 4],
    [6, 5],
  ]);
  expect((await readFeed(get, 'limit=2', cursors[1])).events.map(({ sequence }) => sequence)).toEqual([
    3, 4, 5, 6,
  ]);
  const gone =
    '{"error":"after: events after this cursor are older than 30 days","status":"Gone","code":410}';
  for (const query of ['', '&types=order.created', '&wait=30']) {
    const response = await get(`after=${cursors[0]}${query}`);
    expect([response.status, response.text]).toEqual([410, gone]);
  }
  const text = await metricsOf(platform.services[0]);
  expect(text).toMatch(/^business_table_bytes\{[^}]*table="events"[^}]*\} [1-9]\d+$/m);
  expect(text).not.toMatch(/table="events_\w+"/);
});

test('a feed whose every event is gone is empty, and goes on where it ended', async () => {
  const { businessId, get, post, cursors } = await newBusiness();
  const { cursor: end } = await readFeed(get, '');
  await age(urls.admin, businessId, { 32: [1, 2, 3, 4, 5, 6] });
  await expectEventually(async () => expect(await partitions()).not.toContain('events_past_32'), {
    withinMs: 20_000,
  });
  expect(feedPage(await get())).toEqual({ data: [], next_cursor: end });
  expect(feedPage(await get(`after=${end}`)).data).toEqual([]);
  expect((await get(`after=${cursors[2]}`)).status).toBe(410);
  await post();
  expect(feedPage(await get(`after=${end}`)).data).toMatchObject([{ sequence: 7 }]);
});

test('EVENT_RETENTION_DAYS decides how long events are kept', async () => {
  const databaseUrl = await createDatabase('business-service');
  await query(databaseUrl, 'DROP TABLE events_first');
  const env = { ...often, EVENT_RETENTION_DAYS: '2' };
  const short = await startBusinessPlatform({ databaseUrl, env });
  try {
    const { businessId, get, cursors } = await newBusiness(short);
    await age(databaseUrl, businessId, { 3: [1, 2], 2: [3] });
    await expectEventually(async () => expect(await partitions(databaseUrl)).not.toContain('events_past_3'), {
      withinMs: 20_000,
    });
    expect((await readFeed(get, '')).events.map(({ sequence }) => sequence)).toEqual([3, 4, 5, 6]);
    expect((await get(`after=${cursors[0]}`)).text).toContain('are older than 2 days');
  } finally {
    await short.close();
  }
});

test('the running role owns nothing: it can neither drop a day that is kept nor lift the trigger', async () => {
  const [today = ''] = (await partitions()).filter((name) => /_\d{8}$/.test(name));
  for (const statement of [
    `DROP TABLE ${today}`,
    `TRUNCATE ${today}`,
    `ALTER TABLE events DETACH PARTITION ${today}`,
    'ALTER TABLE events DISABLE TRIGGER USER',
    'ALTER TABLE events_default DISABLE TRIGGER USER',
    "SELECT keep_partitions('businesses', 30)",
    "SELECT keep_partitions('events', 0)",
  ]) {
    await expect(query(urls.runner, statement)).rejects.toThrow(
      /must be owner|permission denied|does not know the table/,
    );
  }
  await expect(query(urls.runner, `DELETE FROM ${today}`)).rejects.toThrow('append-only');
});

describe('without concurrent retention', () => {
  beforeAll(() => Promise.all(platform.services.map((service) => service.stop())));

  const keep = async () => {
    const [kept] = await query(urls.runner, "SELECT * FROM keep_partitions('events', 30)");
    return kept;
  };
  const insert = (businessId: number, count: number, at: string) =>
    query(
      urls.runner,
      `INSERT INTO events (business_id, sequence, id, type, payload, created_at)
       SELECT $1, n, 'evt_' || n, 'order.updated', '{}', ${at} FROM generate_series(1, $2::int) AS n`,
      [businessId, count],
    );
  const where = (businessId: number) =>
    query(
      urls.owner,
      'SELECT tableoid::regclass::text AS name, count(*)::int FROM events WHERE business_id = $1 GROUP BY 1',
      [businessId],
    );

  test('rows of days without a partition move into it; days with too many of them end row by row', async () => {
    await keep();
    const days = (await partitions()).filter((name) => /_\d{8}$/.test(name)).sort();
    const [full, later] = [days.at(-2), days.at(-1)];
    for (const name of [full, later]) await query(urls.owner, `DROP TABLE ${name}`);
    const at = (name = '') => `'${name.slice(-8)} 12:00:00Z'::timestamptz`;
    await insert(900_001, 10_001, at(full));
    await insert(900_002, 3, at(later));
    expect(await keep()).toEqual({ made: 1, dropped: 0, waits: false });
    expect(await where(900_001)).toEqual([{ name: 'events_default', count: 10_001 }]);
    expect(await where(900_002)).toEqual([{ name: later, count: 3 }]);
    for (const id of [900_001, 900_002]) {
      await expect(query(urls.runner, 'DELETE FROM events WHERE business_id = $1', [id])).rejects.toThrow(
        'append-only',
      );
    }
    await insert(900_003, 10_002, `${day(40)}`);
    await keep();
    expect(await where(900_003)).toEqual([{ name: 'events_default', count: 2 }]);
    await keep();
    expect(await where(900_003)).toEqual([]);
    expect(await where(900_001)).toEqual([{ name: 'events_default', count: 10_001 }]);
  });
});

test('rows from before there were partitions become the first one, beside the release before, and end with it', async () => {
  const url = await createDatabase();
  const all = join(import.meta.dirname, '../../business-service/prisma/migrations');
  const before = runDirectory().newDirectory('migrations');
  const names = readdirSync(all).filter((name) => name < '20261129150000' || name.endsWith('.toml'));
  for (const name of names) cpSync(join(all, name), join(before, name), { recursive: true });
  const logger = createLogger({ service: 'test', level: 'silent' });
  await migrate({ databaseUrl: url, directory: before, logger });
  await query(
    url,
    `INSERT INTO businesses (id, unique_id, account_holder, logo, username, created_at)
     VALUES (900, 'biz_900', 'Tea', '', 'old-tea', now())`,
  );
  await query(url, 'INSERT INTO business_counters (business_id, last_event_sequence) VALUES (900, 5)');
  // As the release before inserts them.
  const insert = (sequence: number, at: string) =>
    query(
      url,
      `INSERT INTO events (business_id, sequence, id, type, payload, created_at) VALUES (900, $1::int, 'evt_' || $1::int, 'order.updated', $2, ${at})`,
      [
        sequence,
        JSON.stringify({ id: 'ord_1', customer: { name: 'Ada', email: 'ada@example.com' }, metadata: {} }),
      ],
    );
  for (const [index, ago] of [400, 31, 1].entries()) await insert(index + 1, day(ago));
  await migrate({ databaseUrl: url, directory: all, logger });
  await insert(4, 'now()');
  await insert(5, day(-20));
  const rows = `SELECT tableoid::regclass::text AS name, sequence::int, payload #>> '{customer,name}' AS customer
    FROM events WHERE business_id = 900 ORDER BY sequence`;
  const stored = (customer: string) =>
    ['first', 'first', 'first', 'first', 'default'].map((name, index) => ({
      name: `events_${name}`,
      sequence: index + 1,
      customer,
    }));
  expect(await query(url, rows)).toEqual(stored('Ada'));
  const [bound] = await query(
    url,
    `SELECT pg_get_expr(relpartbound, oid) = format('FOR VALUES FROM (MINVALUE) TO (%L)', ${day(-7)}) AS "isAWeekAhead"
     FROM pg_class WHERE relname = 'events_first'`,
  );
  expect(bound).toEqual({ isAWeekAhead: true });
  await expect(query(url, 'DELETE FROM events')).rejects.toThrow('append-only');
  const service = await startBusinessPlatform({ databaseUrl: url, env: often });
  try {
    const passport = await signPassport(900);
    const get = (query = '') => service.call('GET', `/events?${query}`, { passport });
    expect(feedPage(await get()).data.map(({ sequence }) => sequence)).toEqual([3, 4, 5]);
    const erased = await service.call('DELETE', '/customers?email=ada@example.com', { passport });
    expect([erased.status, erased.json()]).toEqual([200, { orders: 0, events: 5 }]);
    expect(await query(url, rows)).toEqual(stored('Erased customer'));
    const old = Buffer.from('e1:900:1').toString('base64url');
    expect((await get(`after=${old}`)).status).toBe(410);
    await query(
      url,
      `WITH off AS (SELECT set_config('session_replication_role', 'replica', true))
       UPDATE events SET created_at = created_at - interval '40 days' FROM off WHERE sequence < 5`,
    );
    const client = await openClient(url);
    await client.query(
      `BEGIN; ALTER TABLE events DETACH PARTITION events_first;
       DO $$ BEGIN EXECUTE format('ALTER TABLE events ATTACH PARTITION events_first FOR VALUES FROM (MINVALUE) TO (%L)', ${day(30)}); END $$;
       COMMIT`,
    );
    await client.end();
    await expectEventually(
      async () => {
        expect(await partitions(url)).not.toContain('events_first');
        expect((await partitions(url)).length).toBeGreaterThan(3);
      },
      { withinMs: 20_000 },
    );
    expect(feedPage(await get()).data).toMatchObject([{ sequence: 5, previous: 0 }]);
  } finally {
    await service.close();
  }
});
