import type { Database } from '@platform/service-kit/database/database.ts';
import { nullable, readRows, timestamp } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import { Prisma } from '../generated/client.ts';
import { type PrismaClient, sqlTimestamp } from '../platform/storage.ts';
import { namesOfDeleted } from './retired-store.ts';
import {
  type AddressUse,
  type Client,
  deletedClient,
  type EndpointUse,
  type FindClients,
  type RecentCalls,
  type ResponseCounts,
  type RollingHourUse,
  type ScopeUse,
  type Span,
  type UsageHour,
  type UsagePoint,
} from './usage.ts';

/** Ids and businesses of every Grant, ended ones too, of one application of a business. */
export function grantsOf(businessId: number, applicationId: string): Prisma.Sql {
  return Prisma.sql`
    SELECT g.id, g.business_id FROM applications a JOIN grants g ON g.application_id = a.id
    WHERE a.id = ${applicationId} AND a.business_id = ${BigInt(businessId)}`;
}

const responseCounts = z.object({
  count2xx: z.number(),
  count4xx: z.number(),
  count429: z.number(),
  count5xx: z.number(),
}) satisfies z.ZodType<ResponseCounts>;

const hourRow = responseCounts.extend({ start: timestamp }) satisfies z.ZodType<UsageHour>;

/** Responses to an application by the hour, whichever businesses connected it. */
function readApplicationHours(
  prisma: PrismaClient,
  businessId: number,
  applicationId: string,
  { from, to }: Span,
): Promise<UsageHour[]> {
  const statement = prisma.$queryRaw`
    SELECT u.hour AS start, sum(u.count_2xx)::float8 AS "count2xx", sum(u.count_4xx)::float8 AS "count4xx",
           sum(u.count_429)::float8 AS "count429", sum(u.count_5xx)::float8 AS "count5xx"
    FROM (${grantsOf(businessId, applicationId)}) AS g
    JOIN usage_hours u ON u.business_id = g.business_id AND u.limit_id = g.id
      AND u.hour >= ${sqlTimestamp(from)} AND u.hour < ${sqlTimestamp(to)}
    GROUP BY u.hour ORDER BY u.hour`;
  return readRows(hourRow, statement);
}

/** Most rows of a result. */
const maxPlaces = 100;

const maxApplicationAddresses = 200;

const addressRow = z.object({
  address: z.string(),
  requests: z.number(),
  successes: z.number(),
  lastSuccessAt: nullable(timestamp),
}) satisfies z.ZodType<AddressUse>;

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

function readAddressesOf(
  prisma: PrismaClient,
  whose: Prisma.Sql,
  since: number,
  order: Prisma.Sql,
): Promise<AddressUse[]> {
  const statement = prisma.$queryRaw`
    SELECT u.address, sum(u.requests)::float8 AS requests, sum(u.successes)::float8 AS successes,
           max(u.last_success_at) AS "lastSuccessAt"
    FROM usage_addresses u WHERE ${whose} AND ${hourFrom(since)}
    GROUP BY u.address ORDER BY ${order}`;
  return readRows(addressRow, statement);
}

const endpointRow = z.object({
  method: z.string(),
  route: z.string(),
  requests: z.number(),
}) satisfies z.ZodType<EndpointUse>;

/** Routes of some limit ids of a business. */
function readEndpoints(
  prisma: PrismaClient,
  businessId: number,
  limitIds: readonly string[],
  since: number,
): Promise<EndpointUse[]> {
  const statement = prisma.$queryRaw`
    SELECT u.method, u.route, sum(u.requests)::float8 AS requests
    FROM usage_endpoints u
    WHERE u.business_id = ${BigInt(businessId)} AND u.limit_id = ANY(${[...limitIds]}) AND ${hourFrom(since)}
    GROUP BY u.method, u.route ORDER BY 3 DESC, u.route, u.method LIMIT ${maxPlaces}`;
  return readRows(endpointRow, statement);
}

function hourFrom(since: number): Prisma.Sql {
  return Prisma.sql`u.hour >= date_trunc('hour', ${sqlTimestamp(since)}, 'UTC')`;
}

/** Number of limit ids that are listed separately if none are named. */
const busiestLimitIds = 20;

const pointRow = hourRow.extend({ limitId: z.string() }) satisfies z.ZodType<UsagePoint>;

