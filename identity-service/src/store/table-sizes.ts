import type { Database } from '@platform/service-kit/database.ts';
import type { PrismaClient } from './prisma.ts';

/** Bytes on disk of every table, indexes included. */
export function createReadTableSizes(
  database: Database,
  prisma: PrismaClient,
): () => Promise<Map<string, number>> {
  return () =>
    database.run(async () => {
      const rows = await prisma.$queryRaw<{ table: string; bytes: bigint }[]>`
        SELECT relname AS "table", pg_total_relation_size(relid) AS bytes FROM pg_stat_user_tables`;
      return new Map(rows.map(({ table, bytes }) => [table, Number(bytes)]));
    });
}
