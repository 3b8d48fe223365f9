import type { Database } from '@platform/service-kit/database/database.ts';
import { insertAuditEvent } from '../audit/store.ts';
import { Prisma } from '../generated/client.ts';
import type { AuditEvent } from '../platform/actor.ts';
import { raiseGeneration } from '../platform/credential-generations.ts';
import type { Page, Position } from '../platform/pagination.ts';
import { isScope, type Scope } from '../platform/scope.ts';
import type { PrismaClient } from '../platform/storage.ts';
import { behind } from '../platform/storage.ts';
import type { EndReason, Grant } from './grant.ts';

/** Where Grants are kept. */
export interface GrantStore {
  /** The live ones of a business, newest first. */
  list(businessId: number): Promise<Grant[]>;
  /** Runs `work` in one transaction: all of it happens, or nothing. */
  inTransaction<T>(work: (transaction: GrantTransaction) => Promise<T>): Promise<T>;
}

/** A Grant that has ended. */
interface EndedGrant {
  readonly id: string;
  readonly businessId: number;
  readonly applicationId: string;
  readonly applicationName: string;
}

/** What one transaction can do. */
export interface GrantTransaction {
  /** Ends a live Grant; undefined when there is none, or it has ended already. */
  end(id: string, reason: EndReason): Promise<EndedGrant | undefined>;
  /** Which business a Grant belongs to, ended or not. */
  businessOf(id: string): Promise<number | undefined>;
  /** Raises the business's credential generation. Resolves to the new one. */
  raiseGeneration(businessId: number): Promise<number>;
  audit(event: AuditEvent): Promise<void>;
}

interface EndedRow {
  readonly business_id: bigint;
  readonly application_id: string;
  readonly application_name: string;
}

/** What an operation on Grants does in one transaction of `client`. */
export function createGrantTransaction(client: Prisma.TransactionClient): GrantTransaction {
  return {
    end: async (id, reason) => {
      const [row] = await client.$queryRaw<EndedRow[]>`
        UPDATE grants SET ended_at = clock_timestamp(), end_reason = ${reason}
        WHERE id = ${id} AND ended_at IS NULL
        RETURNING business_id, application_id,
                  (SELECT name FROM applications a WHERE a.id = application_id) AS application_name`;
      return (
        row && {
          id,
          businessId: Number(row.business_id),
          applicationId: row.application_id,
          applicationName: row.application_name,
        }
      );
    },
    businessOf: async (id) => {
      const [row] = await client.$queryRaw<{ business_id: bigint }[]>`
        SELECT business_id FROM grants WHERE id = ${id}`;
      return row && Number(row.business_id);
    },
    raiseGeneration: (businessId) => raiseGeneration(client, businessId),
    audit: (event) => insertAuditEvent(client, event),
  };
}

/** What is read of `grants g JOIN applications a`. */
const grantColumns = Prisma.sql`
  g.id, g.business_id, g.application_id, a.name AS application_name, a.business_id AS application_business_id,
  g.person_id, g.scopes, g.scopes_used, g.created_at, g.approved_at, g.last_used_at, g.last_used_ip`;

/** A row of `grantColumns`. */
interface GrantRow {
  readonly id: string;
  readonly business_id: bigint;
  readonly application_id: string;
  readonly application_name: string;
  readonly application_business_id: bigint;
  readonly person_id: string;
  readonly scopes: readonly string[];
  readonly scopes_used: readonly string[];
  readonly created_at: Date;
  readonly approved_at: Date;
  readonly last_used_at: Date | null;
  readonly last_used_ip: string | null;
}

function toGrant(row: GrantRow): Grant {
  return {
    id: row.id,
    businessId: Number(row.business_id),
    applicationId: row.application_id,
    applicationName: row.application_name,
    applicationBusinessId: Number(row.application_business_id),
    personId: row.person_id,
    scopes: row.scopes.filter(isScope),
    scopesUsed: row.scopes_used.filter(isScope),
    createdAt: row.created_at.getTime(),
    approvedAt: row.approved_at.getTime(),
    lastUsedAt: row.last_used_at?.getTime(),
    lastUsedIp: row.last_used_ip ?? undefined,
  };
}

