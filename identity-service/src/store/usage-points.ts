import { Prisma } from '../generated/client.ts';
import type { AnswerCounts, RecentCalls, Span, UsagePoint } from '../usage/usage-reader.ts';
import { moment } from './moment.ts';
import type { PrismaClient } from './prisma.ts';

/** Limit ids that stand for themselves where none are named. */
const busiestLimitIds = 20;

interface PointRow extends AnswerCounts {
  readonly limit_id: string;
  readonly hour: Date;
}

/** Answers by limit id and hour, oldest first. */
export async function readUsagePoints(
  prisma: PrismaClient,
  businessId: number,
  { from, to }: Span,
  limitIds: readonly string[] | undefined,
): Promise<UsagePoint[]> {
  const named = limitIds ? Prisma.sql`AND limit_id = ANY(${[...limitIds]})` : Prisma.empty;
  const rows = await prisma.$queryRaw<PointRow[]>`
    WITH counted AS (
      SELECT * FROM usage_hours
      WHERE business_id = ${BigInt(businessId)} ${named}
        AND hour >= ${moment(from)} AND hour < ${moment(to)}
    ), busiest AS (
      SELECT limit_id AS id FROM counted WHERE limit_id <> '' GROUP BY limit_id
      ORDER BY sum(count_2xx + count_4xx + count_429 + count_5xx) DESC, limit_id
      LIMIT ${limitIds?.length ?? busiestLimitIds}
    )
    SELECT coalesce(busiest.id, '') AS limit_id, hour, sum(count_2xx)::float8 AS "count2xx",
           sum(count_4xx)::float8 AS "count4xx", sum(count_429)::float8 AS "count429",
           sum(count_5xx)::float8 AS "count5xx"
    FROM counted LEFT JOIN busiest ON busiest.id = counted.limit_id
    GROUP BY 1, 2 ORDER BY 2, 1`;
  return rows.map(({ limit_id, hour, ...counts }) => ({
    limitId: limit_id,
    start: hour.getTime(),
    ...counts,
  }));
}

/** Requests of one limit id in the last hour and the last 24 hours. */
export async function readRecentCalls(
  prisma: PrismaClient,
  businessId: number,
  limitId: string | undefined,
): Promise<RecentCalls> {
  const named = limitId === undefined ? Prisma.empty : Prisma.sql`AND limit_id = ${limitId}`;
  const [row] = await prisma.$queryRaw<RecentCalls[]>`
    SELECT coalesce(sum(calls) FILTER (WHERE minute > now() - interval '1 hour'), 0)::float8 AS "lastHour",
           coalesce(sum(calls), 0)::float8 AS "lastDay"
    FROM (
      SELECT minute, count_2xx + count_4xx + count_429 + count_5xx AS calls FROM usage_counts
      WHERE business_id = ${BigInt(businessId)} ${named}
        AND minute > now() - interval '24 hours'
    ) AS recent`;
  return { lastHour: row?.lastHour ?? 0, lastDay: row?.lastDay ?? 0 };
}
