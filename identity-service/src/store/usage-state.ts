import type { RollingHourUse, ScopeUse } from '../usage/usage-reader.ts';
import type { PrismaClient } from './prisma.ts';

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
export async function readScopeUses(
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
export async function readRollingHours(
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
