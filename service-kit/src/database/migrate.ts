import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import {
  bindMigrationAwareSqlAdapterFactory,
  isDriverAdapterError,
  type SqlMigrationAwareDriverAdapterFactory,
  type Transaction,
} from '@prisma/driver-adapter-utils';
import type { MigrationDirectory, MigrationList } from '@prisma/schema-engine-wasm/schema_engine_bg';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import { Pool } from 'pg';
import type { Logger } from '../logger.ts';
import { awaitDatabase } from './await-database.ts';
import { type FailedScript, singleTransaction } from './database.ts';

/**
 * Reads a directory of migrations in Prisma's layout: `<timestamp>_<name>/migration.sql` and `migration_lock.toml`.
 * @throws when the directory or one of its files cannot be read
 */
async function readMigrationFiles(directory: string): Promise<MigrationList> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return {
    baseDir: directory,
    lockfile: {
      path: 'migration_lock.toml',
      content: await readFile(join(directory, 'migration_lock.toml'), 'utf8'),
    },
    shadowDbInitScript: '',
    migrationDirectories: await Promise.all(names.toSorted().map((name) => readMigration(directory, name))),
  };
}

async function readMigration(directory: string, name: string): Promise<MigrationDirectory> {
  const value = await readFile(join(directory, name, 'migration.sql'), 'utf8');
  return { path: name, migrationFile: { path: 'migration.sql', content: { tag: 'ok', value } } };
}

// The part of the global that is used; its types come only with the browser's.
declare const WebAssembly: {
  instantiate(
    bytes: Uint8Array,
    imports: Record<string, object>,
  ): Promise<{ instance: { exports: Record<string, unknown> } }>;
};

/** Prisma's engine for migrations; it runs in this process and downloads nothing. */
type SchemaEngine = bindings.SchemaEngine;

/** Required by every call of the engine: no tables are excluded. */
export const noExternalTables: bindings.SchemaFilter = { externalTables: [], externalEnums: [] };

/** A schema engine over the given database. Call `free()` when done. */
export async function openSchemaEngine(
  factory: SqlMigrationAwareDriverAdapterFactory,
): Promise<SchemaEngine> {
  await instantiate();
  const options: bindings.ConstructorOptions = { datamodels: undefined };
  return bindings.SchemaEngine.new(options, () => {}, bindMigrationAwareSqlAdapterFactory(factory));
}

let instantiated: Promise<void> | undefined;

// The package expects a bundler to import its .wasm file and hides it from `exports`; Node cannot import one.
function instantiate(): Promise<void> {
  instantiated ??= (async () => {
    const file = new URL('schema_engine_bg.wasm', import.meta.resolve('@prisma/schema-engine-wasm'));
    const { instance } = await WebAssembly.instantiate(await readFile(file), {
      './schema_engine_bg.js': { ...bindings },
    });
    bindings.__wbg_set_wasm(instance.exports);
    const { __wbindgen_start: start } = instance.exports;
    if (typeof start === 'function') start();
  })();
  return instantiated;
}

interface MigrateOptions {
  /** `postgresql://…` of a database that exists. */
  readonly databaseUrl: string;
  /** Absolute path of the migrations, in Prisma's layout. */
  readonly directory: string;
  readonly logger: Logger;
  /** Milliseconds to wait for a database that does not respond yet. */
  readonly waitMs?: number;
}

/** Milliseconds that a replica waits while another migrates. */
const lockWaitMs = 120_000;

/** Milliseconds that one migration may take. */
const migrationLimitMs = 300_000;

/** Milliseconds that a migration waits for a table: every other query of that table queues behind it. */
const tableLockWaitMs = 10_000;

/** The lock of Prisma's own tools for the same purpose. */
const advisoryLock = 72_707_369;

/**
 * Brings a service's database up to date, all or nothing: the advisory lock, every migration that is missing and its
 * row in `_prisma_migrations` share one transaction. Replicas that start at once therefore migrate once, and a process
 * that dies half way leaves nothing behind.
 * @throws Error when the database does not respond in time, and with the name of a migration that fails
 */
