import { setTimeout as delay } from 'node:timers/promises';
import { PrismaPg } from '@prisma/adapter-pg';
import { isDriverAdapterError, type Transaction } from '@prisma/driver-adapter-utils';
import type { MigrationList } from '@prisma/schema-engine-wasm/schema_engine_bg';
import type { DatabaseConfig } from '../config/config.ts';
import type { Logger } from '../telemetry/logger.ts';
import { finishedMigrations, isTrue, isUpToDate } from './applied-migrations.ts';
import { awaitDatabase } from './await-database.ts';
import { Pool, sessionUrl } from './connection.ts';
import { checkRole } from './database.ts';
import {
  isConcurrent,
  readMigrationFiles,
  statementsOf,
  upTo,
  withoutConcurrency,
} from './migration-files.ts';
import {
  type FailedScript,
  noExternalTables,
  openSchemaEngine,
  type RunScript,
  singleTransaction,
} from './schema-engine.ts';

interface MigrateOptions {
  /** `postgresql://…` of a database that exists. */
  readonly databaseUrl: string;
  /** Absolute path of the migrations, in Prisma's layout. */
  readonly directory: string;
  readonly logger: Logger;
  /** Whether the URL is that of a pooler in transaction mode, whose role has the settings of direct sessions. */
  readonly isPooled?: boolean;
  /** Milliseconds to wait for a database that does not respond yet, and for each connection. */
  readonly waitMs?: number;
}

const defaultWaitMs = 30_000;

/** Milliseconds that a replica waits while another one migrates, and that a migration tries to lock its tables. */
const patienceMs = 120_000;

/** Milliseconds between two attempts. */
const pauseMs = 500;

/** Milliseconds that one statement of a migration may take in a transaction. */
const statementLimitMs = 300_000;

/** Milliseconds that a statement may take outside a transaction, such as building an index of a large table concurrently. */
const concurrentLimitMs = 6 * 3_600_000;

/**
 * Milliseconds that a migration waits for a table lock. All other statements on that table queue behind it and are cancelled
 * after two seconds.
 */
const tableLockWaitMs = 1_000;

/** The advisory lock that Prisma's own tools use for migrations. */
const advisoryLock = 72_707_369;

/**
 * Brings a service's database up to date. Each migration, its row in `_prisma_migrations` and the advisory lock share one
 * transaction. So concurrent replicas migrate once, a process that dies leaves nothing half done, and table locks last no
 * longer than one migration. An empty database gets all migrations in one transaction.
 * @throws Error when the database does not respond in time, and with the name of a migration that fails
 */
export async function migrate(options: MigrateOptions): Promise<void> {
  const { directory, logger, isPooled = false, waitMs = defaultWaitMs } = options;
  const databaseUrl = isPooled ? options.databaseUrl : sessionUrl(options.databaseUrl);
  await awaitDatabase(databaseUrl, waitMs, logger);
  // One connection holds the lock, the other runs statements that must be outside its transaction.
  const pool = new Pool({
    connectionString: databaseUrl,
    max: 2,
    connectionTimeoutMillis: waitMs,
    query_timeout: concurrentLimitMs,
    keepAlive: true,
  });
  pool.on('error', (error) => logger.warn({ err: error }, 'database connection lost'));
  try {
    const list = await readMigrationFiles(directory);
    const applied: string[] = [];
    // Most starts need no migration, and skip the engine, which costs half a second of CPU time.
    for (let complete = await isUpToDate(pool, list); !complete; ) {
      const step = await patiently(() => applyNext(pool, list), logger);
      applied.push(...step.applied);
      complete = step.complete;
    }
    logger.info({ applied }, 'database is up to date');
  } finally {
    await pool.end();
  }
}

/**
 * Checks the settings of a pooler's role, and migrates as the role that owns the tables.
 * @throws as `migrate` and `checkRole`
 */
export async function prepareDatabase(
  config: Pick<DatabaseConfig, 'DATABASE_URL' | 'MIGRATION_DATABASE_URL' | 'DATABASE_POOLING'>,
  directory: string,
  logger: Logger,
): Promise<void> {
  const { DATABASE_URL, MIGRATION_DATABASE_URL: migrationUrl } = config;
  const isPooled = config.DATABASE_POOLING === 'transaction';
  if (isPooled) {
    await awaitDatabase(DATABASE_URL, defaultWaitMs, logger);
    await checkRole(DATABASE_URL);
  }
  await migrate({
    databaseUrl: migrationUrl ?? DATABASE_URL,
    isPooled: isPooled && migrationUrl === undefined,
    directory,
    logger,
  });
}

