import type { Database } from '@platform/service-kit/database/database.ts';
import { type ApiKeyRow, apiKeyColumns, toApiKey } from '../api-keys/store.ts';
import { grantLimit } from '../grants/grant.ts';
import type { PrismaClient } from '../platform/storage.ts';
import { expiryDays, type HourlyLimit, type OverviewReader, type StartFacts } from './overview.ts';

/** The overview of a business, from PostgreSQL. */
export function createOverviewReader(database: Database, prisma: PrismaClient): OverviewReader {
  return {
    startFacts: (businessId) => database.run(() => readStartFacts(prisma, BigInt(businessId))),
    endingKeys: (businessId) =>
      database.run(async () => {
        const rows = await prisma.$queryRaw<ApiKeyRow[]>`
          SELECT ${apiKeyColumns} FROM api_keys
          WHERE business_id = ${BigInt(businessId)}
            AND expires_at BETWEEN now() - make_interval(days => ${expiryDays})
                               AND now() + make_interval(days => ${expiryDays})
          ORDER BY expires_at, id LIMIT 20`;
        return rows.map(toApiKey);
      }),
    usedLimits: (businessId, share) =>
      database.run(
        () => prisma.$queryRaw<HourlyLimit[]>`
          WITH limits AS (
            SELECT id, request_limit FROM api_keys WHERE business_id = ${BigInt(businessId)}
            UNION ALL
            SELECT id, ${grantLimit}::int FROM grants WHERE business_id = ${BigInt(businessId)} AND ended_at IS NULL
          )
          SELECT limits.id AS "limitId", limits.request_limit AS "limit"
          FROM limit_observations o JOIN limits ON limits.id = o.limit_id
          WHERE o.business_id = ${BigInt(businessId)} AND o.observed_at > now() - interval '61 minutes'
            AND o.used >= ${share}::float8 * limits.request_limit
          ORDER BY o.used::float8 / limits.request_limit DESC, limits.id LIMIT 50`,
      ),
  };
}

async function readStartFacts(prisma: PrismaClient, businessId: bigint): Promise<StartFacts> {
  const [row] = await prisma.$queryRaw<StartFacts[]>`
    SELECT EXISTS (SELECT 1 FROM api_keys WHERE business_id = ${businessId})
             OR EXISTS (SELECT 1 FROM audit_events WHERE business_id = ${businessId} AND action = 'api_key.created')
             AS "keyMade",
           EXISTS (SELECT 1 FROM usage_hours WHERE business_id = ${businessId} AND count_2xx > 0) AS "firstCall",
           EXISTS (
             SELECT 1 FROM grants g JOIN applications a ON a.id = g.application_id
             WHERE g.ended_at IS NULL AND (g.business_id = ${businessId} OR a.business_id = ${businessId})
           ) AS connected`;
  return row ?? { keyMade: false, firstCall: false, connected: false };
}
