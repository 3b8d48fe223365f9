import type { Database } from '@platform/service-kit/database/database.ts';
import type { Prisma } from '../generated/client.ts';
import type { PrismaClient } from '../platform/storage.ts';
import type { UsageBatch, UsageCount } from './usage.ts';

/** Adds responses by credential and minute. One JSON parameter instead of thousands. */
async function addMinutes(client: Prisma.TransactionClient, counts: readonly UsageCount[]): Promise<void> {
  await client.$executeRaw`
    INSERT INTO usage_counts AS stored
      (credential_id, minute, credential_type, business_id, limit_id, count_2xx, count_4xx, count_429, count_5xx)
    SELECT "credentialId", to_timestamp(minute / 1000), "credentialType", "businessId", "limitId",
           "count2xx", "count4xx", "count429", "count5xx"
    FROM jsonb_to_recordset(${countsJson(counts)}::jsonb) AS added
      ("credentialId" text, minute float8, "credentialType" text, "businessId" bigint, "limitId" text,
       "count2xx" bigint, "count4xx" bigint, "count429" bigint, "count5xx" bigint)
    ORDER BY "credentialId", minute
    ON CONFLICT (credential_id, minute) DO UPDATE
    SET count_2xx = stored.count_2xx + excluded.count_2xx, count_4xx = stored.count_4xx + excluded.count_4xx,
        count_429 = stored.count_429 + excluded.count_429, count_5xx = stored.count_5xx + excluded.count_5xx`;
}

/** Adds responses by business, hour and limit id. */
async function addHours(client: Prisma.TransactionClient, counts: readonly UsageCount[]): Promise<void> {
  await client.$executeRaw`
    INSERT INTO usage_hours AS stored
      (business_id, hour, limit_id, count_2xx, count_4xx, count_429, count_5xx)
    SELECT "businessId", date_trunc('hour', to_timestamp(minute / 1000), 'UTC') AS hour, "limitId",
           sum("count2xx"), sum("count4xx"), sum("count429"), sum("count5xx")
    FROM jsonb_to_recordset(${countsJson(counts)}::jsonb) AS added
      (minute float8, "businessId" bigint, "limitId" text,
       "count2xx" bigint, "count4xx" bigint, "count429" bigint, "count5xx" bigint)
    GROUP BY "businessId", hour, "limitId" ORDER BY "businessId", hour, "limitId"
    ON CONFLICT (business_id, hour, limit_id) DO UPDATE
    SET count_2xx = stored.count_2xx + excluded.count_2xx, count_4xx = stored.count_4xx + excluded.count_4xx,
        count_429 = stored.count_429 + excluded.count_429, count_5xx = stored.count_5xx + excluded.count_5xx`;
}

function countsJson(counts: readonly UsageCount[]): string {
  return JSON.stringify(counts.map(({ addresses: _, endpoints: __, ...rest }) => rest));
}

/** Adds requests by limit id, hour and address. */
async function addAddresses(client: Prisma.TransactionClient, counts: readonly UsageCount[]): Promise<void> {
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
async function addEndpoints(client: Prisma.TransactionClient, counts: readonly UsageCount[]): Promise<void> {
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

/** Notes when a scope was last used, by limit id. Moves forward only, and never past the database's clock. */
async function raiseScopeUses(
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
async function raiseLimitObservations(
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

/**
 * Records on Grants the last use of their access tokens, its address, and used scopes. The last use only moves forward, and
 * never past the database's clock, because the clock of a gateway may be wrong.
 */
async function raiseGrantUse(client: Prisma.TransactionClient, counts: readonly UsageCount[]): Promise<void> {
  const used = counts.filter(({ credentialType }) => credentialType === 'access_token');
  if (used.length === 0) return;
  // A separate statement. If one statement locked and changed a row, PostgreSQL would restart it at the row version that it
  // saw first. Token requests may hold that version while an end of the Grant waits for it, and holds the lock needed here.
  await client.$executeRaw`
    SELECT 1 FROM grants
    WHERE id IN (SELECT grant_id FROM access_tokens WHERE id = ANY(${used.map(({ credentialId }) => credentialId)}))
    ORDER BY id FOR NO KEY UPDATE`;
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
    )
    UPDATE grants SET
      last_used_at = greatest(grants.last_used_at, latest.at),
      last_used_ip = CASE WHEN grants.last_used_at >= latest.at THEN grants.last_used_ip ELSE latest.ip END,
      scopes_used = ARRAY(SELECT DISTINCT s FROM unnest(grants.scopes_used || scopes.scopes) AS s ORDER BY s)
    FROM latest LEFT JOIN scopes USING (grant_id)
    WHERE grants.id = latest.grant_id`;
}

/**
 * Records time and address of the last use of API keys. The last use only moves forward, and never past the database's
 * clock, because the clock of a gateway may be wrong.
 */
async function raiseKeyUse(client: Prisma.TransactionClient, counts: readonly UsageCount[]): Promise<void> {
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

/** Steps of every batch. Their order, and sorted locks in each step, keep concurrent batches from deadlocking. */
const steps = [
  addMinutes,
  addHours,
  raiseKeyUse,
  raiseGrantUse,
  addAddresses,
  addEndpoints,
  raiseScopeUses,
  raiseLimitObservations,
];

export type UsageStore = ReturnType<typeof createUsageStore>;

/** Keeps usage in PostgreSQL. */
export function createUsageStore(database: Database, prisma: PrismaClient) {
  return {
    /** Adds a batch, unless one with its id was added before. */
    addOnce: ({ batchId, counts }: UsageBatch): Promise<void> =>
      database.run(() =>
        prisma.$transaction(async (client) => {
          if (counts.length === 0) return;
          const added = await client.usageBatch.createMany({ data: { batchId }, skipDuplicates: true });
          if (added.count === 0) return;
          for (const step of steps) await step(client, counts);
        }),
      ),
  };
}