/** Another replica migrates or a table is in use, so the migration can be retried later. */
class MigrationWaits extends Error {
  override readonly name = 'MigrationWaits';
}

async function patiently<T>(attempt: () => Promise<T>, logger: Logger): Promise<T> {
  const giveUpAt = performance.now() + patienceMs;
  let logged = '';
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof MigrationWaits) || performance.now() > giveUpAt) throw error;
      if (error.message !== logged) logger.info({ reason: error.message }, 'waiting to migrate');
      logged = error.message;
      await delay(pauseMs);
    }
  }
}

interface Step {
  readonly applied: readonly string[];
  readonly complete: boolean;
}

async function applyNext(pool: Pool, list: MigrationList): Promise<Step> {
  const adapter = await new PrismaPg(pool).connect();
  const transaction = await adapter.startTransaction();
  const execute = (sql: string) => transaction.executeRaw({ sql, args: [], argTypes: [] });
  try {
    // Does not wait inside PostgreSQL: a concurrent index build would wait for the snapshot of the waiting statement.
    if (!(await isTrue(transaction, `pg_try_advisory_xact_lock(${advisoryLock})`)))
      throw new MigrationWaits('another replica migrates');
    // Set per transaction and not when connecting, because there may be a pooler.
    await execute(`SET LOCAL statement_timeout = ${statementLimitMs}`);
    await execute(`SET LOCAL lock_timeout = ${tableLockWaitMs}`);
    await execute('SET LOCAL idle_in_transaction_session_timeout = 0');
    const step = await applyStep(pool, transaction, list);
    await execute('COMMIT');
    return step;
  } catch (error) {
    await execute('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    await transaction.commit(); // only releases the connection
    await adapter.dispose(); // only stops listening to the pool
  }
}

async function applyStep(pool: Pool, transaction: Transaction, list: MigrationList): Promise<Step> {
  const finished = await finishedMigrations(transaction);
  const pending = list.migrationDirectories.filter(({ path }) => !finished.has(path));
  const [next] = pending;
  // All migrations are applied, but some were changed since. The engine reports what is wrong.
  if (next === undefined || finished.size === 0) {
    const applied = await runEngine(transaction, list, async (sql, execute) => {
      await execute(isConcurrent(sql) ? withoutConcurrency(sql) : sql);
    });
    return { applied, complete: true };
  }
  const applied = await runEngine(transaction, upTo(list, next.path), async (sql, execute) => {
    if (isConcurrent(sql)) await runOutside(pool, sql);
    else await execute(sql);
  });
  return { applied, complete: pending.length === 1 };
}

/** Runs the statements of a script one by one, without a transaction. Needs no limit for locks, because it blocks no rows. */
async function runOutside(pool: Pool, sql: string): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(`SET statement_timeout = ${concurrentLimitMs}`);
    for (const statement of statementsOf(sql)) await client.query(statement);
  } finally {
    client.release(true);
  }
}

async function runEngine(
  transaction: Transaction,
  list: MigrationList,
  runScript: RunScript,
): Promise<readonly string[]> {
  const { factory, firstFailure } = singleTransaction(transaction, runScript);
  const engine = await openSchemaEngine(factory);
  try {
    const { appliedMigrationNames } = await engine.applyMigrations({
      migrationsList: list,
      filters: noExternalTables,
    });
    return appliedMigrationNames;
  } catch (error) {
    throw migrationError(list, firstFailure(), error);
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
  const error = failed?.error ?? cause;
  const text = `${subject} could not be applied, and it changed nothing: ${textOf(error)}`;
  return isLockTimeout(error)
    ? new MigrationWaits(text, { cause: error })
    : new Error(text, { cause: error });
}

/** SQLSTATE 55P03: `tableLockWaitMs` have passed. */
function isLockTimeout(error: unknown): boolean {
  return isDriverAdapterError(error) && error.cause.originalCode === '55P03';
}

function textOf(error: unknown): string {
  if (isDriverAdapterError(error)) return error.cause.originalMessage ?? error.message;
  return error instanceof Error ? error.message : String(error);
}
