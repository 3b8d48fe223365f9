import type { Database } from '@platform/service-kit/database/database.ts';
import { Prisma } from '../generated/client.ts';
import { moment, type PrismaClient } from '../platform/storage.ts';
import {
  type AddressUse,
  type AnswerCounts,
  type Caller,
  type EndpointUse,
  type FindCallers,
  goneCaller,
  type RecentCalls,
  type RollingHourUse,
  type ScopeUse,
  type Span,
  type UsageHour,
  type UsagePoint,
  type UsageReader,
} from './usage.ts';

/** Ids and businesses of every Grant, ended ones too, of one application of a business. */
function grantsOf(businessId: number, applicationId: string): Prisma.Sql {
  return Prisma.sql`
    SELECT g.id, g.business_id FROM applications a JOIN grants g ON g.application_id = a.id
    WHERE a.id = ${applicationId} AND a.business_id = ${BigInt(businessId)}`;
}

interface HourRow extends AnswerCounts {
  readonly start: Date;
}

/** Answers that an application got by the hour, whichever businesses connected it. */
async function readApplicationHours(
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

/** Rows of an answer at most. */
const maxPlaces = 100;

const maxApplicationAddresses = 200;

interface AddressRow {
  readonly address: string;
  readonly requests: number;
  readonly successes: number;
  readonly last_success_at: Date | null;
}

/** Addresses of some limit ids of a business. */
function readAddresses(
  prisma: PrismaClient,
  businessId: number,
  limitIds: readonly string[],
  since: number,
): Promise<AddressUse[]> {
  const whose = Prisma.sql`u.business_id = ${BigInt(businessId)} AND u.limit_id = ANY(${[...limitIds]})`;
  return readAddressesOf(prisma, whose, since, Prisma.sql`2 DESC, u.address LIMIT ${maxPlaces}`);
}

/** Addresses of every Grant, ended ones too, of one application of a business; the latest success first. */
function readApplicationAddresses(
  prisma: PrismaClient,
  businessId: number,
  applicationId: string,
  since: number,
): Promise<AddressUse[]> {
  const grants = Prisma.sql`SELECT id FROM (${grantsOf(businessId, applicationId)}) AS g`;
  const order = Prisma.sql`4 DESC NULLS LAST, u.address LIMIT ${maxApplicationAddresses}`;
  return readAddressesOf(prisma, Prisma.sql`u.limit_id IN (${grants})`, since, order);
}

async function readAddressesOf(
  prisma: PrismaClient,
  whose: Prisma.Sql,
  since: number,
  order: Prisma.Sql,
): Promise<AddressUse[]> {
  const rows = await prisma.$queryRaw<AddressRow[]>`
    SELECT u.address, sum(u.requests)::float8 AS requests, sum(u.successes)::float8 AS successes,
           max(u.last_success_at) AS last_success_at
    FROM usage_addresses u WHERE ${whose} AND ${hourFrom(since)}
    GROUP BY u.address ORDER BY ${order}`;
  return rows.map(({ last_success_at, ...use }) => ({ ...use, lastSuccessAt: last_success_at?.getTime() }));
}

/** Routes of some limit ids of a business. */
function readEndpoints(
  prisma: PrismaClient,
  businessId: number,
  limitIds: readonly string[],
  since: number,
): Promise<EndpointUse[]> {
  return prisma.$queryRaw<EndpointUse[]>`
    SELECT u.method, u.route, sum(u.requests)::float8 AS requests
    FROM usage_endpoints u
    WHERE u.business_id = ${BigInt(businessId)} AND u.limit_id = ANY(${[...limitIds]}) AND ${hourFrom(since)}
    GROUP BY u.method, u.route ORDER BY 3 DESC, u.route, u.method LIMIT ${maxPlaces}`;
}

function hourFrom(since: number): Prisma.Sql {
  return Prisma.sql`u.hour >= date_trunc('hour', ${moment(since)}, 'UTC')`;
}

/** Limit ids that stand for themselves where none are named. */
const busiestLimitIds = 20;

interface PointRow extends AnswerCounts {
  readonly limit_id: string;
  readonly hour: Date;
}

/** Answers by limit id and hour, oldest first. */
async function readUsagePoints(
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
async function readRecentCalls(
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

interface ScopeUseRow {
  readonly limit_id: string;
  readonly scope: string;
  readonly last_used_at: Date;
}

interface RollingHourRow {
  readonly limit_id: string;
  readonly used: number;
  readonly observed_at: Date;
}

/** Scopes that API keys and Grants of a business really used. */
async function readScopeUses(
  prisma: PrismaClient,
  businessId: number,
  limitIds: readonly string[],
): Promise<ScopeUse[]> {
  const id = BigInt(businessId);
  const rows = await prisma.$queryRaw<ScopeUseRow[]>`
    SELECT u.limit_id, u.scope, u.last_used_at FROM scope_uses u
    WHERE u.limit_id = ANY(${[...limitIds]})
      AND (EXISTS (SELECT 1 FROM api_keys k WHERE k.id = u.limit_id AND k.business_id = ${id})
        OR EXISTS (SELECT 1 FROM grants g WHERE g.id = u.limit_id AND g.business_id = ${id}))
    ORDER BY u.limit_id, u.scope`;
  return rows.map((row) => ({
    limitId: row.limit_id,
    scope: row.scope,
    lastUsedAt: row.last_used_at.getTime(),
  }));
}

/**
 * What gateways saw last, less what has left the rolling hour since: that keeps 61 buckets of a minute, so the requests
 * of the last 61 minutes are never fewer than those in it.
 */
async function readRollingHours(
  prisma: PrismaClient,
  businessId: number,
  limitIds: readonly string[],
): Promise<RollingHourUse[]> {
  const id = BigInt(businessId);
  const rows = await prisma.$queryRaw<RollingHourRow[]>`
    WITH recent AS (
      SELECT limit_id, sum(count_2xx + count_4xx + count_5xx) AS counted FROM usage_counts
      WHERE business_id = ${id} AND limit_id = ANY(${[...limitIds]})
        AND minute > now() - interval '61 minutes'
      GROUP BY limit_id
    )
    SELECT o.limit_id, least(o.used, coalesce(recent.counted, 0))::float8 AS used, o.observed_at
    FROM limit_observations o LEFT JOIN recent USING (limit_id)
    WHERE o.business_id = ${id} AND o.limit_id = ANY(${[...limitIds]})
      AND o.observed_at > now() - interval '61 minutes'`;
  const byLimitId = new Map(rows.map((row) => [row.limit_id, row]));
  return limitIds.map((limitId) => {
    const row = byLimitId.get(limitId);
    return { limitId, used: row?.used ?? 0, observedAt: row?.observed_at.getTime() };
  });
}

/** Usage as it is kept in PostgreSQL. */
export function createUsageReader(database: Database, prisma: PrismaClient): UsageReader {
  return {
    perHour: (businessId, span, limitIds) =>
      database.run(() => readUsagePoints(prisma, businessId, span, limitIds)),
    recentCalls: (businessId, limitId) => database.run(() => readRecentCalls(prisma, businessId, limitId)),
    addresses: (businessId, limitIds, since) =>
      database.run(() => readAddresses(prisma, businessId, limitIds, since)),
    applicationPerHour: (businessId, applicationId, span) =>
      database.run(() => readApplicationHours(prisma, businessId, applicationId, span)),
    applicationAddresses: (businessId, applicationId, since) =>
      database.run(() => readApplicationAddresses(prisma, businessId, applicationId, since)),
    endpoints: (businessId, limitIds, since) =>
      database.run(() => readEndpoints(prisma, businessId, limitIds, since)),
    scopeUses: (businessId, limitIds) => database.run(() => readScopeUses(prisma, businessId, limitIds)),
    rollingHours: (businessId, limitIds) =>
      database.run(() => readRollingHours(prisma, businessId, limitIds)),
  };
}

/** Callers by the tables of API keys and Grants. */
export function createFindCallers(database: Database, prisma: PrismaClient): FindCallers {
  return async (businessId, limitIds) => {
    if (limitIds.length === 0) return [];
    const [business, ids] = [BigInt(businessId), [...limitIds]];
    const rows = await database.run(
      () => prisma.$queryRaw<Caller[]>`
        SELECT id AS "limitId", 'api_key' AS kind, id, name, true AS exists, true AS "isOwn" FROM api_keys
        WHERE business_id = ${business} AND id = ANY(${ids})
        UNION ALL
        SELECT g.id, 'application', a.id, a.name, g.ended_at IS NULL, a.business_id = g.business_id
        FROM grants g JOIN applications a ON a.id = g.application_id
        WHERE g.business_id = ${business} AND g.id = ANY(${ids})`,
    );
    const found = new Map(rows.map((row) => [row.limitId, row]));
    return limitIds.map((limitId) => found.get(limitId) ?? goneCaller(limitId));
  };
}
