import type { Database } from '@platform/service-kit/database/database.ts';
import { bytes, integer, nullable, readRows, timestamp } from '@platform/service-kit/database/rows.ts';
import { createKeyedMutex } from '@platform/service-kit/process/keyed-mutex.ts';
import { z } from 'zod';
import { Prisma } from '../generated/client.ts';
import type { PrismaClient } from '../platform/storage.ts';
import {
  type LogCoverage,
  type LoggedCredential,
  maxDemands,
  type RequestDemand,
  type RequestLog,
  type Span,
} from './request-log.ts';

const demandRow = z.object({
  limitId: z.string(),
  method: z.string(),
  route: z.string(),
  clientIp: z.string(),
  requiredScope: nullable(z.string()),
  refusal: nullable(z.string()),
  requests: integer,
  lastAt: timestamp,
  /** Each a big-endian integer: milliseconds since the start of the span. */
  begins: bytes,
  total: integer,
});

const coverageRow = z.object({
  since: nullable(timestamp),
  missedMinutes: integer,
}) satisfies z.ZodType<LogCoverage>;

/** Reads what a change of credentials would affect. */
export function createDemandReader(
  database: Database,
  prisma: PrismaClient,
): Pick<RequestLog, 'demands' | 'coverage'> {
  const inTurn = createKeyedMutex<number | undefined>();
  return {
    demands: async (credentials, span, { withTimes }) => {
      const [, found] = await inTurn(credentials[0]?.businessId, () =>
        database.run(() =>
          prisma.$transaction([
            // Enough to group a million times in memory: otherwise PostgreSQL sorts the rows on disk.
            prisma.$executeRaw`SET LOCAL work_mem = '64MB'`,
            prisma.$queryRaw(demandsOf(credentials, span, withTimes)),
          ]),
        ),
      );
      const rows = await readRows(demandRow, Promise.resolve(found));
      const demands = rows.map(({ begins, total, ...demand }) => ({
        ...demand,
        startedAt: timesOf(begins, span.from),
      }));
      const read = demands.reduce((sum, { requests }) => sum + requests, 0);
      return { demands, others: (rows[0]?.total ?? 0) - read };
    },
    coverage: async (businessIds, { from, to }) => {
      const ids = businessIds.map(BigInt);
      const [found] = await database.run(() =>
        readRows(
          coverageRow,
          prisma.$queryRaw`
            SELECT min(minute) AS since, count(DISTINCT minute) FILTER (
                     WHERE unlisted > 0 AND minute >= date_trunc('minute', ${new Date(from)}::timestamptz)
                       AND minute < ${new Date(to)}) AS "missedMinutes"
            FROM request_log_minutes WHERE business_id = ANY(${ids}::bigint[])`,
        ),
      );
      return found ?? { since: undefined, missedMinutes: 0 };
    },
  };
}

/** The times are packed: a million of them arrive as one text in a tenth of the time that numbers would take. */
function demandsOf(
  credentials: readonly LoggedCredential[],
  { from, to }: Span,
  withTimes: boolean,
): Prisma.Sql {
  const limitIds = credentials.map(({ limitId }) => limitId);
  const businessIds = credentials.map(({ businessId }) => BigInt(businessId));
  const begin = Prisma.sql`(date_part('epoch', at) * 1000 - duration_ms - ${from}::float8)::int4`;
  const begins = withTimes ? Prisma.sql`string_agg(int4send(${begin}), ''::bytea)` : Prisma.sql`''::bytea`;
  return Prisma.sql`
    SELECT limit_id AS "limitId", method, route, client_ip AS "clientIp", required_scope AS "requiredScope", refusal,
           count(*) AS requests, max(at) AS "lastAt", ${begins} AS begins, (sum(count(*)) OVER ())::bigint AS total
    FROM request_log
    WHERE limit_id = ANY(${limitIds}::text[]) AND business_id = ANY(${businessIds}::bigint[]) AND at >= ${new Date(from)} AND at < ${new Date(to)}
    GROUP BY limit_id, method, route, client_ip, required_scope, refusal
    ORDER BY requests DESC LIMIT ${maxDemands}`;
}

function timesOf(begins: Buffer, from: number): RequestDemand['startedAt'] {
  return Float64Array.from({ length: begins.length / 4 }, (_, index) => from + begins.readInt32BE(index * 4));
}
