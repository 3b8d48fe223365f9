import type { Database } from '@platform/service-kit/database/database.ts';
import { unavailableSqlState } from '@platform/service-kit/database/errors.ts';
import { integer, nullable, readRows, timestamp } from '@platform/service-kit/database/rows.ts';
import { createKeyedMutex } from '@platform/service-kit/process/keyed-mutex.ts';
import { z } from 'zod';
import { insertExposureNotices } from '../audit/notices/exposure-notices-store.ts';
import { Prisma } from '../generated/client.ts';
import type { PrismaClient } from '../platform/storage.ts';
import { createDemandReader } from './postgres-demand-store.ts';
import {
  credentialTypes,
  maxGroups,
  type RequestBatch,
  type RequestFilter,
  type RequestLog,
  type RequestRecord,
  searchTooSlow,
  statusesOf,
  trendParts,
  type UnlistedRequests,
} from './request-log.ts';

const requestRow = z.object({
  id: z.string(),
  at: timestamp,
  businessId: nullable(integer),
  method: z.string(),
  path: z.string(),
  route: z.string(),
  status: z.int(),
  durationMs: z.number(),
  upstreamMs: nullable(z.number()),
  responseBytes: integer,
  userAgent: z.string(),
  refusal: nullable(z.string()),
  error: nullable(z.string()),
  credentialType: nullable(z.enum(credentialTypes)),
  credentialId: nullable(z.string()),
  limitId: nullable(z.string()),
  clientIp: z.string(),
  requiredScope: nullable(z.string()),
  invalidField: nullable(z.string()),
  secretLastFour: nullable(z.string()),
}) satisfies z.ZodType<RequestRecord>;

const groupRow = z.object({
  method: z.string(),
  route: z.string(),
  status: z.int(),
  refusal: nullable(z.string()),
  limitId: nullable(z.string()),
  requests: integer,
  firstAt: timestamp,
  lastAt: timestamp,
  lastId: z.string(),
  trend: z.array(z.int()),
});

const durationsRow = z.object({
  method: z.string(),
  route: z.string(),
  requests: integer,
  failures: integer,
  p50: z.number(),
  p95: z.number(),
  p99: z.number(),
});

const minuteRow = z.object({ businessId: integer, minute: timestamp, requests: integer });

const columns = Prisma.sql`
  id::text, at, business_id AS "businessId", method, path, route, status, duration_ms AS "durationMs",
  upstream_ms AS "upstreamMs", response_bytes AS "responseBytes", user_agent AS "userAgent", refusal, error,
  credential_type AS "credentialType", credential_id AS "credentialId", limit_id AS "limitId", client_ip AS "clientIp",
  required_scope AS "requiredScope", invalid_field AS "invalidField", secret_last_four AS "secretLastFour"`;

const isUuid = (text: string) => z.uuid().safeParse(text).success;

/** SQLSTATE of a statement that took too long. */
const statementTimeout = '57014';

