import type { Prisma } from '../generated/client.ts';
import type { UsageCount } from '../usage/usage-batch.ts';

/** Adds requests by limit id, hour and address. */
export async function addAddresses(
  client: Prisma.TransactionClient,
  counts: readonly UsageCount[],
): Promise<void> {
  const rows = counts.flatMap(({ addresses, ...count }) =>
    addresses.map((use) => ({ ...whose(count), ...use })),
  );
  if (rows.length === 0) return;
  await client.$executeRaw`
    INSERT INTO usage_addresses AS stored
      (limit_id, hour, address, business_id, requests, successes, last_success_at)
    SELECT "limitId", date_trunc('hour', to_timestamp(minute / 1000), 'UTC') AS hour, address, min("businessId"),
           sum(requests), sum(successes),
           CASE WHEN max("lastSuccessAt") > 0 THEN least(to_timestamp(max("lastSuccessAt") / 1000), clock_timestamp()) END
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS added
      ("limitId" text, "businessId" bigint, minute float8, address text, requests bigint, successes bigint,
       "lastSuccessAt" float8)
    GROUP BY "limitId", hour, address ORDER BY "limitId", hour, address
    ON CONFLICT (limit_id, hour, address) DO UPDATE
    SET requests = stored.requests + excluded.requests, successes = stored.successes + excluded.successes,
        last_success_at = greatest(stored.last_success_at, excluded.last_success_at)`;
}

/** Adds requests by limit id, hour and row of the gateway's route table. */
export async function addEndpoints(
  client: Prisma.TransactionClient,
  counts: readonly UsageCount[],
): Promise<void> {
  const rows = counts.flatMap(({ endpoints, ...count }) =>
    endpoints.map((use) => ({ ...whose(count), ...use })),
  );
  if (rows.length === 0) return;
  await client.$executeRaw`
    INSERT INTO usage_endpoints AS stored (limit_id, hour, method, route, business_id, requests)
    SELECT "limitId", date_trunc('hour', to_timestamp(minute / 1000), 'UTC') AS hour, method, route,
           min("businessId"), sum(requests)
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS added
      ("limitId" text, "businessId" bigint, minute float8, method text, route text, requests bigint)
    GROUP BY "limitId", hour, method, route ORDER BY "limitId", hour, method, route
    ON CONFLICT (limit_id, hour, method, route) DO UPDATE SET requests = stored.requests + excluded.requests`;
}

function whose({ limitId, businessId, minute }: Pick<UsageCount, 'limitId' | 'businessId' | 'minute'>) {
  return { limitId, businessId, minute };
}
