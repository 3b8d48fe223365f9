import type { Database } from '@platform/service-kit/database/database.ts';
import { integer, nullable, readRows, timestamp } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import type { NewEvent } from '../../audit/events/event.ts';
import { insertEvents } from '../../audit/events/store.ts';
import { insertAuditEvent } from '../../audit/store.ts';
import { Prisma } from '../../generated/client.ts';
import type { AuditEvent } from '../../platform/actor.ts';
import { raiseGeneration } from '../../platform/credential-generations.ts';
import type { Page, Position } from '../../platform/pagination.ts';
import { afterCursor, type PrismaClient, transactionsOf } from '../../platform/storage.ts';
import { retireTokens } from '../../traffic/retire-store.ts';
import { suspensionStatements, suspensionsColumn, suspensionsValue } from '../suspensions/store.ts';
import type { EndReason, Grant } from './grant.ts';

/** A Grant that has ended. */
const endedRow = z.object({
  id: z.string(),
  businessId: integer,
  applicationId: z.string(),
  applicationBusinessId: integer,
  clientId: z.string(),
  applicationName: z.string(),
  scopes: z.array(z.string()),
  createdAt: timestamp,
  endedAt: timestamp,
});

type EndedGrant = z.output<typeof endedRow>;

/** A live Grant that no other transaction can end or suspend until this one ends. */
const lockedRow = z.object({
  id: z.string(),
  applicationId: z.string(),
  clientId: z.string(),
  applicationName: z.string(),
  applicationBusinessId: integer,
});

export type LockedGrant = z.output<typeof lockedRow>;

export type GrantTransaction = ReturnType<typeof createGrantTransaction>;

/** Changes that an operation on Grants can make in one transaction. */
export function createGrantTransaction(client: Prisma.TransactionClient) {
  return {
    ...suspensionStatements(client),
    /** A live Grant of a business; undefined when there is none, or it belongs to another. */
    lockLive: async (businessId: number, id: string): Promise<LockedGrant | undefined> => {
      const statement = client.$queryRaw`
        SELECT g.id, g.application_id AS "applicationId", a.client_id AS "clientId", a.name AS "applicationName",
               a.business_id AS "applicationBusinessId"
        FROM grants g JOIN applications a ON a.id = g.application_id
        WHERE g.id = ${id} AND g.business_id = ${BigInt(businessId)} AND g.ended_at IS NULL
        FOR UPDATE OF g`;
      const [grant] = await readRows(lockedRow, statement);
      return grant;
    },
    /** Ends a live Grant; undefined when there is none, or it has ended already. */
    end: async (id: string, reason: EndReason): Promise<EndedGrant | undefined> => {
      const statement = client.$queryRaw`
        UPDATE grants g SET ended_at = clock_timestamp(), end_reason = ${reason} FROM applications a
        WHERE g.id = ${id} AND g.ended_at IS NULL AND a.id = g.application_id
        RETURNING g.id, g.business_id AS "businessId", g.application_id AS "applicationId",
                  a.business_id AS "applicationBusinessId", a.client_id AS "clientId",
                  a.name AS "applicationName", g.scopes, g.created_at AS "createdAt", g.ended_at AS "endedAt"`;
      const [ended] = await readRows(endedRow, statement);
      if (ended === undefined) return undefined;
      await retireTokens(client, Prisma.sql`g.id = ${id}`, reason);
      await client.$executeRaw`
        UPDATE refresh_tokens SET sealed_answer = NULL WHERE grant_id = ${id} AND sealed_answer IS NOT NULL`;
      return ended;
    },
    /** Which business a Grant belongs to, ended or not. */
    businessOf: async (id: string): Promise<number | undefined> => {
      const grant = await client.grant.findUnique({ where: { id }, select: { businessId: true } });
      return grant === null ? undefined : Number(grant.businessId);
    },
    /** Raises the business's credential generation. Resolves to the new one. */
    raiseGeneration: (businessId: number): Promise<number> => raiseGeneration(client, businessId),
    insertEvent: (event: NewEvent): Promise<void> => insertEvents(client, [event]),
    audit: (event: AuditEvent): Promise<void> => insertAuditEvent(client, event),
  };
}

/** Columns of `grantRow`, of `grants g JOIN applications a`. */
const grantColumns = Prisma.sql`
  g.id, g.business_id AS "businessId", g.application_id AS "applicationId", a.name AS "applicationName",
  a.business_id AS "applicationBusinessId", g.person_id AS "personId", g.scopes, g.scopes_used AS "scopesUsed",
  g.created_at AS "createdAt", g.approved_at AS "approvedAt", g.last_used_at AS "lastUsedAt",
  g.last_used_ip AS "lastUsedIp",
  (SELECT s.suspended_at FROM grant_suspensions s WHERE s.grant_id = g.id) AS "suspendedAt",
  ${suspensionsColumn}`;

