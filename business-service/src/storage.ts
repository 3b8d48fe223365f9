import type { Database } from '@platform/service-kit/database/database.ts';
import type { PartitionedTable } from '@platform/service-kit/database/partitions.ts';
import { integer, readRows } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import { createBusinessStore } from './businesses/store.ts';
import { createCustomerStore } from './customers/store.ts';
import type { AnnounceChange } from './events/sequence.ts';
import { createEventStore } from './events/store.ts';
import { PrismaClient } from './generated/client.ts';
import { idempotencyHours } from './orders/idempotency.ts';
import { createOrderStore } from './orders/store.ts';

export type Store = ReturnType<typeof openStore>;

/** The stores of the service; connects with the first call. Each call throws AppError `unavailable` while the database is. */
export function openStore(database: Database, announce: AnnounceChange, keptDays: number) {
  const { adapter, transactionOptions } = database;
  const prisma = new PrismaClient({ adapter, transactionOptions });
  return {
    businesses: createBusinessStore(prisma, database, announce),
    orders: createOrderStore(prisma, database, announce),
    customers: createCustomerStore(prisma, database, announce),
    events: createEventStore({ prisma, database, announce, keptDays }),
    /** Deletes expired idempotency keys; resolves to how many. */
    purgeIdempotencyKeys: (): Promise<number> => database.run(() => purgeIdempotencyKeys(prisma)),
    /** Of events: for the statements that make and drop partitions, and read their state. */
    partitions: {
      database,
      prisma,
      tables: [{ name: 'events', keptDays }],
      call: ({ name, keptDays: days }: PartitionedTable) =>
        prisma.$queryRaw`SELECT made, dropped, waits FROM keep_partitions(${name}, ${days}::int)`,
    },
    measureTables: (): Promise<readonly TableSize[]> => database.run(() => measureTables(prisma)),
    close: async (): Promise<void> => {
      await prisma.$disconnect();
      await database.close();
    },
  };
}

/** Rows per statement: keeps locks short. */
const batchSize = 1_000;

/** Deletes one batch of expired keys; concurrent replicas share the work. Returns the number deleted. */
async function purgeIdempotencyKeys(prisma: PrismaClient): Promise<number> {
  return prisma.$executeRaw`
    DELETE FROM idempotency_keys WHERE (business_id, key) IN (
      SELECT business_id, key FROM idempotency_keys
      WHERE created_at <= now() - make_interval(hours => ${idempotencyHours}::int)
      LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)`;
}

const tableSize = z.object({
  table: z.string(),
  /** As PostgreSQL estimates them. */
  rows: integer,
  /** On disk, indexes included. */
  bytes: integer,
});

type TableSize = z.output<typeof tableSize>;

/** Live rows of each table from PostgreSQL's statistics, cheap and exact to a few per cent, and its bytes, partitions included. */
function measureTables(prisma: PrismaClient): Promise<readonly TableSize[]> {
  const statement = prisma.$queryRaw`
    SELECT root.relname::text AS table, sum(n_live_tup)::bigint AS rows, sum(pg_total_relation_size(relid))::bigint AS bytes
    FROM pg_stat_user_tables AS part JOIN pg_class AS root ON root.oid = coalesce(pg_partition_root(relid), relid)
    WHERE schemaname = 'public' GROUP BY root.relname`;
  return readRows(tableSize, statement);
}