/** Keeps the log in PostgreSQL: partitions of a day, for 30 days. */
export function createPostgresLog(database: Database, prisma: PrismaClient): RequestLog {
  const read = <Row extends z.ZodType>(row: Row, statement: Prisma.Sql): Promise<z.output<Row>[]> =>
    database.run(() => readRows(row, prisma.$queryRaw(statement)));
  const inTurn = createKeyedMutex<number>();
  /** Reads that may take long: one at a time for a business, so that nothing else waits for a connection because of them. */
  const search = <Row extends z.ZodType>(businessId: number, row: Row, statement: Prisma.Sql) =>
    inTurn(businessId, () => read(row, statement)).catch((error: unknown) => {
      throw unavailableSqlState(error) === statementTimeout ? searchTooSlow(error) : error;
    });

  async function findOne(condition: Prisma.Sql): Promise<RequestRecord | undefined> {
    const [found] = await read(
      requestRow,
      Prisma.sql`SELECT ${columns} FROM request_log WHERE ${condition} LIMIT 1`,
    );
    return found;
  }

  return {
    ...createDemandReader(database, prisma),
    add: (batch) => database.run(() => prisma.$transaction((client) => addBatch(client, batch))),
    list: (businessId, query) =>
      search(
        businessId,
        requestRow,
        Prisma.sql`
          SELECT ${columns} FROM request_log
          WHERE business_id = ${BigInt(businessId)} AND ${conditionOf(query)} AND ${afterCursor(query.after)}
          ORDER BY at DESC, id LIMIT ${query.limit}`,
      ),
    find: async (businessId, id) =>
      isUuid(id)
        ? findOne(
            Prisma.sql`id = ${id}::uuid AND (business_id = ${BigInt(businessId)} OR business_id IS NULL)`,
          )
        : undefined,
    findAny: async (id) => (isUuid(id) ? findOne(Prisma.sql`id = ${id}::uuid`) : undefined),
    groups: (businessId, filter) =>
      search(
        businessId,
        groupRow,
        Prisma.sql`
          WITH failed AS (
            SELECT *, width_bucket(extract(epoch FROM at)::float8, ${filter.from / 1000}::float8,
                                   ${filter.to / 1000}::float8, ${trendParts}::int) AS part
            FROM request_log
            WHERE business_id = ${BigInt(businessId)} AND (status >= 400 OR refusal IS NOT NULL) AND ${conditionOf(filter)}
          ), parts AS (
            SELECT method, route, status, refusal, limit_id, part, count(*) AS requests, min(at) AS first_at,
                   max(at) AS last_at, (array_agg(id ORDER BY at DESC))[1] AS last_id
            FROM failed GROUP BY 1, 2, 3, 4, 5, 6
          )
          SELECT method, route, status, refusal, limit_id AS "limitId", sum(requests)::bigint AS requests,
                 min(first_at) AS "firstAt", max(last_at) AS "lastAt",
                 (array_agg(last_id ORDER BY last_at DESC))[1]::text AS "lastId",
                 ARRAY(
                   SELECT coalesce(p.requests, 0)::int FROM generate_series(1, ${trendParts}::int) AS n
                   LEFT JOIN unnest(array_agg(part), array_agg(requests)) AS p (part, requests) ON p.part = n
                   ORDER BY n
                 ) AS trend
          FROM parts GROUP BY 1, 2, 3, 4, 5 ORDER BY requests DESC, "lastAt" DESC LIMIT ${maxGroups}`,
      ),
    durations: (businessId, filter) =>
      search(
        businessId,
        durationsRow,
        Prisma.sql`
          SELECT method, route, requests, failures, quantiles[1] AS p50, quantiles[2] AS p95, quantiles[3] AS p99
          FROM (
            SELECT method, route, count(*) AS requests, count(*) FILTER (WHERE status >= 500) AS failures,
                   percentile_disc(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (ORDER BY duration_ms) AS quantiles
            FROM request_log WHERE business_id = ${BigInt(businessId)} AND ${conditionOf(filter)}
            GROUP BY method, route ORDER BY requests DESC, route, method LIMIT ${maxGroups}
          ) AS routes`,
      ),
    unlisted: (businessId, { from, to }) =>
      read(
        minuteRow,
        Prisma.sql`
          SELECT business_id AS "businessId", minute, unlisted AS requests FROM request_log_minutes
          WHERE business_id = ${BigInt(businessId)} AND unlisted > 0
            AND minute >= date_trunc('minute', ${new Date(from)}::timestamptz) AND minute < ${new Date(to)}
          ORDER BY minute DESC LIMIT 1000`,
      ),
  };
}

async function addBatch(client: Prisma.TransactionClient, batch: RequestBatch): Promise<void> {
  if (!(await isNew(client, batch))) return;
  await insertRecords(client, batch.records);
  await addMinutes(client, minutesOf(batch));
  await insertExposureNotices(client, exposedOf(batch));
}

/** Notes a batch. False when it was noted before. */
async function isNew(client: Prisma.TransactionClient, { batchId }: RequestBatch): Promise<boolean> {
  const added = await client.usageBatch.createMany({ data: { batchId }, skipDuplicates: true });
  return added.count > 0;
}

const exposedOf = ({ records }: RequestBatch) =>
  records.filter(({ refusal, businessId }) => refusal === 'plain_http' && businessId);

/** Adds once what is in PostgreSQL wherever the records are: requests that are not listed, and notices. */
export async function addBesideRecords(
  database: Database,
  prisma: PrismaClient,
  batch: RequestBatch,
): Promise<void> {
  const exposed = exposedOf(batch);
  if (exposed.length + batch.unlisted.length === 0) return;
  const add = async (client: Prisma.TransactionClient) => {
    if (!(await isNew(client, batch))) return;
    await addMinutes(client, minutesOf({ ...batch, records: [] }));
    await insertExposureNotices(client, exposed);
  };
  await database.run(() => prisma.$transaction(add));
}

/** Adds records. Times are never in the future, because the clock of a gateway may be wrong. */
async function insertRecords(
  client: Prisma.TransactionClient,
  records: readonly RequestRecord[],
): Promise<void> {
  if (records.length === 0) return;
  await client.$executeRaw`
    INSERT INTO request_log
      (id, at, business_id, method, path, route, status, duration_ms, upstream_ms, response_bytes, user_agent, refusal,
       error, credential_type, credential_id, limit_id, client_ip, required_scope, invalid_field, secret_last_four)
    SELECT id, least(to_timestamp(at / 1000), clock_timestamp()), "businessId", method, path, route, status, "durationMs",
           "upstreamMs", "responseBytes", "userAgent", refusal, error, "credentialType", "credentialId", "limitId",
           "clientIp", "requiredScope", "invalidField", "secretLastFour"
    FROM jsonb_to_recordset(${JSON.stringify(records)}::jsonb) AS added
      (id uuid, at float8, "businessId" bigint, method text, path text, route text, status int, "durationMs" real,
       "upstreamMs" real, "responseBytes" bigint, "userAgent" text, refusal text, error text, "credentialType" text,
       "credentialId" text, "limitId" text, "clientIp" text, "requiredScope" text, "invalidField" text,
       "secretLastFour" text)`;
}

