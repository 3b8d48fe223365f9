import type { Database } from '@platform/service-kit/database/database.ts';
import { integer, nullable, readRows, timestamp } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import { insertAuditEvent } from '../../audit/store.ts';
import { createApiKeyTransaction } from '../../credentials/api-keys/store.ts';
import { createApplicationTransaction } from '../../credentials/applications/store.ts';
import { Prisma } from '../../generated/client.ts';
import type { AuditEvent } from '../../platform/actor.ts';
import { type PrismaClient, transactionsOf } from '../../platform/storage.ts';
import { type LimitKind, limitKinds, limitRequestStatuses, type ReviewedRequest } from './limit-request.ts';

const requestRow = z.object({
  id: z.string(),
  businessId: integer,
  kind: z.enum(limitKinds),
  subjectId: z.string(),
  subjectName: nullable(z.string()),
  currentLimit: nullable(z.int()),
  requestedLimit: z.int(),
  reason: z.string(),
  status: z.enum(limitRequestStatuses),
  personId: z.string(),
  email: nullable(z.string()),
  createdAt: timestamp,
  decidedAt: nullable(timestamp),
  grantedLimit: nullable(z.int()),
  decisionReason: z.string(),
  connectedUsers: integer,
  requests: z.number(),
  refused: z.number(),
  busiestHour: z.number(),
}) satisfies z.ZodType<ReviewedRequest>;

/** Requests of the API key, or of each connection of the application, in the last 30 days. */
const use = Prisma.sql`
  SELECT coalesce(sum(total), 0) AS requests, coalesce(sum(refused), 0) AS refused, coalesce(max(total), 0) AS "busiestHour"
  FROM (
    SELECT sum(u.count_2xx + u.count_4xx + u.count_429 + u.count_5xx)::float8 AS total, sum(u.count_429)::float8 AS refused
    FROM (
      SELECT r.business_id, r.subject_id AS id
      UNION ALL SELECT g.business_id, g.id FROM grants g WHERE g.application_id = r.subject_id
    ) AS limited
    JOIN usage_hours u ON u.business_id = limited.business_id AND u.limit_id = limited.id
      AND u.hour >= now() - interval '30 days'
    GROUP BY u.hour
  ) AS by_hour`;

/** Requests `r`. @param condition what follows WHERE, order and locks included */
function selectRequests(client: Prisma.TransactionClient, condition: Prisma.Sql): Promise<ReviewedRequest[]> {
  const statement = client.$queryRaw`
    SELECT r.id, r.business_id AS "businessId", r.kind, r.subject_id AS "subjectId",
           coalesce(k.name, a.name) AS "subjectName",
           coalesce(k.request_limit, a.connected_user_limit) AS "currentLimit",
           r.requested_limit AS "requestedLimit", r.reason, r.status, r.person_id AS "personId", p.email,
           r.created_at AS "createdAt", r.decided_at AS "decidedAt", r.granted_limit AS "grantedLimit",
           r.decision_reason AS "decisionReason",
           (SELECT count(*) FROM grants g WHERE g.application_id = r.subject_id AND g.ended_at IS NULL)
             AS "connectedUsers",
           used.requests, used.refused, used."busiestHour"
    FROM limit_requests r
    LEFT JOIN people p ON p.id = r.person_id
    LEFT JOIN api_keys k ON k.id = r.subject_id AND k.business_id = r.business_id
    LEFT JOIN applications a ON a.id = r.subject_id AND a.business_id = r.business_id
    CROSS JOIN LATERAL (${use}) AS used
    WHERE ${condition}`;
  return readRows(requestRow, statement);
}

interface NewLimitRequest {
  readonly id: string;
  readonly businessId: number;
  readonly kind: LimitKind;
  readonly subjectId: string;
  readonly requestedLimit: number;
  readonly reason: string;
  readonly personId: string;
}

interface Decision {
  readonly status: 'granted' | 'declined';
  readonly grantedLimit: number | null;
  readonly decisionReason: string;
}

export type LimitRequestTransaction = ReturnType<typeof createTransaction>;

function createTransaction(client: Prisma.TransactionClient) {
  return {
    /** False while another one of the kind is pending for the business. */
    add: async (request: NewLimitRequest): Promise<boolean> => {
      const data = { ...request, businessId: BigInt(request.businessId) };
      return (await client.limitRequest.createMany({ data, skipDuplicates: true })).count > 0;
    },
    /** A request, locked until the transaction ends. */
    lock: async (id: string): Promise<ReviewedRequest | undefined> => {
      const [request] = await selectRequests(client, Prisma.sql`r.id = ${id} FOR UPDATE OF r`);
      return request;
    },
    /** Ends a request that this transaction has locked. */
    decide: async (id: string, { status, grantedLimit, decisionReason }: Decision): Promise<void> => {
      await client.$executeRaw`
        UPDATE limit_requests SET status = ${status}, granted_limit = ${grantedLimit},
          decision_reason = ${decisionReason}, decided_at = clock_timestamp() WHERE id = ${id}`;
    },
    audit: (event: AuditEvent): Promise<void> => insertAuditEvent(client, event),
    /** Changes of a granted limit, in the same transaction. */
    keys: createApiKeyTransaction(client),
    applications: createApplicationTransaction(client),
  };
}

/** Most requests of one list. */
const maxListed = 100;

export type LimitRequestStore = ReturnType<typeof createLimitRequestStore>;

/** Keeps requests for higher limits in PostgreSQL. */
export function createLimitRequestStore(database: Database, prisma: PrismaClient) {
  const select = (condition: Prisma.Sql) => database.run(() => selectRequests(prisma, condition));
  return {
    /** Requests of a business, the newest first. */
    ofBusiness: (businessId: number): Promise<readonly ReviewedRequest[]> =>
      select(
        Prisma.sql`r.business_id = ${BigInt(businessId)} ORDER BY r.created_at DESC, r.id LIMIT ${maxListed}`,
      ),
    /** Pending requests, those that wait longest first. */
    pending: (): Promise<readonly ReviewedRequest[]> =>
      select(Prisma.sql`r.status = 'pending' ORDER BY r.created_at, r.id LIMIT ${maxListed}`),
    /** All requests, the newest first. */
    latest: (): Promise<readonly ReviewedRequest[]> =>
      select(Prisma.sql`true ORDER BY r.created_at DESC, r.id LIMIT ${maxListed}`),
    find: async (id: string): Promise<ReviewedRequest | undefined> =>
      (await select(Prisma.sql`r.id = ${id}`))[0],
    inTransaction: transactionsOf(database, prisma, createTransaction),
  };
}
