import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { migrate } from '@platform/service-kit/database/migrate.ts';
import { createLogger } from '@platform/service-kit/telemetry/logger.ts';
import type pg from 'pg';
import { expectEventually } from '../harness/expect-eventually.ts';
import { type IdentityPlatform, startIdentityPlatform } from '../harness/identity-platform.ts';
import { metricOf, metricsOf } from '../harness/metrics.ts';
import { createOwnedDatabase } from '../harness/owned-database.ts';
import { createDatabase, openClient, query } from '../harness/postgres.ts';
import type { TestService } from '../harness/service.ts';

/*
 * Promise: usage is kept in partitions by time. Housekeeping makes them ahead and drops those whose time has passed, as a role that
 * owns no table. Time passes in these tests by partitions that the owner makes by hand.
 */

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** A row of each partitioned table at the time `at`, of the key `n`. */
const tables = {
  usage_counts: { row: "'key_' || n, at, 'secret_key', 7, 1, 0, 0, 0", unit: 'week', keptDays: 90 },
  usage_hours: { row: "7, at, 'key_' || n, 1, 0, 0, 0", unit: 'week', keptDays: 91 },
  usage_addresses: { row: "'key_' || n, at, '192.0.2.1', 7, 1, 1, at", unit: 'day', keptDays: 30 },
  usage_endpoints: { row: "'key_' || n, at, 'GET', '/v2/order', 7, 1", unit: 'day', keptDays: 30 },
} as const;
type Table = keyof typeof tables;
const tableNames = Object.keys(tables).filter((name): name is Table => name in tables);

let platform: IdentityPlatform;
/** URLs of one database: of the role that owns its tables, and of the one that identity-service runs as. */
const urls = { owner: '', runner: '' };
let user: pg.Client;
let replica: pg.Client;
/** Before the first database was made. */
const beganAt = Date.now();
beforeAll(async () => {
  Object.assign(urls, await createOwnedDatabase());
  platform = await startIdentityPlatform({
    replicas: 2,
    createDatabase: async () => urls.runner,
    env: { MIGRATION_DATABASE_URL: urls.owner },
  });
  user = await openClient(urls.owner);
  replica = await openRunner();
});
afterAll(async () => {
  await user?.end();
  await replica?.end();
  await platform?.close();
});

/** A connection as the running role, with the limit of every statement of a service. */
async function openRunner(): Promise<pg.Client> {
  const client = await openClient(urls.runner);
  await client.query("SET statement_timeout = '2s'");
  return client;
}

const at = (fromNowMs: number, now = Date.now()) => new Date(now + fromNowMs).toISOString();

const inserting = (table: Table) =>
  `INSERT INTO ${table} SELECT ${tables[table].row} FROM unnest($1::timestamptz[]) WITH ORDINALITY AS rows (at, n)`;
const insert = (table: Table, times: readonly string[], url = urls.runner) =>
  query(url, inserting(table), [times]);

interface PartitionRows {
  readonly name: string;
  readonly count: number;
}
const countOf = (table: Table) =>
  `SELECT tableoid::regclass::text AS name, count(*)::int FROM ${table} GROUP BY 1`;
const countsByName = (rows: readonly PartitionRows[]): Readonly<Record<string, number>> =>
  Object.fromEntries(rows.map(({ name, count }) => [name, count]));

/** Rows by the partition that they are in. */
const rowsOf = async (table: Table, url = urls.owner) =>
  countsByName(await query<PartitionRows>(url, countOf(table)));

