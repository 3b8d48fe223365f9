import type { Database } from '@platform/service-kit/database.ts';
import { Prisma } from '../generated/client.ts';
import type { RequestRecord } from '../requests/request-record.ts';
import type { RequestQuery, RequestStore } from '../requests/request-store.ts';
import { moment } from './moment.ts';
import { behind } from './paging.ts';
import type { PrismaClient } from './prisma.ts';
import { type RequestRow, requestColumns, toRequestRecord } from './request-row.ts';

/** Records of requests in PostgreSQL. */
export function createRequestStore(database: Database, prisma: PrismaClient): RequestStore {
  return {
    addOnce: (records) => database.run(() => addOnce(prisma, records)),
    list: (businessId, query) =>
      database.run(async () => {
        const rows = await prisma.$queryRaw<RequestRow[]>`
          SELECT ${requestColumns} FROM request_records
          WHERE business_id = ${BigInt(businessId)} ${Prisma.join(conditionsOf(query), ' ')}
          ORDER BY at DESC, id LIMIT ${query.limit}`;
        return rows.map(toRequestRecord);
      }),
    find: (businessId, id) =>
      database.run(async () => {
        const [row] = await prisma.$queryRaw<RequestRow[]>`
          SELECT ${requestColumns} FROM request_records
          WHERE id = ${id} AND (business_id = ${BigInt(businessId)} OR business_id IS NULL)`;
        return row && toRequestRecord(row);
      }),
  };
}

/** Sorted, so that batches that meet lock rows in one order. Never in the future: a gateway's own clock may be wrong. */
async function addOnce(prisma: PrismaClient, records: readonly RequestRecord[]): Promise<void> {
  if (records.length === 0) return;
  await prisma.$executeRaw`
    INSERT INTO request_records
      (id, at, business_id, method, path, route, status, refusal, credential_type, credential_id, limit_id, client_ip,
       required_scope)
    SELECT id, least(to_timestamp(at / 1000), clock_timestamp()), "businessId", method, path, route, status, refusal,
           "credentialType", "credentialId", "limitId", "clientIp", "requiredScope"
    FROM jsonb_to_recordset(${JSON.stringify(records)}::jsonb) AS added
      (id text, at float8, "businessId" bigint, method text, path text, route text, status int, refusal text,
       "credentialType" text, "credentialId" text, "limitId" text, "clientIp" text, "requiredScope" text)
    ORDER BY id
    ON CONFLICT (id) DO NOTHING`;
}

function conditionsOf(query: RequestQuery): Prisma.Sql[] {
  const { after, limitId, statusClass, refusal, from, to } = query;
  return [
    when(limitId, (id) => Prisma.sql`AND limit_id = ${id}`),
    when(refusal, (word) => Prisma.sql`AND refusal = ${word}`),
    when(statusClass, (name) =>
      name === '5xx' ? Prisma.sql`AND status >= 500` : Prisma.sql`AND status < 500`,
    ),
    when(from, (ms) => Prisma.sql`AND at >= ${moment(ms)}`),
    when(to, (ms) => Prisma.sql`AND at < ${moment(ms)}`),
    when(after, (position) => behind(position, Prisma.sql`at`, Prisma.sql`id`)),
  ];
}

function when<T>(value: T | undefined, condition: (value: T) => Prisma.Sql): Prisma.Sql {
  return value === undefined ? Prisma.empty : condition(value);
}
