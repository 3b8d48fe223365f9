import type { Prisma } from '../generated/client.ts';
import type { UsageCount } from '../usage/usage-batch.ts';

/** Adds answers by credential and minute. One JSON parameter instead of thousands. */
export async function addMinutes(
  client: Prisma.TransactionClient,
  counts: readonly UsageCount[],
): Promise<void> {
  await client.$executeRaw`
    INSERT INTO usage_counts AS stored
      (credential_id, minute, credential_type, business_id, limit_id, count_2xx, count_4xx, count_429, count_5xx)
    SELECT "credentialId", to_timestamp(minute / 1000), "credentialType", "businessId", "limitId",
           "count2xx", "count4xx", "count429", "count5xx"
    FROM jsonb_to_recordset(${answersOf(counts)}::jsonb) AS added
      ("credentialId" text, minute float8, "credentialType" text, "businessId" bigint, "limitId" text,
       "count2xx" bigint, "count4xx" bigint, "count429" bigint, "count5xx" bigint)
    ORDER BY "credentialId", minute
    ON CONFLICT (credential_id, minute) DO UPDATE
    SET count_2xx = stored.count_2xx + excluded.count_2xx, count_4xx = stored.count_4xx + excluded.count_4xx,
        count_429 = stored.count_429 + excluded.count_429, count_5xx = stored.count_5xx + excluded.count_5xx`;
}

/** Adds answers by business, hour and limit id. */
export async function addHours(
  client: Prisma.TransactionClient,
  counts: readonly UsageCount[],
): Promise<void> {
  await client.$executeRaw`
    INSERT INTO usage_hours AS stored
      (business_id, hour, limit_id, count_2xx, count_4xx, count_429, count_5xx)
    SELECT "businessId", date_trunc('hour', to_timestamp(minute / 1000), 'UTC') AS hour, "limitId",
           sum("count2xx"), sum("count4xx"), sum("count429"), sum("count5xx")
    FROM jsonb_to_recordset(${answersOf(counts)}::jsonb) AS added
      (minute float8, "businessId" bigint, "limitId" text,
       "count2xx" bigint, "count4xx" bigint, "count429" bigint, "count5xx" bigint)
    GROUP BY "businessId", hour, "limitId" ORDER BY "businessId", hour, "limitId"
    ON CONFLICT (business_id, hour, limit_id) DO UPDATE
    SET count_2xx = stored.count_2xx + excluded.count_2xx, count_4xx = stored.count_4xx + excluded.count_4xx,
        count_429 = stored.count_429 + excluded.count_429, count_5xx = stored.count_5xx + excluded.count_5xx`;
}

function answersOf(counts: readonly UsageCount[]): string {
  return JSON.stringify(counts.map(({ addresses: _, endpoints: __, ...answers }) => answers));
}