export async function migrate(options: MigrateOptions): Promise<void> {
  const { databaseUrl, directory, logger, waitMs = 30_000 } = options;
  await awaitDatabase(databaseUrl, waitMs, logger);
  const pool = new Pool({
    connectionString: databaseUrl,
    max: 1,
    connectionTimeoutMillis: 2_000,
    query_timeout: migrationLimitMs,
    keepAlive: true,
  });
  pool.on('error', (error) => logger.warn({ err: error }, 'database connection lost'));
  try {
    const list = await readMigrationFiles(directory);
    // Most starts: the engine costs half a second of CPU.
    const applied = (await isUpToDate(pool, list))
      ? []
      : await inTransaction(pool, (transaction) => applyMigrations(transaction, list));
    logger.info({ applied }, 'database is up to date');
  } finally {
    await pool.end();
  }
}

/** Whether every migration of the list was applied as it is now, and none failed. */
async function isUpToDate(pool: Pool, list: MigrationList): Promise<boolean> {
  const table = await pool.query(`SELECT to_regclass('_prisma_migrations') IS NOT NULL AS "exists"`);
  if (table.rows[0]?.exists !== true) return false;
  const { rows } = await pool.query(
    'SELECT migration_name, checksum, finished_at FROM _prisma_migrations WHERE rolled_back_at IS NULL',
  );
  const applied = new Map(rows.map((row) => [row.migration_name, row]));
  if (rows.some(({ finished_at }) => finished_at === null)) return false;
  return list.migrationDirectories.every(({ path, migrationFile: { content } }) => {
    return content.tag === 'ok' && applied.get(path)?.checksum === checksumOf(content.value);
  });
}

/** As Prisma stores it. */
const checksumOf = (sql: string) => createHash('sha256').update(sql).digest('hex');

async function inTransaction<T>(pool: Pool, run: (transaction: Transaction) => Promise<T>): Promise<T> {
  const adapter = await new PrismaPg(pool).connect();
  const transaction = await adapter.startTransaction();
  const execute = (sql: string) => transaction.executeRaw({ sql, args: [], argTypes: [] });
  try {
    await execute(`SET LOCAL lock_timeout = ${lockWaitMs}`);
    await execute(`SELECT pg_advisory_xact_lock(${advisoryLock})`);
    await execute(`SET LOCAL lock_timeout = ${tableLockWaitMs}`);
    const result = await run(transaction);
    await execute('COMMIT');
    return result;
  } catch (error) {
    await execute('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    await transaction.commit(); // only releases the connection
  }
}

async function applyMigrations(
  transaction: Transaction,
  migrationsList: MigrationList,
): Promise<readonly string[]> {
  const { factory, firstFailure } = singleTransaction(transaction);
  const engine = await openSchemaEngine(factory);
  try {
    const { appliedMigrationNames } = await engine.applyMigrations({
      migrationsList,
      filters: noExternalTables,
    });
    return appliedMigrationNames;
  } catch (error) {
    throw migrationError(migrationsList, firstFailure(), error);
  } finally {
    engine.free();
  }
}

function migrationError(list: MigrationList, failed: FailedScript | undefined, cause: unknown): Error {
  const culprit = list.migrationDirectories.find(({ migrationFile: { content } }) => {
    return failed !== undefined && content.tag === 'ok' && content.value === failed.sql;
  });
  const subject =
    culprit === undefined ? `The migrations in ${list.baseDir}` : `The migration ${culprit.path}`;
  const text = `${subject} could not be applied, and nothing was changed: ${textOf(failed?.error ?? cause)}`;
  return new Error(text, { cause: failed?.error ?? cause });
}

function textOf(error: unknown): string {
  if (isDriverAdapterError(error)) return error.cause.originalMessage ?? error.message;
  return error instanceof Error ? error.message : String(error);
}
