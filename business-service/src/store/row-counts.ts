import { z } from 'zod';
import type { PrismaClient } from '../generated/client.ts';

const rowCount = z.object({ table: z.string(), rows: z.coerce.number() });

/** Live rows of each table, from PostgreSQL's statistics: cheap, and right within a few per cent. */
export async function countRows(prisma: PrismaClient): Promise<ReadonlyMap<string, number>> {
  const rows = await prisma.$queryRaw`
    SELECT relname::text AS table, n_live_tup AS rows FROM pg_stat_user_tables WHERE schemaname = 'public'`;
  return new Map(
    z
      .array(rowCount)
      .parse(rows)
      .map(({ table, rows: count }) => [table, count]),
  );
}
