import { integer, readRows } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import type { Storage } from '../platform/storage.ts';

/** Of the requests that are deleted, in the metric. */
export const oldestRequestsName = 'request_log_over_limit';

/** Rows per statement, and statements per round: 5,000 rows a second, as many as PostgreSQL takes. */
const batchSize = 5_000;

const maxBatches = 60;

const businessRow = z.object({ businessId: integer });

const cutRow = z.object({ cut: z.date() });

interface OldestRequestsDeps {
  readonly storage: Pick<Storage, 'database' | 'prisma'>;
  /** Requests of one business that are kept. */
  readonly limit: number;
  readonly purged: (table: string, rows: number) => void;
}

/**
 * Deletes the oldest requests of businesses that have more than `limit`, to the minute: what the log counts by minute says
 * where to cut. A business with many requests is looked at in every round, another one once an hour.
 */
export async function deleteOldestRequests(
  { storage, limit, purged }: OldestRequestsDeps,
  signal: AbortSignal,
): Promise<void> {
  let batches = 0;
  for (const { businessId } of await findBusy(storage, limit)) {
    const cut = await findCut(storage, businessId, limit);
    while (cut !== undefined && batches < maxBatches && !signal.aborted) {
      const rows = await deleteBatch(storage, businessId, cut);
      purged(oldestRequestsName, rows);
      if (rows < batchSize) break;
      batches++;
    }
  }
}

/** Businesses whose last minute would, as the mean of the 43,200 minutes of 30 days, lead to more than `limit` requests. */
function findBusy({ database, prisma }: OldestRequestsDeps['storage'], limit: number) {
  return database.run(() =>
    readRows(
      businessRow,
      prisma.$queryRaw`
        SELECT business_id AS "businessId" FROM request_log_minutes
        WHERE minute = date_trunc('minute', now()) - interval '1 minute' AND listed >= ${limit / 43_200}::float8
          AND (listed >= ${limit / 1_000}::float8
               OR (business_id + extract(epoch FROM minute)::bigint / 60) % 60 = 0)`,
    ),
  );
}

/** Start of the minute with the oldest requests that are kept; undefined for a business with no more than `limit`. */
async function findCut(
  { database, prisma }: OldestRequestsDeps['storage'],
  businessId: number,
  limit: number,
): Promise<Date | undefined> {
  const [found] = await database.run(() =>
    readRows(
      cutRow,
      prisma.$queryRaw`
        SELECT minute AS cut FROM (
          SELECT minute, sum(listed) OVER (ORDER BY minute DESC) AS newer FROM request_log_minutes
          WHERE business_id = ${BigInt(businessId)}
        ) AS minutes WHERE newer >= ${limit} ORDER BY minute DESC LIMIT 1`,
    ),
  );
  return found?.cut;
}

function deleteBatch(
  { database, prisma }: OldestRequestsDeps['storage'],
  businessId: number,
  cut: Date,
): Promise<number> {
  const id = BigInt(businessId);
  return database.run(
    () => prisma.$executeRaw`
      DELETE FROM request_log WHERE business_id = ${id} AND at < ${cut} AND at <= (
        SELECT max(at) FROM (
          SELECT at FROM request_log WHERE business_id = ${id} AND at < ${cut} ORDER BY at LIMIT ${batchSize}
        ) AS oldest)`,
  );
}