/** Responses by limit id and hour, oldest first. */
function readUsagePoints(
  prisma: PrismaClient,
  businessId: number,
  { from, to }: Span,
  limitIds: readonly string[] | undefined,
): Promise<UsagePoint[]> {
  const named = limitIds ? Prisma.sql`AND limit_id = ANY(${[...limitIds]})` : Prisma.empty;
  const statement = prisma.$queryRaw`
    WITH counted AS (
      SELECT * FROM usage_hours
      WHERE business_id = ${BigInt(businessId)} ${named}
        AND hour >= ${sqlTimestamp(from)} AND hour < ${sqlTimestamp(to)}
    ), busiest AS (
      SELECT limit_id AS id FROM counted WHERE limit_id <> '' GROUP BY limit_id
      ORDER BY sum(count_2xx + count_4xx + count_429 + count_5xx) DESC, limit_id
      LIMIT ${limitIds?.length ?? busiestLimitIds}
    )
    SELECT coalesce(busiest.id, '') AS "limitId", hour AS start, sum(count_2xx)::float8 AS "count2xx",
           sum(count_4xx)::float8 AS "count4xx", sum(count_429)::float8 AS "count429",
           sum(count_5xx)::float8 AS "count5xx"
    FROM counted LEFT JOIN busiest ON busiest.id = counted.limit_id
    GROUP BY 1, 2 ORDER BY 2, 1`;
  return readRows(pointRow, statement);
}

const recentCalls = z.object({ lastHour: z.number(), lastDay: z.number() }) satisfies z.ZodType<RecentCalls>;

/** Requests of one limit id in the last hour, and since the start of the hour 24 hours ago, as charts show them. */
async function readRecentCalls(
  prisma: PrismaClient,
  businessId: number,
  limitId: string,
): Promise<RecentCalls> {
  const statement = prisma.$queryRaw`
    SELECT coalesce(sum(calls) FILTER (WHERE minute > now() - interval '1 hour'), 0)::float8 AS "lastHour",
           coalesce(sum(calls), 0)::float8 AS "lastDay"
    FROM (
      SELECT minute, count_2xx + count_4xx + count_429 + count_5xx AS calls FROM usage_counts
      WHERE business_id = ${BigInt(businessId)} AND limit_id = ${limitId}
        AND minute >= date_trunc('hour', now() - interval '24 hours')
    ) AS recent`;
  const [calls] = await readRows(recentCalls, statement);
  return calls ?? { lastHour: 0, lastDay: 0 };
}

const scopeUseRow = z.object({
  limitId: z.string(),
  scope: z.string(),
  lastUsedAt: timestamp,
}) satisfies z.ZodType<ScopeUse>;

/** Scopes that API keys and Grants of a business really used. */
function readScopeUses(
  prisma: PrismaClient,
  businessId: number,
  limitIds: readonly string[],
): Promise<ScopeUse[]> {
  const id = BigInt(businessId);
  const statement = prisma.$queryRaw`
    SELECT u.limit_id AS "limitId", u.scope, u.last_used_at AS "lastUsedAt" FROM scope_uses u
    WHERE u.limit_id = ANY(${[...limitIds]})
      AND (EXISTS (SELECT 1 FROM api_keys k WHERE k.id = u.limit_id AND k.business_id = ${id})
        OR EXISTS (SELECT 1 FROM grants g WHERE g.id = u.limit_id AND g.business_id = ${id}))
    ORDER BY u.limit_id, u.scope`;
  return readRows(scopeUseRow, statement);
}

const rollingHourRow = z.object({
  limitId: z.string(),
  used: z.number(),
  observedAt: timestamp,
}) satisfies z.ZodType<RollingHourUse>;

/**
 * The count that gateways saw last, reduced by requests that have left the rolling hour since. The rolling hour has 61
 * buckets of a minute, so it never counts more than the requests of the last 61 minutes.
 */
async function readRollingHours(
  prisma: PrismaClient,
  businessId: number,
  limitIds: readonly string[],
): Promise<RollingHourUse[]> {
  const id = BigInt(businessId);
  const statement = prisma.$queryRaw`
    WITH recent AS (
      SELECT limit_id, sum(count_2xx + count_4xx + count_5xx) AS counted FROM usage_counts
      WHERE business_id = ${id} AND limit_id = ANY(${[...limitIds]})
        AND minute > now() - interval '61 minutes'
      GROUP BY limit_id
    )
    SELECT o.limit_id AS "limitId", least(o.used, coalesce(recent.counted, 0))::float8 AS used,
           o.observed_at AS "observedAt"
    FROM limit_observations o LEFT JOIN recent USING (limit_id)
    WHERE o.business_id = ${id} AND o.limit_id = ANY(${[...limitIds]})
      AND o.observed_at > now() - interval '61 minutes'`;
  const rows = await readRows(rollingHourRow, statement);
  const byLimitId = new Map(rows.map((row) => [row.limitId, row]));
  return limitIds.map((limitId) => byLimitId.get(limitId) ?? { limitId, used: 0, observedAt: undefined });
}

export type UsageReader = ReturnType<typeof createUsageReader>;