/** Grants in PostgreSQL. */
export function createGrantStore(database: Database, prisma: PrismaClient): GrantStore {
  return {
    list: (businessId) =>
      database.run(async () => {
        const rows = await prisma.$queryRaw<GrantRow[]>`
          SELECT ${grantColumns} FROM grants g JOIN applications a ON a.id = g.application_id
          WHERE g.business_id = ${BigInt(businessId)} AND g.ended_at IS NULL
          ORDER BY g.created_at DESC, g.id`;
        return rows.map(toGrant);
      }),
    inTransaction: (work) =>
      database.run(() => prisma.$transaction((client) => work(createGrantTransaction(client)))),
  };
}

/** A Grant as the business sees it that gave it. */
export interface GivenGrant extends Grant {
  readonly applicationDescription: string;
  /** Who approved last; undefined when the person is gone. */
  readonly personName: string | undefined;
  /** Requests in the last 24 hours, whatever their answer. */
  readonly requestsLastDay: number;
}

/** A Grant as the owner of the application sees it, who is to learn no more of the business than that. */
interface HeldGrant {
  readonly id: string;
  readonly businessId: number;
  /** Approved so far; sorted. */
  readonly scopes: readonly Scope[];
  /** Really used by requests; sorted. */
  readonly scopesUsed: readonly Scope[];
  readonly createdAt: number;
  readonly lastUsedAt: number | undefined;
}

/** Live Grants, newest first and page by page, from both ends. */
export interface ConnectionReader {
  /** Those that a business gave. */
  given(businessId: number, page: Page): Promise<GivenGrant[]>;
  /** Those that an application has. @param businessId owner of the application; nothing for anybody else */
  held(businessId: number, applicationId: string, page: Page): Promise<HeldGrant[]>;
}

/** Where a Grant is in these lists. */
export function positionOf({ createdAt: at, id }: Pick<HeldGrant, 'createdAt' | 'id'>): Position {
  return { at, id };
}

/** Live Grants in PostgreSQL, from both ends. */
export function createConnectionReader(database: Database, prisma: PrismaClient): ConnectionReader {
  return {
    given: (businessId, page) => database.run(() => readGiven(prisma, BigInt(businessId), page)),
    held: (businessId, applicationId, page) =>
      database.run(() => readHeld(prisma, BigInt(businessId), applicationId, page)),
  };
}

interface GivenRow extends GrantRow {
  readonly application_description: string;
  readonly person_name: string | null;
  readonly requests: number;
}

async function readGiven(prisma: PrismaClient, businessId: bigint, page: Page): Promise<GivenGrant[]> {
  const rows = await prisma.$queryRaw<GivenRow[]>`
    WITH recent AS (
      SELECT limit_id, sum(count_2xx + count_4xx + count_429 + count_5xx) AS requests FROM usage_counts
      WHERE business_id = ${businessId} AND credential_type = 'access_token'
        AND minute > now() - interval '24 hours'
      GROUP BY limit_id
    )
    SELECT ${grantColumns}, a.description AS application_description, p.name AS person_name,
           coalesce(recent.requests, 0)::float8 AS requests
    FROM grants g JOIN applications a ON a.id = g.application_id
    LEFT JOIN people p ON p.id = g.person_id LEFT JOIN recent ON recent.limit_id = g.id
    WHERE g.business_id = ${businessId} AND g.ended_at IS NULL ${pageOf(page)}`;
  return rows.map((row) => ({
    ...toGrant(row),
    applicationDescription: row.application_description,
    personName: row.person_name ?? undefined,
    requestsLastDay: row.requests,
  }));
}

async function readHeld(
  prisma: PrismaClient,
  businessId: bigint,
  applicationId: string,
  page: Page,
): Promise<HeldGrant[]> {
  const rows = await prisma.$queryRaw<GrantRow[]>`
    SELECT ${grantColumns} FROM grants g JOIN applications a ON a.id = g.application_id
    WHERE a.id = ${applicationId} AND a.business_id = ${businessId} AND g.ended_at IS NULL ${pageOf(page)}`;
  return rows.map(toGrant);
}

function pageOf({ after, limit }: Page): Prisma.Sql {
  const place = after ? behind(after, Prisma.sql`g.created_at`, Prisma.sql`g.id`) : Prisma.empty;
  return Prisma.sql`${place} ORDER BY g.created_at DESC, g.id LIMIT ${limit}`;
}