const grantRow = z.object({
  id: z.string(),
  businessId: integer,
  applicationId: z.string(),
  applicationName: z.string(),
  applicationBusinessId: integer,
  personId: z.string(),
  scopes: z.array(z.string()),
  scopesUsed: z.array(z.string()),
  createdAt: timestamp,
  approvedAt: timestamp,
  lastUsedAt: nullable(timestamp),
  lastUsedIp: nullable(z.string()),
  suspendedAt: nullable(timestamp),
  suspensions: suspensionsValue,
}) satisfies z.ZodType<Grant>;

/** Reads Grants `g` of applications `a`. @param condition what follows WHERE, order included */
function selectGrants(client: Prisma.TransactionClient, condition: Prisma.Sql): Promise<Grant[]> {
  const statement = client.$queryRaw`
    SELECT ${grantColumns} FROM grants g JOIN applications a ON a.id = g.application_id WHERE ${condition}`;
  return readRows(grantRow, statement);
}

export type GrantStore = ReturnType<typeof createGrantStore>;

/** Keeps Grants in PostgreSQL. */
export function createGrantStore(database: Database, prisma: PrismaClient) {
  return {
    /** The live ones of a business, newest first. */
    list: (businessId: number): Promise<Grant[]> =>
      database.run(() =>
        selectGrants(
          prisma,
          Prisma.sql`
            g.business_id = ${BigInt(businessId)} AND g.ended_at IS NULL ORDER BY g.created_at DESC, g.id`,
        ),
      ),
    inTransaction: transactionsOf(database, prisma, createGrantTransaction),
  };
}

/** A Grant as the business sees it that gave it. */
const givenRow = grantRow.extend({
  applicationDescription: z.string(),
  /** The person who approved last; undefined when the account is gone. */
  personName: nullable(z.string()),
  /** Requests in the last 24 hours, whatever their response. */
  requestsLastDay: z.number(),
  /** Of the business's own suspension. */
  suspensionReason: nullable(z.string()),
  /** The person who suspended it; undefined when the account is gone. */
  suspendedByName: nullable(z.string()),
});

export type GivenGrant = z.output<typeof givenRow>;

/** A Grant as the owner of the application sees it. It reveals nothing else about the business. */
interface HeldGrant {
  readonly id: string;
  readonly businessId: number;
  /** Approved so far; sorted. */
  readonly scopes: readonly string[];
  /** Really used by requests; sorted. */
  readonly scopesUsed: readonly string[];
  readonly createdAt: number;
  readonly lastUsedAt: number | undefined;
  /** When the business suspended it; undefined when it has not. */
  readonly suspendedAt: number | undefined;
}

/** Position of a Grant in these lists. */
export function positionOf({ createdAt: at, id }: Pick<HeldGrant, 'createdAt' | 'id'>): Position {
  return { at, id };
}

export type ConnectionReader = ReturnType<typeof createConnectionReader>;

/** Reads live Grants from PostgreSQL, newest first and page by page, from both ends. */
export function createConnectionReader(database: Database, prisma: PrismaClient) {
  return {
    /** Those that a business gave. */
    given: (businessId: number, page: Page): Promise<GivenGrant[]> =>
      database.run(() => readGiven(prisma, BigInt(businessId), page)),
    /** Those that an application has. @param businessId owner of the application; for any other the list is empty */
    held: (businessId: number, applicationId: string, page: Page): Promise<HeldGrant[]> =>
      database.run(() =>
        selectGrants(
          prisma,
          Prisma.sql`
            a.id = ${applicationId} AND a.business_id = ${BigInt(businessId)} AND g.ended_at IS NULL
              ${pageOf(page)}`,
        ),
      ),
  };
}

function readGiven(prisma: PrismaClient, businessId: bigint, page: Page): Promise<GivenGrant[]> {
  const statement = prisma.$queryRaw`
    WITH recent AS (
      SELECT limit_id, sum(count_2xx + count_4xx + count_429 + count_5xx) AS requests FROM usage_counts
      WHERE business_id = ${businessId} AND credential_type = 'access_token'
        AND minute >= date_trunc('hour', now() - interval '24 hours')
      GROUP BY limit_id
    )
    SELECT ${grantColumns}, a.description AS "applicationDescription", p.name AS "personName",
           own.reason AS "suspensionReason", by.name AS "suspendedByName",
           coalesce(recent.requests, 0)::float8 AS "requestsLastDay"
    FROM grants g JOIN applications a ON a.id = g.application_id
    LEFT JOIN people p ON p.id = g.person_id LEFT JOIN recent ON recent.limit_id = g.id
    LEFT JOIN grant_suspensions own ON own.grant_id = g.id LEFT JOIN people by ON by.id = own.person_id
    WHERE g.business_id = ${businessId} AND g.ended_at IS NULL ${pageOf(page)}`;
  return readRows(givenRow, statement);
}

function pageOf({ after, limit }: Page): Prisma.Sql {
  const place = after ? afterCursor(after, Prisma.sql`g.created_at`, Prisma.sql`g.id`) : Prisma.empty;
  return Prisma.sql`${place} ORDER BY g.created_at DESC, g.id LIMIT ${limit}`;
}
