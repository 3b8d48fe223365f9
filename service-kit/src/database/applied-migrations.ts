import { createHash } from 'node:crypto';
import type { Transaction } from '@prisma/driver-adapter-utils';
import type { MigrationList } from '@prisma/schema-engine-wasm/schema_engine_bg';
import type { Pool } from './connection.ts';

/** Whether every migration of the list was applied as it is now, and none failed. */
export async function isUpToDate(pool: Pool, list: MigrationList): Promise<boolean> {
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

/** Names of the migrations that were applied, whichever release they belong to. */
export async function finishedMigrations(transaction: Transaction): Promise<ReadonlySet<unknown>> {
  const sql =
    'SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL';
  if (!(await isTrue(transaction, "to_regclass('_prisma_migrations') IS NOT NULL"))) return new Set();
  const { rows } = await transaction.queryRaw({ sql, args: [], argTypes: [] });
  return new Set(rows.map(([name]) => name));
}

/** Whether PostgreSQL evaluates a condition to true. */
export async function isTrue(transaction: Transaction, condition: string): Promise<boolean> {
  const { rows } = await transaction.queryRaw({ sql: `SELECT ${condition}`, args: [], argTypes: [] });
  return rows[0]?.[0] === true;
}
