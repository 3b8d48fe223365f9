import type { Database } from '@platform/service-kit/database/database.ts';
import type { CredentialType } from '../authorization/credential.ts';
import { Prisma } from '../generated/client.ts';
import { behind, moment, type PrismaClient } from '../platform/storage.ts';
import type { RequestQuery, RequestRecord, RequestStore } from './request-log.ts';

/** A row of `request_records`. */
interface RequestRow {
  readonly id: string;
  readonly at: Date;
  readonly business_id: bigint | null;
  readonly method: string;
  readonly path: string;
  readonly route: string;
  readonly status: number;
  readonly refusal: string | null;
  readonly credential_type: CredentialType | null;
  readonly credential_id: string | null;
  readonly limit_id: string | null;
  readonly client_ip: string;
  readonly required_scope: string | null;
}

const requestColumns = Prisma.sql`
  id, at, business_id, method, path, route, status, refusal, credential_type, credential_id, limit_id, client_ip,
  required_scope`;

function toRequestRecord(row: RequestRow): RequestRecord {
  return {
    id: row.id,
    at: row.at.getTime(),
    businessId: row.business_id === null ? undefined : Number(row.business_id),
    method: row.method,
    path: row.path,
    route: row.route,
    status: row.status,
    refusal: row.refusal ?? undefined,
    credentialType: row.credential_type ?? undefined,
    credentialId: row.credential_id ?? undefined,
    limitId: row.limit_id ?? undefined,
    clientIp: row.client_ip,
    requiredScope: row.required_scope ?? undefined,
  };
}

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
