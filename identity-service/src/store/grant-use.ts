import type { Prisma } from '../generated/client.ts';
import type { UsageCount } from '../usage/usage-batch.ts';

/**
 * Notes on Grants what requests with their access tokens did: last use, its address, scopes. Last use moves forward only,
 * and never past the database's clock: a gateway's own clock may be wrong.
 */
export async function raiseGrantUse(
  client: Prisma.TransactionClient,
  counts: readonly UsageCount[],
): Promise<void> {
  const used = counts.filter(({ credentialType }) => credentialType === 'access_token');
  if (used.length === 0) return;
  await client.$executeRaw`
    WITH used AS (
      SELECT t.grant_id, u."lastUsedIp" AS ip, u."scopesUsed" AS scopes,
             least(to_timestamp(u."lastUsedAt" / 1000), clock_timestamp()) AS at
      FROM jsonb_to_recordset(${JSON.stringify(used)}::jsonb) AS u
        ("credentialId" text, "lastUsedAt" float8, "lastUsedIp" text, "scopesUsed" text[])
      JOIN access_tokens t ON t.id = u."credentialId"
    ), latest AS (
      SELECT DISTINCT ON (grant_id) grant_id, ip, at FROM used ORDER BY grant_id, at DESC
    ), scopes AS (
      SELECT grant_id, array_agg(DISTINCT scope) AS scopes FROM used, unnest(used.scopes) AS scope GROUP BY grant_id
    ), held AS (
      SELECT id FROM grants WHERE id IN (SELECT grant_id FROM latest) ORDER BY id FOR NO KEY UPDATE
    )
    UPDATE grants SET
      last_used_at = greatest(grants.last_used_at, latest.at),
      last_used_ip = CASE WHEN grants.last_used_at >= latest.at THEN grants.last_used_ip ELSE latest.ip END,
      scopes_used = ARRAY(SELECT DISTINCT s FROM unnest(grants.scopes_used || scopes.scopes) AS s ORDER BY s)
    FROM held JOIN latest ON latest.grant_id = held.id LEFT JOIN scopes ON scopes.grant_id = held.id
    WHERE grants.id = held.id`;
}
