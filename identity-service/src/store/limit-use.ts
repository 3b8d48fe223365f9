import type { Prisma } from '../generated/client.ts';
import type { UsageCount } from '../usage/usage-batch.ts';

/** Notes when a scope was last used, by limit id. Moves forward only, and never past the database's clock. */
export async function raiseScopeUses(
  client: Prisma.TransactionClient,
  counts: readonly UsageCount[],
): Promise<void> {
  const rows = counts.flatMap(({ limitId, scopesUsed, lastUsedAt }) =>
    limitId === '' ? [] : scopesUsed.map((scope) => ({ limitId, scope, at: lastUsedAt })),
  );
  if (rows.length === 0) return;
  await client.$executeRaw`
    INSERT INTO scope_uses AS stored (limit_id, scope, last_used_at)
    SELECT "limitId", scope, least(to_timestamp(max(at) / 1000), clock_timestamp())
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS used ("limitId" text, scope text, at float8)
    GROUP BY "limitId", scope ORDER BY "limitId", scope
    ON CONFLICT (limit_id, scope) DO UPDATE
    SET last_used_at = greatest(stored.last_used_at, excluded.last_used_at)`;
}

/** Notes what a gateway saw last of a rolling hour. */
export async function raiseLimitObservations(
  client: Prisma.TransactionClient,
  counts: readonly UsageCount[],
): Promise<void> {
  const rows = counts.flatMap(({ limitId, businessId, limitUsed, limitObservedAt }) =>
    limitId === '' || limitObservedAt === 0
      ? []
      : { limitId, businessId, used: limitUsed, at: limitObservedAt },
  );
  if (rows.length === 0) return;
  await client.$executeRaw`
    INSERT INTO limit_observations AS stored (limit_id, business_id, used, observed_at)
    SELECT DISTINCT ON ("limitId") "limitId", "businessId", used,
           least(to_timestamp(at / 1000), clock_timestamp())
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS seen
      ("limitId" text, "businessId" bigint, used int, at float8)
    ORDER BY "limitId", at DESC
    ON CONFLICT (limit_id) DO UPDATE SET used = excluded.used, observed_at = excluded.observed_at
    WHERE stored.observed_at <= excluded.observed_at`;
}
