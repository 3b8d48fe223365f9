import { Prisma } from '../generated/client.ts';
import type { AnswerCounts, Span, UsageHour } from '../usage/usage-reader.ts';
import { moment } from './moment.ts';
import type { PrismaClient } from './prisma.ts';

/** Ids and businesses of every Grant, ended ones too, of one application of a business. */
export function grantsOf(businessId: number, applicationId: string): Prisma.Sql {
  return Prisma.sql`
    SELECT g.id, g.business_id FROM applications a JOIN grants g ON g.application_id = a.id
    WHERE a.id = ${applicationId} AND a.business_id = ${BigInt(businessId)}`;
}

interface HourRow extends AnswerCounts {
  readonly start: Date;
}

/** Answers that an application got by the hour, whichever businesses connected it. */
export async function readApplicationHours(
  prisma: PrismaClient,
  businessId: number,
  applicationId: string,
  { from, to }: Span,
): Promise<UsageHour[]> {
  const rows = await prisma.$queryRaw<HourRow[]>`
    SELECT u.hour AS start, sum(u.count_2xx)::float8 AS "count2xx", sum(u.count_4xx)::float8 AS "count4xx",
           sum(u.count_429)::float8 AS "count429", sum(u.count_5xx)::float8 AS "count5xx"
    FROM (${grantsOf(businessId, applicationId)}) AS g
    JOIN usage_hours u ON u.business_id = g.business_id AND u.limit_id = g.id
      AND u.hour >= ${moment(from)} AND u.hour < ${moment(to)}
    GROUP BY u.hour ORDER BY u.hour`;
  return rows.map(({ start, ...counts }) => ({ ...counts, start: start.getTime() }));
}