interface Minute {
  readonly businessId: number;
  readonly minute: number;
  readonly listed: number;
  readonly unlisted: number;
}

const minuteMs = 60_000;

/** Counts of a batch by business and minute. */
function minutesOf({ records, unlisted }: RequestBatch): Minute[] {
  const minutes = new Map<string, Minute>();
  const add = (businessId: number, at: number, counts: Pick<Minute, 'listed' | 'unlisted'>) => {
    const minute = at - (at % minuteMs);
    const key = `${businessId} ${minute}`;
    const known = minutes.get(key) ?? { businessId, minute, listed: 0, unlisted: 0 };
    minutes.set(key, {
      ...known,
      listed: known.listed + counts.listed,
      unlisted: known.unlisted + counts.unlisted,
    });
  };
  for (const { businessId, at } of records) {
    if (businessId !== undefined) add(businessId, at, { listed: 1, unlisted: 0 });
  }
  for (const { businessId, minute, requests } of unlisted) {
    add(businessId, minute, { listed: 0, unlisted: requests });
  }
  return [...minutes.values()];
}

/** Adds counts by business and minute, sorted, so that concurrent batches lock rows in the same order. */
async function addMinutes(client: Prisma.TransactionClient, minutes: readonly Minute[]): Promise<void> {
  if (minutes.length === 0) return;
  await client.$executeRaw`
    INSERT INTO request_log_minutes AS stored (business_id, minute, listed, unlisted)
    SELECT "businessId", to_timestamp(minute / 1000), listed, unlisted
    FROM jsonb_to_recordset(${JSON.stringify(minutes)}::jsonb) AS added
      ("businessId" bigint, minute float8, listed bigint, unlisted bigint)
    ORDER BY "businessId", minute
    ON CONFLICT (business_id, minute) DO UPDATE
    SET listed = stored.listed + excluded.listed, unlisted = stored.unlisted + excluded.unlisted`;
}

/** Adds what could not be listed. */
export function addUnlisted(
  database: Database,
  prisma: PrismaClient,
  unlisted: readonly UnlistedRequests[],
): Promise<void> {
  const minutes = minutesOf({ batchId: '', records: [], unlisted });
  return database.run(() => addMinutes(prisma, minutes));
}

function conditionOf(filter: RequestFilter): Prisma.Sql {
  const { limitId, statusClass, status, reasonStatus, refusal, method, route, clientIp, text, from, to } =
    filter;
  const conditions = [Prisma.sql`true`];
  const add = (condition: Prisma.Sql) => conditions.push(condition);
  if (limitId !== undefined) add(Prisma.sql`limit_id = ${limitId}`);
  if (statusClass !== undefined) {
    const [lowest, highest] = statusesOf[statusClass];
    add(Prisma.sql`status BETWEEN ${lowest} AND ${highest}`);
  }
  if (status !== undefined) add(Prisma.sql`status = ${status}`);
  if (reasonStatus !== undefined) add(Prisma.sql`status = ${reasonStatus}`);
  if (refusal === 'none') add(Prisma.sql`refusal IS NULL`);
  else if (refusal !== undefined) add(Prisma.sql`refusal = ${refusal}`);
  if (method !== undefined) add(Prisma.sql`method = ${method}`);
  if (route !== undefined) add(Prisma.sql`route = ${route}`);
  if (clientIp !== undefined) add(Prisma.sql`client_ip = ${clientIp}`);
  if (text !== undefined) add(textCondition(text));
  if (from !== undefined) add(Prisma.sql`at >= ${new Date(from)}`);
  if (to !== undefined) add(Prisma.sql`at < ${new Date(to)}`);
  return Prisma.join(conditions, ' AND ');
}

function textCondition(text: string): Prisma.Sql {
  if (isUuid(text)) return Prisma.sql`id = ${text}::uuid`;
  const part = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
  return Prisma.sql`(path ILIKE ${part} OR user_agent ILIKE ${part} OR error ILIKE ${part} OR client_ip = ${text})`;
}

/** Keyset condition: rows after the cursor in (at DESC, id). */
function afterCursor(after: { readonly at: number; readonly id: string } | undefined): Prisma.Sql {
  if (after === undefined) return Prisma.sql`true`;
  const place = new Date(after.at);
  return Prisma.sql`at <= ${place} AND (at < ${place} OR id > ${after.id}::uuid)`;
}
