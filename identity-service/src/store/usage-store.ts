import type { Database } from '@platform/service-kit/database.ts';
import type { Prisma } from '../generated/client.ts';
import type { UsageCount, UsageStore } from '../usage/usage-batch.ts';
import { raiseGrantUse } from './grant-use.ts';
import type { PrismaClient } from './prisma.ts';

/** Usage in PostgreSQL. */
export function createUsageStore(database: Database, prisma: PrismaClient): UsageStore {
  return {
    addOnce: ({ batchId, counts }) =>
      database.run(() =>
        prisma.$transaction(async (client) => {
          const isNew = await client.$executeRaw`
            INSERT INTO usage_batches (batch_id) VALUES (${batchId}::uuid) ON CONFLICT DO NOTHING`;
          if (isNew === 0 || counts.length === 0) return;
          await addCounts(client, counts);
          await raiseLastUse(client, counts);
          await raiseGrantUse(client, counts);
        }),
      ),
  };
}

/** One JSON parameter instead of thousands. Sorted, so that batches that meet lock rows in one order. */
async function addCounts(client: Prisma.TransactionClient, counts: readonly UsageCount[]): Promise<void> {
  await client.$executeRaw`
    INSERT INTO usage_counts AS stored
      (credential_id, minute, credential_type, business_id, count_2xx, count_4xx, count_429, count_5xx)
    SELECT "credentialId", to_timestamp(minute / 1000), "credentialType", "businessId",
           "count2xx", "count4xx", "count429", "count5xx"
    FROM jsonb_to_recordset(${JSON.stringify(counts)}::jsonb) AS added
      ("credentialId" text, minute float8, "credentialType" text, "businessId" bigint,
       "count2xx" bigint, "count4xx" bigint, "count429" bigint, "count5xx" bigint)
    ORDER BY "credentialId", minute
    ON CONFLICT (credential_id, minute) DO UPDATE
    SET count_2xx = stored.count_2xx + excluded.count_2xx, count_4xx = stored.count_4xx + excluded.count_4xx,
        count_429 = stored.count_429 + excluded.count_429, count_5xx = stored.count_5xx + excluded.count_5xx`;
}

/** Moves last use forward only, and never past the database's clock: a gateway's own clock may be wrong. */
async function raiseLastUse(client: Prisma.TransactionClient, counts: readonly UsageCount[]): Promise<void> {
  await client.$executeRaw`
    WITH latest AS (
      SELECT DISTINCT ON ("credentialId") "credentialId" AS id, "lastUsedIp" AS ip,
             least(to_timestamp("lastUsedAt" / 1000), clock_timestamp()) AS at
      FROM jsonb_to_recordset(${JSON.stringify(counts)}::jsonb) AS used
        ("credentialId" text, "lastUsedAt" float8, "lastUsedIp" text)
      ORDER BY "credentialId", "lastUsedAt" DESC
    ), held AS (
      SELECT id FROM api_keys WHERE id IN (SELECT id FROM latest) ORDER BY id FOR NO KEY UPDATE
    )
    UPDATE api_keys SET last_used_at = latest.at, last_used_ip = latest.ip
    FROM latest JOIN held USING (id)
    WHERE api_keys.id = latest.id AND (api_keys.last_used_at IS NULL OR api_keys.last_used_at < latest.at)`;
}
