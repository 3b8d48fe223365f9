import type { Database } from '@platform/service-kit/database/database.ts';
import { readRows } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import type { ApiKey } from '../../credentials/api-keys/api-key.ts';
import { expiringSoonDays } from '../../credentials/api-keys/key-filter.ts';
import { selectApiKeys } from '../../credentials/api-keys/row-store.ts';
import { grantLimit } from '../../credentials/grants/grant.ts';
import { Prisma } from '../../generated/client.ts';
import type { PrismaClient } from '../../platform/storage.ts';

/** First steps that a business has taken. */
export interface StartFacts {
  /** An API key was created, and possibly deleted since. */
  readonly keyMade: boolean;
  /** A request succeeded within the last 90 days. */
  readonly firstCall: boolean;
  /** The business has connected an application, or one of its own is connected. */
  readonly connected: boolean;
}

/** Limit of an API key or Grant: requests per rolling hour. */
export interface HourlyLimit {
  readonly limitId: string;
  readonly limit: number;
}

const startFacts = z.object({ keyMade: z.boolean(), firstCall: z.boolean(), connected: z.boolean() });

const hourlyLimit = z.object({ limitId: z.string(), limit: z.int() });

export type OverviewReader = ReturnType<typeof createOverviewReader>;

/** Reads the facts of a business's overview, beside its traffic, from PostgreSQL. */
export function createOverviewReader(database: Database, prisma: PrismaClient) {
  return {
    startFacts: (businessId: number): Promise<StartFacts> =>
      database.run(() => readStartFacts(prisma, BigInt(businessId))),
    /** Keys that expire or have expired within `expiringSoonDays`, the first to expire first. */
    endingKeys: (businessId: number, max: number): Promise<ApiKey[]> =>
      database.run(() =>
        selectApiKeys(
          prisma,
          Prisma.sql`
            business_id = ${BigInt(businessId)}
              AND expires_at BETWEEN now() - make_interval(days => ${expiringSoonDays})
                                 AND now() + make_interval(days => ${expiringSoonDays})
            ORDER BY expires_at, id LIMIT ${max}`,
        ),
      ),
    /** Limits of which this share or more was used when a gateway last saw it, in the last hour; 50 at most. */
    usedLimits: (businessId: number, share: number): Promise<HourlyLimit[]> =>
      database.run(() => readUsedLimits(prisma, BigInt(businessId), share)),
  };
}

async function readStartFacts(prisma: PrismaClient, businessId: bigint): Promise<StartFacts> {
  const statement = prisma.$queryRaw`
    SELECT EXISTS (SELECT 1 FROM api_keys WHERE business_id = ${businessId})
             OR EXISTS (SELECT 1 FROM audit_events WHERE business_id = ${businessId} AND action = 'api_key.created')
             AS "keyMade",
           EXISTS (SELECT 1 FROM usage_hours WHERE business_id = ${businessId} AND count_2xx > 0) AS "firstCall",
           EXISTS (
             SELECT 1 FROM grants g JOIN applications a ON a.id = g.application_id
             WHERE g.ended_at IS NULL AND (g.business_id = ${businessId} OR a.business_id = ${businessId})
           ) AS connected`;
  const [facts] = await readRows(startFacts, statement);
  return facts ?? { keyMade: false, firstCall: false, connected: false };
}

function readUsedLimits(prisma: PrismaClient, businessId: bigint, share: number): Promise<HourlyLimit[]> {
  const statement = prisma.$queryRaw`
    WITH limits AS (
      SELECT id, request_limit FROM api_keys WHERE business_id = ${businessId}
      UNION ALL
      SELECT id, ${grantLimit}::int FROM grants WHERE business_id = ${businessId} AND ended_at IS NULL
    )
    SELECT limits.id AS "limitId", limits.request_limit AS "limit"
    FROM limit_observations o JOIN limits ON limits.id = o.limit_id
    WHERE o.business_id = ${businessId} AND o.observed_at > now() - interval '61 minutes'
      AND o.used >= ${share}::float8 * limits.request_limit
    ORDER BY o.used::float8 / limits.request_limit DESC, limits.id LIMIT 50`;
  return readRows(hourlyLimit, statement);
}
