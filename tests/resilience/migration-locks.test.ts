import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { migrate } from '@platform/service-kit/database/migrate.ts';
import { createLogger } from '@platform/service-kit/telemetry/logger.ts';
import type pg from 'pg';
import { expectEventually } from '../harness/expect-eventually.ts';
import { createDatabase, openClient, query } from '../harness/postgres.ts';
import { runDirectory } from '../harness/run-directory.ts';

/*
 * Promise: a migration blocks no reader and no writer of a table with rows for longer than two seconds, after which their
 * statements are cancelled. The facts are locks, not times: a transaction that stays open holds up the migration, and
 * statements with the limit of the services pass beside it.
 */

/** The limit of every statement of a service. */
const limit = "SET statement_timeout = '2s'";

let url: string;
let directory: string;
let user: pg.Client;
let other: pg.Client;
beforeAll(async () => {
  url = await createDatabase();
  directory = runDirectory().newDirectory('migrations');
  writeFileSync(join(directory, 'migration_lock.toml'), 'provider = "postgresql"\n');
  user = await openClient(url);
  other = await openClient(url);
  await other.query(limit);
  await add(
    '1_init',
    'CREATE TABLE notes (id SERIAL PRIMARY KEY, text TEXT); CREATE TABLE later (id INTEGER)',
  );
  await query(url, 'INSERT INTO notes (text) SELECT n FROM generate_series(1, 1000) n');
});
afterEach(() => user.query('ROLLBACK'));
afterAll(async () => {
  await user?.end();
  await other?.end();
});

const logger = createLogger({ service: 'test', level: 'silent' });

/** Adds a migration, and applies what is missing. */
function add(name: string, sql: string): Promise<void> {
  mkdirSync(join(directory, name));
  writeFileSync(join(directory, name, 'migration.sql'), sql);
  return migrate({ databaseUrl: url, directory, logger });
}

/** Waits until a session of this database waits for a lock with such a statement. */
const untilWaiting = (statement: RegExp) =>
  expectEventually(
    async () => {
      const rows = await query<{ query: string }>(
        url,
        `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
         AND pid <> $1`,
        [Reflect.get(other, 'processID')],
      );
      expect(rows).toContainEqual({ query: expect.stringMatching(statement) });
    },
    { withinMs: 5_000, everyMs: 5 },
  );

async function readAndWrite(): Promise<void> {
  await other.query("INSERT INTO notes (text) VALUES ('beside a migration')");
  await other.query('SELECT count(*) FROM notes');
}

const indexes = async () =>
  query<{ name: string; valid: boolean }>(
    url,
    `SELECT relname AS name, indisvalid AS valid FROM pg_index JOIN pg_class ON oid = indexrelid WHERE relname = 'i'`,
  );

test('rows are read and written while an index is made, also by replicas that start meanwhile', async () => {
  await user.query("BEGIN; INSERT INTO notes (text) VALUES ('open')");
  const migrated = add(
    '2_index',
    'DROP INDEX CONCURRENTLY IF EXISTS i;\nCREATE INDEX CONCURRENTLY i ON notes (text);',
  );
  const replica = migrate({ databaseUrl: url, directory, logger });
  await untilWaiting(/^CREATE INDEX CONCURRENTLY/);
  for (let n = 0; n < 20; n++) await readAndWrite();
  await user.query('COMMIT');
  await Promise.all([migrated, replica]);
  expect(await indexes()).toEqual([{ name: 'i', valid: true }]);
});

test('a migration gives way to statements that queue behind it, until it gets its table', async () => {
  await user.query('BEGIN; SELECT FROM notes');
  const migrated = add('3_column', 'ALTER TABLE notes ADD COLUMN extra TEXT');
  // Twice: the second attempt gives way as well.
  for (let n = 0; n < 2; n++) {
    await untilWaiting(/^ALTER TABLE/);
    await readAndWrite();
  }
  await user.query('COMMIT');
  await migrated;
  expect((await other.query('SELECT extra FROM notes LIMIT 1')).rows).toEqual([{ extra: null }]);
});

test('the locks of a migration are released at its end, not after the last migration', async () => {
  mkdirSync(join(directory, '4_short'));
  writeFileSync(join(directory, '4_short/migration.sql'), 'ALTER TABLE notes ADD COLUMN short TEXT');
  await user.query('BEGIN; SELECT FROM later');
  const migrated = add('5_long', 'ALTER TABLE later ADD COLUMN extra TEXT');
  await untilWaiting(/^ALTER TABLE later/);
  await other.query('SELECT short FROM notes LIMIT 1');
  await user.query('COMMIT');
  await migrated;
});

test('a migration that fails is named and changes nothing, and earlier migrations stay applied', async () => {
  mkdirSync(join(directory, '6_good'));
  writeFileSync(join(directory, '6_good/migration.sql'), 'CREATE TABLE good (id INTEGER)');
  const failing = add('7_bad', 'CREATE TABLE bad (id INTEGER); SELECT 1 / 0');
  await expect(failing).rejects.toThrow(
    /The migration 7_bad could not be applied, and it changed nothing: division by zero/,
  );
  const [row] = await query(
    url,
    "SELECT to_regclass('good') IS NOT NULL AS good, to_regclass('bad') IS NULL AS no_bad",
  );
  expect(row).toEqual({ good: true, no_bad: true });
});

test('an invalid index of an earlier attempt is created again', async () => {
  await query(url, "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'i'::regclass");
  writeFileSync(
    join(directory, '7_bad/migration.sql'),
    'DROP INDEX CONCURRENTLY IF EXISTS i;\nCREATE INDEX CONCURRENTLY i ON notes (text);',
  );
  await migrate({ databaseUrl: url, directory, logger });
  expect(await indexes()).toEqual([{ name: 'i', valid: true }]);
});

test('an empty database gets all migrations, including indexes', async () => {
  const empty = await createDatabase();
  await migrate({ databaseUrl: empty, directory, logger });
  const [row] = await query<{ count: string }>(
    empty,
    "SELECT count(*) FROM pg_class WHERE relname IN ('i', 'good')",
  );
  expect(row?.count).toBe('2');
});
