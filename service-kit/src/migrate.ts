import { PrismaPg } from '@prisma/adapter-pg';
import { isDriverAdapterError, type Transaction } from '@prisma/driver-adapter-utils';
import type { MigrationList } from '@prisma/schema-engine-wasm/schema_engine_bg';
import { Pool } from 'pg';
import { awaitDatabase } from './await-database.ts';
import type { Logger } from './logger.ts';
import { readMigrationFiles } from './migration-files.ts';
import { noExternalTables, openSchemaEngine } from './schema-engine.ts';
import { type FailedScript, singleTransaction } from './single-transaction.ts';

export interface MigrateOptions {
  /** `postgresql://…` of a database that exists. */
  readonly databaseUrl: string;
  /** Absolute path of the migrations, in Prisma's layout. */
  readonly directory: string;
  readonly logger: Logger;
  /** Milliseconds to wait for a database that does not answer yet. */
  readonly waitMs?: number;
}

/** Milliseconds that one replica waits while another one migrates. */
const lockWaitMs = 120_000;
/** Milliseconds that one migration may take. */
const migrationLimitMs = 300_000;
/** Milliseconds that a migration waits for a table: everybody else who wants that table waits behind it. */
const tableLockWaitMs = 10_000;
/** The lock that Prisma's own tools take for the same purpose. */
const advisoryLock = 72_707_369;

/**
 * Brings a service's database up to date, all or nothing: the advisory lock, every migration that is missing and its
 * row in `_prisma_migrations` share one transaction. Replicas that start at once therefore migrate once, and a process
 * that dies half way leaves nothing behind.
 * @throws Error that says what to do, when the database does not answer in time or a migration fails
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
    const applied = await inTransaction(pool, (transaction) => applyMigrations(transaction, directory));
    logger.info({ applied }, 'database is up to date');
  } finally {
    await pool.end();
  }
}

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
    await transaction.commit(); // gives the connection back, no more
  }
}

async function applyMigrations(transaction: Transaction, directory: string): Promise<readonly string[]> {
  const { factory, firstFailure } = singleTransaction(transaction);
  const migrationsList = await readMigrationFiles(directory);
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
  const what = culprit === undefined ? `The migrations in ${list.baseDir}` : `The migration ${culprit.path}`;
  const text = `${what} could not be applied, and nothing was changed: ${textOf(failed?.error ?? cause)}`;
  return new Error(text, { cause: failed?.error ?? cause });
}

function textOf(error: unknown): string {
  if (isDriverAdapterError(error)) return error.cause.originalMessage ?? error.message;
  return error instanceof Error ? error.message : String(error);
}
