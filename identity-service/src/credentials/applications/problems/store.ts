import type { Database } from '@platform/service-kit/database/database.ts';
import { integer, nullable, readRows, timestamp } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import { type PrismaClient, sqlTimestamp } from '../../../platform/storage.ts';
import type { Span } from '../../../traffic/usage.ts';
import { grantsOf } from '../../../traffic/usage-report-store.ts';
import type { EarlyCalls, RepeatedChallenges } from './problem.ts';

const failingGrantRow = z.object({ grantId: z.string(), businessId: integer });

/** A Grant with failed requests, and the business that it is of. */
type FailingGrant = z.output<typeof failingGrantRow>;

/** Grants whose failures are read. */
const maxGrants = 20;

const earlyRow = z.object({
  businessId: integer,
  requests: z.number(),
  lastAt: timestamp,
}) satisfies z.ZodType<EarlyCalls>;

const repeatedRow = z.object({
  requests: z.number(),
  lastAt: nullable(timestamp),
}) satisfies z.ZodType<RepeatedChallenges>;

function readFailingGrants(
  prisma: PrismaClient,
  businessId: number,
  applicationId: string,
  { from, to }: Span,
): Promise<FailingGrant[]> {
  const statement = prisma.$queryRaw`
    SELECT g.id AS "grantId", g.business_id AS "businessId"
    FROM (${grantsOf(businessId, applicationId)}) AS g
    JOIN usage_hours u ON u.business_id = g.business_id AND u.limit_id = g.id
      AND u.hour >= date_trunc('hour', ${sqlTimestamp(from)}, 'UTC') AND u.hour < ${sqlTimestamp(to)}
    GROUP BY g.id, g.business_id HAVING sum(u.count_4xx + u.count_429 + u.count_5xx) > 0
    ORDER BY sum(u.count_4xx + u.count_429 + u.count_5xx) DESC, g.id LIMIT ${maxGrants}`;
  return readRows(failingGrantRow, statement);
}

/**
 * Where two successive minutes with requests have 429 alone, nothing was admitted from the first of them on. The first request
 * after the time that its 429 had named would have been admitted, so every 429 of the later minute came before that time.
 */
function readEarlyCalls(
  prisma: PrismaClient,
  grants: readonly FailingGrant[],
  { from, to }: Span,
): Promise<EarlyCalls[]> {
  const ids = grants.map(({ grantId }) => grantId);
  const businessIds = grants.map(({ businessId }) => BigInt(businessId));
  const statement = prisma.$queryRaw`
    WITH minutes AS (
      SELECT u.business_id, u.limit_id, u.minute, sum(u.count_429) AS refused,
             sum(u.count_2xx + u.count_4xx + u.count_5xx) = 0 AS is_refused
      FROM usage_counts u JOIN unnest(${ids}::text[], ${businessIds}::bigint[]) AS g (id, business_id)
        ON u.business_id = g.business_id AND u.limit_id = g.id
      WHERE u.minute >= ${sqlTimestamp(from)} AND u.minute < ${sqlTimestamp(to)}
      GROUP BY u.business_id, u.limit_id, u.minute
    ), following AS (
      SELECT *, lag(is_refused) OVER (PARTITION BY limit_id ORDER BY minute) AS was_refused FROM minutes
    )
    SELECT business_id AS "businessId", sum(refused)::float8 AS requests, max(minute) AS "lastAt"
    FROM following WHERE is_refused AND was_refused GROUP BY business_id, limit_id`;
  return readRows(earlyRow, statement);
}

async function readRepeatedChallenges(
  prisma: PrismaClient,
  businessId: number,
  applicationId: string,
): Promise<RepeatedChallenges> {
  const statement = prisma.$queryRaw`
    SELECT count(*)::float8 AS requests, max(created_at) AS "lastAt" FROM (
      SELECT c.created_at, row_number() OVER (PARTITION BY c.code_challenge ORDER BY c.created_at) AS number
      FROM (${grantsOf(businessId, applicationId)}) AS g JOIN authorization_codes c ON c.grant_id = g.id
    ) AS codes WHERE number > 1`;
  const [found] = await readRows(repeatedRow, statement);
  return found ?? { requests: 0, lastAt: undefined };
}

export type ProblemStore = ReturnType<typeof createProblemStore>;

/** Reads what goes wrong with an application, beside the log of requests. */
export function createProblemStore(database: Database, prisma: PrismaClient) {
  return {
    /** Grants of an application, ended ones too, with the most refused and failed requests; 20 at most. */
    failingGrants: (businessId: number, applicationId: string, span: Span): Promise<FailingGrant[]> =>
      database.run(() => readFailingGrants(prisma, businessId, applicationId, span)),
    /** Requests of Grants that came before the time that a 429 had named, as far as whole minutes prove it. */
    earlyCalls: (grants: readonly FailingGrant[], span: Span): Promise<EarlyCalls[]> =>
      database.run(() => readEarlyCalls(prisma, grants, span)),
    /** Codes of the last day with the `code_challenge` of an earlier one. */
    repeatedChallenges: (businessId: number, applicationId: string): Promise<RepeatedChallenges> =>
      database.run(() => readRepeatedChallenges(prisma, businessId, applicationId)),
  };
}
