import type { Database } from '@platform/service-kit/database/database.ts';
import { integer, nullable, timestamp } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import { insertExposureNotices } from '../audit/notices/exposure-notices-store.ts';
import { Prisma } from '../generated/client.ts';
import type { Position } from '../platform/pagination.ts';
import type { PrismaClient } from '../platform/storage.ts';
import { credentialTypes, type RequestQuery, type RequestRecord } from './request-log.ts';

const requestRow = z.object({
  id: z.string(),
  at: timestamp,
  businessId: nullable(integer),
  method: z.string(),
  path: z.string(),
  route: z.string(),
  status: z.int(),
  refusal: nullable(z.string()),
  credentialType: nullable(z.enum(credentialTypes)),
  credentialId: nullable(z.string()),
  limitId: nullable(z.string()),
  clientIp: z.string(),
  requiredScope: nullable(z.string()),
  invalidField: nullable(z.string()),
  secretLastFour: nullable(z.string()),
  publicError: nullable(z.string()),
  requests: z.int(),
}) satisfies z.ZodType<RequestRecord>;

export type RequestStore = ReturnType<typeof createRequestStore>;

/** Keeps refused and failed requests in PostgreSQL: for seven days, for one day when their business is unknown. */
export function createRequestStore(database: Database, prisma: PrismaClient) {
  const { requestRecord: records } = prisma;
  return {
    /**
     * Adds records; existing ones are kept. Also adds notices for credentials that were sent over http. Both steps are
     * idempotent, so a batch that failed between them is completed when it is sent again.
     */
    addOnce: (added: readonly RequestRecord[]): Promise<void> =>
      database.run(async () => {
        await insertRecords(prisma, added, 'keep');
        const exposed = added.filter(({ refusal, businessId }) => refusal === 'plain_http' && businessId);
        if (exposed.length > 0) await insertExposureNotices(prisma, exposed);
      }),
    list: (businessId: number, query: RequestQuery): Promise<RequestRecord[]> =>
      database.run(async () => {
        const rows = await records.findMany({
          where: { businessId: BigInt(businessId), ...conditionsOf(query) },
          orderBy: [{ at: 'desc' }, { id: 'asc' }],
          take: query.limit,
        });
        return rows.map((row) => requestRow.parse(row));
      }),
    /**
     * A record of the business, or one of an unknown business: its id is known only to the client that got the
     * response. Never one of another business.
     */
    find: (businessId: number, id: string): Promise<RequestRecord | undefined> =>
      database.run(async () => {
        const where = { id, OR: [{ businessId: BigInt(businessId) }, { businessId: null }] };
        const row = await records.findFirst({ where });
        return row === null ? undefined : requestRow.parse(row);
      }),
  };
}

/** For a record that exists already: `keep` leaves it as it is, `sum` adds the requests to it. */
const conflicts = {
  keep: Prisma.sql`DO NOTHING`,
  sum: Prisma.sql`DO UPDATE
    SET requests = least(stored.requests::bigint + excluded.requests, 2000000000),
        at = greatest(stored.at, excluded.at), client_ip = excluded.client_ip, status = excluded.status,
        public_error = excluded.public_error, secret_last_four = excluded.secret_last_four`,
};

/**
 * Adds records, each id once. They are sorted, so that concurrent batches lock rows in the same order. Times are never in the
 * future, because the clock of a gateway may be wrong.
 */
export async function insertRecords(
  client: Prisma.TransactionClient,
  records: readonly RequestRecord[],
  conflict: keyof typeof conflicts,
): Promise<void> {
  if (records.length === 0) return;
  await client.$executeRaw`
    INSERT INTO request_records AS stored
      (id, at, business_id, method, path, route, status, refusal, credential_type, credential_id, limit_id, client_ip,
       required_scope, invalid_field, secret_last_four, public_error, requests)
    SELECT id, least(to_timestamp(at / 1000), clock_timestamp()), "businessId", method, path, route, status, refusal,
           "credentialType", "credentialId", "limitId", "clientIp", "requiredScope", "invalidField", "secretLastFour",
           "publicError", requests
    FROM jsonb_to_recordset(${JSON.stringify(records)}::jsonb) AS added
      (id text, at float8, "businessId" bigint, method text, path text, route text, status int, refusal text,
       "credentialType" text, "credentialId" text, "limitId" text, "clientIp" text, "requiredScope" text,
       "invalidField" text, "secretLastFour" text, "publicError" text, requests int)
    ORDER BY id
    ON CONFLICT (id) ${conflicts[conflict]}`;
}

function conditionsOf(query: RequestQuery): Prisma.RequestRecordWhereInput {
  const { after, limitId, statusClass, status, refusal, from, to } = query;
  return {
    ...(limitId !== undefined && { limitId }),
    ...(refusal !== undefined && { refusal }),
    ...(statusClass !== undefined && { status: statusClass === '5xx' ? { gte: 500 } : { lt: 500 } }),
    AND: [
      status === undefined ? {} : { status },
      from === undefined ? {} : { at: { gte: new Date(from) } },
      to === undefined ? {} : { at: { lt: new Date(to) } },
      after === undefined ? {} : afterPosition(after),
    ],
  };
}

/** Keyset condition: rows after the cursor in (at DESC, id). */
function afterPosition({ at, id }: Position): Prisma.RequestRecordWhereInput {
  const place = new Date(at);
  return { at: { lte: place }, OR: [{ at: { lt: place } }, { id: { gt: id } }] };
}
