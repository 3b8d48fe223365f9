import { integer, readRows } from '@platform/service-kit/database/rows.ts';
import type { Logger } from '@platform/service-kit/logger.ts';
import { type Loop, startLoop } from '@platform/service-kit/loop.ts';
import { Counter, Gauge, type Registry } from '@platform/service-kit/metrics.ts';
import { z } from 'zod';
import type { PrismaClient } from './generated/client.ts';
import { idempotencyHours } from './orders/operations.ts';
import type { Store } from './storage.ts';

interface RetentionOptions {
  readonly store: Store;
  readonly logger: Logger;
  readonly registry: Registry;
  /** Milliseconds between two rounds. */
  readonly intervalMs: number;
}

/** Batches of one round: what is left over waits for the next. */
const maxBatches = 100;

/** Deletes expired idempotency keys and measures the tables, every `intervalMs`. */
export function startRetention(options: RetentionOptions): Loop {
  const { store, logger, registry, intervalMs } = options;
  const purged = new Counter({
    name: 'idempotency_keys_purged_total',
    help: 'Idempotency keys deleted after their time.',
    registers: [registry],
  });
  const tableRows = new Gauge({
    name: 'table_rows',
    help: 'Live rows of a table, as PostgreSQL estimates them.',
    labelNames: ['table'],
    registers: [registry],
  });
  return startLoop({
    name: 'retention',
    everyMs: intervalMs,
    firstAfterMs: intervalMs,
    round: async (signal) => {
      for (let batch = 0; batch < maxBatches && !signal.aborted; batch++) {
        const count = await store.purgeIdempotencyKeys();
        purged.inc(count);
        if (count === 0) break;
      }
      for (const [table, rows] of await store.countRows()) tableRows.set({ table }, rows);
    },
    logger,
  });
}

/** Rows per statement: short locks, and room for others in between. */
const batchSize = 1_000;

/** Deletes one batch of keys past their time; replicas that do it at once share the work. Returns how many. */
export async function purgeIdempotencyKeys(prisma: PrismaClient): Promise<number> {
  return prisma.$executeRaw`
    DELETE FROM idempotency_keys WHERE (business_id, key) IN (
      SELECT business_id, key FROM idempotency_keys
      WHERE created_at <= now() - make_interval(hours => ${idempotencyHours}::int)
      LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)`;
}

const rowCount = z.object({ table: z.string(), rows: integer });

/** Live rows of each table, from PostgreSQL's statistics: cheap, and right within a few per cent. */
export async function countRows(prisma: PrismaClient): Promise<ReadonlyMap<string, number>> {
  const statement = prisma.$queryRaw`
    SELECT relname::text AS table, n_live_tup AS rows FROM pg_stat_user_tables WHERE schemaname = 'public'`;
  const tables = await readRows(rowCount, statement);
  return new Map(tables.map(({ table, rows }) => [table, rows]));
}