/** Partitions of a table in their order, without the first and the default one. */
async function partitionsOf(table: Table): Promise<readonly string[]> {
  const rows = await query<{ name: string }>(
    urls.owner,
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = $1::regclass
     AND inhrelid::regclass::text ~ '_[0-9]+$' ORDER BY 1`,
    [table],
  );
  return rows.map(({ name }) => name);
}

/** Makes a partition by hand. */
const made = (table: Table, suffix: string, from: string, to: string) =>
  `CREATE TABLE ${table}_${suffix} PARTITION OF ${table} FOR VALUES FROM ('${from}') TO ('${to}')`;
const make = (...partition: Parameters<typeof made>) => query(urls.owner, made(...partition));

/** Makes a partition whose period has passed, and one that reaches into it: at once, so that no replica drops one meanwhile. */
async function makeOld(table: Table): Promise<void> {
  const kept = tables[table].keptDays * dayMs;
  const [begin, end, next] = [at(-kept - 20 * hourMs), at(-kept - hourMs), at(-kept + hourMs)];
  const times = [at(-kept - 3 * hourMs), at(-kept - 30 * 60_000), at(-kept + 30 * 60_000)];
  await user.query(`BEGIN; ${made(table, 'old', begin, end)}; ${made(table, 'next', end, next)}`);
  await user.query(inserting(table), [times]);
  const { rows } = await user.query(countOf(table));
  await user.query('COMMIT');
  expect(countsByName(rows)).toMatchObject({ [`${table}_old`]: 1, [`${table}_next`]: 2 });
}

/** One round of housekeeping for a table, as the running role. */
async function keep(table: Table, client = replica) {
  const { rows } = await client.query('SELECT made, dropped, waits FROM keep_partitions($1)', [table]);
  return rows[0];
}

const daysAhead = (table: Table) => (tables[table].unit === 'week' ? [0, 7] : [0, 1, 2, 3]);

/** Names of the partitions that there are at the least at a time. */
async function namesAt(table: Table, now: number): Promise<readonly string[]> {
  const expected = await query<{ name: string }>(
    urls.owner,
    `SELECT $1 || to_char(date_trunc($2, $3::timestamptz + day * interval '1 day', 'UTC') AT TIME ZONE 'UTC', '"_"YYYYMMDD') AS name
     FROM unnest($4::int[]) AS day`,
    [table, tables[table].unit, at(0, now), daysAhead(table)],
  );
  return expected.map(({ name }) => name);
}

const today = () => at(0).slice(0, 10);

/** Makes the partitions that are due today. */
async function keepAhead(): Promise<void> {
  for (const table of tableNames) {
    await expectEventually(
      async () => {
        await keep(table);
        const [last] = (await namesAt(table, Date.now())).slice(-1);
        expect(await partitionsOf(table)).toContain(last);
      },
      { withinMs: 5_000 },
    );
  }
}

/** A test whose partitions belong to one day: when another one began meanwhile, it is run once more. */
const inOneDay = (run: () => Promise<void>) => async () => {
  const day = today();
  await keepAhead();
  try {
    await run();
  } catch (error) {
    if (today() === day) throw error;
    await keepAhead();
    await run();
  }
};

test('a new database has partitions in advance, and each row is stored in that of its time', async () => {
  for (const table of tableNames) {
    const partitions = await partitionsOf(table);
    // A day that began before the database was made, or since.
    const [first = ''] = await namesAt(table, beganAt);
    const now = partitions.includes(first) ? beganAt : Date.now();
    const names = await namesAt(table, now);
    expect(partitions).toEqual(expect.arrayContaining([...names]));
    await insert(
      table,
      [...daysAhead(table), -20, 60].map((day) => at(day * dayMs, now)),
    );
    expect(await rowsOf(table)).toEqual(
      Object.fromEntries([...names, `${table}_first`, `${table}_default`].map((name) => [name, 1])),
    );
  }
});

test('what is older than its period is dropped by two replicas, once, and its neighbour is not', async () => {
  for (const table of tableNames) {
    await query(urls.owner, `DROP TABLE ${table}_first`);
    await makeOld(table);
  }
  // Again soon: a lock that is not free waits for the next round.
  const often = { PURGE_INTERVAL_MS: '500' };
  const later = await Promise.all([platform.addReplica(often), platform.addReplica(often)]);
  const replicas: readonly TestService[] = [...platform.replicas, ...later];
  const sum = async (of: readonly TestService[], name: string, table: Table) => {
    const values = await Promise.all(of.map((each) => metricOf(each, name, { table })));
    return values.reduce<number>((total, value) => total + (value ?? 0), 0);
  };
  await expectEventually(
    async () => {
      for (const table of tableNames) {
        const rows = await rowsOf(table);
        expect([rows[`${table}_old`], rows[`${table}_next`]]).toEqual([undefined, 2]);
        expect(await sum(replicas, 'identity_dropped_partitions_total', table)).toBe(1);
        expect(await sum(later, 'identity_partitions_overdue', table)).toBe(0);
        expect(await metricOf(later[0], 'identity_partitions_ahead_seconds', { table })).toBeGreaterThan(
          2 * 86_400,
        );
      }
    },
    { withinMs: 30_000 },
  );
  const text = await metricsOf(later[0]);
  expect(text).toMatch(/^identity_table_bytes\{[^}]*table="usage_counts"[^}]*\} [1-9]\d+$/m);
  expect(text).not.toMatch(/identity_table_bytes\{[^}]*table="usage_\w+_(?:default|next|\d+)"/);
  // What follows calls the function at moments of its own.
  await Promise.all(replicas.map((each) => each.stop()));
});

describe('without concurrent housekeeping', () => {
  test(
    'early rows are moved into their partition, and too many of them do not block other tables',
    inOneDay(async () => {
      const last = (await partitionsOf('usage_addresses')).slice(-2);
      expect(last).toHaveLength(2);
      const [day = '', later = ''] = last.map((name) =>
        name.replace(/^.*_(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3T12:00:00Z'),
      );
      for (const name of last) await query(urls.owner, `DROP TABLE ${name}`);
      await insert('usage_addresses', Array<string>(10_001).fill(day));
      await insert('usage_addresses', [later]);
      const before = await rowsOf('usage_addresses');
      expect(await keep('usage_addresses')).toEqual({ made: 1, dropped: 0, waits: false });
      const { usage_addresses_default: left, ...rest } = await rowsOf('usage_addresses');
      expect(left).toBe(Number(before.usage_addresses_default) - 1);
      expect(rest).toMatchObject({ [String(last[1])]: 1 });
      // The same key and hour is found where it is now.
      await query(
        urls.runner,
        `INSERT INTO usage_addresses AS stored SELECT 'key_1', $1, '192.0.2.1', 7, 1, 1, NULL
       ON CONFLICT (limit_id, hour, address) DO UPDATE SET requests = stored.requests + excluded.requests`,
        [later],
      );
      expect(
        await query(urls.owner, 'SELECT requests::int FROM usage_addresses WHERE hour = $1', [later]),
      ).toEqual([{ requests: 2 }]);
      await query(urls.owner, 'DELETE FROM usage_addresses WHERE hour = $1', [day]);
    }),
  );

  test(
    'two replicas at once create each partition once without waiting for each other',
    inOneDay(async () => {
      const [last] = (await partitionsOf('usage_endpoints')).slice(-1);
      await query(urls.owner, `DROP TABLE ${last}`);
      const other = await openRunner();
      try {
        await other.query('BEGIN');
        expect(await keep('usage_endpoints', other)).toEqual({ made: 1, dropped: 0, waits: false });
        expect(await keep('usage_endpoints')).toEqual({ made: 0, dropped: 0, waits: false });
        await other.query('COMMIT');
      } finally {
        await other.end();
      }
      expect(await keep('usage_endpoints')).toEqual({ made: 0, dropped: 0, waits: false });
      expect((await partitionsOf('usage_endpoints')).slice(-1)).toEqual([last]);
    }),
  );

  test(
    'a locked partition is left to a later round, which drops it, and does not block reports',
    inOneDay(async () => {
      await make('usage_hours', 'held', at(-93 * dayMs), at(-92 * dayMs));
      await user.query('BEGIN; SELECT count(*) FROM usage_hours');
      const reports = await openRunner();
      const report = async (key: string) => {
        await reports.query('SELECT pg_sleep(0.05)');
        await reports.query(
          'INSERT INTO usage_hours SELECT 7, now(), $1, 1, 0, 0, 0 ON CONFLICT DO NOTHING',
          [key],
        );
      };
      try {
        for (const key of ['key_a', 'key_b', 'key_c', 'key_d', 'key_e']) {
          const [kept] = await Promise.all([keep('usage_hours'), report(key)]);
          expect(kept).toEqual({ made: 0, dropped: 0, waits: true });
        }
      } finally {
        await reports.end();
        await user.query('COMMIT');
      }
      expect(await keep('usage_hours')).toEqual({ made: 0, dropped: 1, waits: false });
    }),
  );

  test(
    'the running role owns nothing, and can drop only expired partitions',
    inOneDay(async () => {
      const relations = () =>
        query(urls.owner, "SELECT oid, relname FROM pg_class WHERE relkind IN ('r', 'p')");
      const before = await relations();
      const [current] = await partitionsOf('usage_counts');
      for (const statement of [
        `DROP TABLE ${current}`,
        `ALTER TABLE usage_counts DETACH PARTITION ${current}`,
        `TRUNCATE ${current}`,
        "SELECT keep_partitions('people')",
        "SELECT keep_partitions('usage_counts_default')",
        "SELECT keep_partitions('usage_counts; DROP TABLE people')",
        'CREATE OR REPLACE FUNCTION keep_partitions(parent TEXT) RETURNS void LANGUAGE sql AS $$ $$',
        'ALTER FUNCTION keep_partitions(TEXT) RESET ALL',
      ]) {
        await expect(query(urls.runner, statement)).rejects.toThrow(
          /must be owner|permission denied|does not know the table/,
        );
      }
      for (const table of tableNames)
        expect(await keep(table)).toEqual({ made: 0, dropped: 0, waits: false });
      expect(await relations()).toEqual(before);
    }),
  );
});

test('rows that are too old are purged from the first partition', async () => {
  const url = await createDatabase();
  const migrations = join(import.meta.dirname, '../../identity-service/prisma/migrations');
  await migrate({
    databaseUrl: url,
    directory: migrations,
    logger: createLogger({ service: 'test', level: 'silent' }),
  });
  const ages = [-99, -80, -29].map((day) => at(day * dayMs));
  for (const table of tableNames) await insert(table, ages, url);
  for (const table of tableNames) expect(await rowsOf(table, url)).toEqual({ [`${table}_first`]: 3 });
  await platform.addReplica({ DATABASE_URL: url, MIGRATION_DATABASE_URL: url, PURGE_INTERVAL_MS: '500' });
  const left = { usage_counts: 2, usage_hours: 2, usage_addresses: 1, usage_endpoints: 1 };
  await expectEventually(
    async () => {
      for (const table of tableNames)
        expect(await rowsOf(table, url)).toEqual({ [`${table}_first`]: left[table] });
    },
    { withinMs: 30_000 },
  );
});
