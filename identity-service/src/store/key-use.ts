import type { Prisma } from '../generated/client.ts';
import type { UsageCount } from '../usage/usage-batch.ts';

/**
 * Notes on API keys when and from where they were last used. Moves forward only, and never past the database's clock: a
 * gateway's own clock may be wrong.
 */
export async function raiseKeyUse(
  client: Prisma.TransactionClient,
  counts: readonly UsageCount[],
): Promise<void> {
  const used = counts.map(({ credentialId, lastUsedAt, lastUsedIp }) => ({
    credentialId,
    lastUsedAt,
    lastUsedIp,
  }));
  await client.$executeRaw`
    WITH latest AS (
      SELECT DISTINCT ON ("credentialId") "credentialId" AS id, "lastUsedIp" AS ip,
             least(to_timestamp("lastUsedAt" / 1000), clock_timestamp()) AS at
      FROM jsonb_to_recordset(${JSON.stringify(used)}::jsonb) AS used
        ("credentialId" text, "lastUsedAt" float8, "lastUsedIp" text)
      ORDER BY "credentialId", "lastUsedAt" DESC
    ), held AS (
      SELECT id FROM api_keys WHERE id IN (SELECT id FROM latest) ORDER BY id FOR NO KEY UPDATE
    )
    UPDATE api_keys SET last_used_at = latest.at, last_used_ip = latest.ip
    FROM latest JOIN held USING (id)
    WHERE api_keys.id = latest.id AND (api_keys.last_used_at IS NULL OR api_keys.last_used_at < latest.at)`;
}
