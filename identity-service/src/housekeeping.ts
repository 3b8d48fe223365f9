import type { Logger } from '@platform/service-kit/logger.ts';
import type { Closers } from './closers.ts';
import { purgeAll } from './janitor.ts';
import { startLoop } from './loop.ts';
import type { TableMetrics } from './metrics/table-metrics.ts';
import type { Storage } from './storage.ts';
import { createPurges } from './store/purge.ts';
import { createReadTableSizes } from './store/table-sizes.ts';

const roundMs = 60_000;

/** Deletes what is over, and measures the tables, every minute. */
export function startHousekeeping(
  { database, prisma }: Storage,
  metrics: TableMetrics,
  logger: Logger,
  closers: Closers,
): void {
  const purges = createPurges(database, prisma);
  const readTableSizes = createReadTableSizes(database, prisma);
  const loop = startLoop({
    name: 'housekeeping',
    everyMs: roundMs,
    round: async () => {
      metrics.purged(await purgeAll(purges));
      metrics.sizes(await readTableSizes());
    },
    logger,
  });
  closers.add(loop.stop);
}