/**
 * Reads a business's traffic from PostgreSQL: a few seconds old, since gateways report in batches. What belongs to
 * another business is never in it. Limit ids are those of API keys and Grants.
 */
export function createUsageReader(database: Database, prisma: PrismaClient) {
  return {
    /**
     * Responses by hour and limit id, oldest first; hours without a request are left out. At most `maxHourlySpanMs`. The
     * 20 busiest limit ids stand for themselves, all others together are ''. With `limitIds`, only these.
     */
    perHour: (businessId: number, span: Span, limitIds?: readonly string[]): Promise<UsagePoint[]> =>
      database.run(() => readUsagePoints(prisma, businessId, span, limitIds)),
    /** Requests of one API key or Grant in the last hour and in the last 24 hours on the database's clock. */
    recentCalls: (businessId: number, limitId: string): Promise<RecentCalls> =>
      database.run(() => readRecentCalls(prisma, businessId, limitId)),
    /** Addresses, most used first, at most 100; kept by the hour for 30 days, so `since` is rounded down to its hour. */
    addresses: (businessId: number, limitIds: readonly string[], since: number): Promise<AddressUse[]> =>
      database.run(() => readAddresses(prisma, businessId, limitIds, since)),
    /**
     * Responses that an application got by the hour, whichever businesses connected it; as `perHour`.
     * @param businessId owner of the application
     */
    applicationPerHour: (businessId: number, applicationId: string, span: Span): Promise<UsageHour[]> =>
      database.run(() => readApplicationHours(prisma, businessId, applicationId, span)),
    /**
     * Addresses from which an application called, whichever businesses connected it; as `addresses`, but the latest
     * success first, and at most 200.
     * @param businessId owner of the application
     */
    applicationAddresses: (businessId: number, applicationId: string, since: number): Promise<AddressUse[]> =>
      database.run(() => readApplicationAddresses(prisma, businessId, applicationId, since)),
    /** Routes, most used first, at most 100; as `addresses`. */
    endpoints: (businessId: number, limitIds: readonly string[], since: number): Promise<EndpointUse[]> =>
      database.run(() => readEndpoints(prisma, businessId, limitIds, since)),
    /** Scopes that were really used, by limit id and scope. */
    scopeUses: (businessId: number, limitIds: readonly string[]): Promise<ScopeUse[]> =>
      database.run(() => readScopeUses(prisma, businessId, limitIds)),
    /** One entry per limit id that is asked for, in that order; unknown ones have used nothing. */
    rollingHours: (businessId: number, limitIds: readonly string[]): Promise<RollingHourUse[]> =>
      database.run(() => readRollingHours(prisma, businessId, limitIds)),
  };
}

const clientRow = z.object({
  limitId: z.string(),
  kind: z.enum(['api_key', 'application']),
  id: z.string(),
  name: z.string(),
  exists: z.boolean(),
  isOwn: z.boolean(),
}) satisfies z.ZodType<Client>;

/** Finds clients in the tables of API keys, Grants and applications. */
export function createFindCallers(database: Database, prisma: PrismaClient): FindClients {
  return async (businessId, limitIds) => {
    if (limitIds.length === 0) return [];
    const [business, ids] = [BigInt(businessId), [...limitIds]];
    const rows = await database.run(() => {
      const statement = prisma.$queryRaw`
        SELECT id AS "limitId", 'api_key' AS kind, id, name, true AS exists, true AS "isOwn" FROM api_keys
        WHERE business_id = ${business} AND id = ANY(${ids})
        UNION ALL
        SELECT g.id, 'application', a.id, a.name, g.ended_at IS NULL, a.business_id = g.business_id
        FROM grants g JOIN applications a ON a.id = g.application_id
        WHERE g.business_id = ${business} AND g.id = ANY(${ids})
        UNION ALL
        (SELECT DISTINCT ON (a.id) a.id, 'application', a.id, a.name, g.ended_at IS NULL, false
        FROM applications a JOIN grants g ON g.application_id = a.id
        WHERE g.business_id = ${business} AND a.business_id <> ${business} AND a.id = ANY(${ids}) ORDER BY a.id, g.ended_at DESC NULLS FIRST)
        UNION ALL
        SELECT id, 'application', id, name, true, true FROM applications
        WHERE business_id = ${business} AND id = ANY(${ids})`;
      return readRows(clientRow, statement);
    });
    const found = new Map(rows.map((row) => [row.limitId, row]));
    const deleted = limitIds.filter((limitId) => !found.has(limitId));
    const names = await database.run(() => namesOfDeleted(prisma, business, deleted));
    return limitIds.map(
      (limitId) => found.get(limitId) ?? { ...deletedClient(limitId), name: names.get(limitId) },
    );
  };
}
