import type { Database } from '@platform/service-kit/database/database.ts';
import { integer, nullable, readRows } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import type { NewEvent } from '../audit/events/event.ts';
import { insertEvents } from '../audit/events/store.ts';
import { insertAuditEvent } from '../audit/store.ts';
import {
  lockApplication,
  type ReadApplication,
  selectApplications,
} from '../credentials/applications/store.ts';
import { Prisma } from '../generated/client.ts';
import { selectMemberships } from '../people/store.ts';
import type { AuditEvent } from '../platform/actor.ts';
import type { Membership } from '../platform/membership.ts';
import { type PrismaClient, transactionsOf } from '../platform/storage.ts';
import { type ApprovedAs, approvedAsSchema } from './presentation.ts';

/** A live Grant, as far as approving goes. */
export interface LiveGrant {
  readonly id: string;
  readonly businessId: number;
  readonly scopes: readonly string[];
  /** Basis of the approval; undefined if it was not recorded. */
  readonly approvedAs: ApprovedAs | undefined;
  /** Whether its business has suspended it. */
  readonly isSuspended: boolean;
}

/** A Grant to add. */
interface NewGrant {
  readonly id: string;
  readonly applicationId: string;
  readonly businessId: number;
  readonly personId: string;
  readonly scopes: readonly string[];
  readonly approvedAs: ApprovedAs;
}

/** Changes of a repeated approval. */
interface Reapproval {
  /** Milliseconds since 1970 on the database's clock. */
  readonly approvedAt: number;
  readonly personId: string;
  readonly scopes: readonly string[];
  readonly approvedAs: ApprovedAs;
}

/** A code to add. */
interface NewCode {
  readonly hash: Buffer<ArrayBuffer>;
  readonly grantId: string;
  readonly redirectUri: string;
  readonly codeChallenge: string;
  readonly scopes: readonly string[];
  /** Milliseconds since 1970 on the database's clock. */
  readonly expiresAt: number;
}

const liveGrantRow = z.object({
  id: z.string(),
  businessId: integer,
  scopes: z.array(z.string()),
  approvedAs: nullable(approvedAsSchema),
  isSuspended: z.boolean(),
});

/** Condition on memberships `m`. */
const ownedBy = (personId: string): Prisma.Sql => Prisma.sql`m.person_id = ${personId} AND m.role = 'owner'`;

export type AuthorizationTransaction = ReturnType<typeof createAuthorizationTransaction>;

/** Statements of one transaction. */
function createAuthorizationTransaction(client: Prisma.TransactionClient) {
  return {
    /** Closes a consent. False when it was closed before. */
    closeConsent: async (id: string): Promise<boolean> => {
      // Kept for longer than any session lasts: a consent page is invalid without its session.
      const inserted = await client.$executeRaw`
        INSERT INTO answered_consents (id, expires_at) VALUES (${id}, clock_timestamp() + interval '31 days')
        ON CONFLICT DO NOTHING`;
      return inserted === 1;
    },
    /** Reads an application and locks it against changes and approvals by other businesses until the transaction ends. */
    lockApplication: (id: string): Promise<ReadApplication | undefined> =>
      lockApplication(client, Prisma.sql`a.id = ${id}`),
    /** The membership of an owner, locked until the transaction ends; undefined for any other person. */
    findOwnership: async (personId: string, businessId: number): Promise<Membership | undefined> => {
      const condition = Prisma.sql`${ownedBy(personId)} AND m.business_id = ${BigInt(businessId)}`;
      // A concurrent end of the membership, such as the deletion of the account, would miss the new connection.
      await client.$executeRaw`SELECT 1 FROM memberships m WHERE ${condition} FOR SHARE`;
      const [owned] = await selectMemberships(client, condition);
      return owned;
    },
    findLiveGrant: async (applicationId: string, businessId: number): Promise<LiveGrant | undefined> => {
      await client.$executeRaw`
        SELECT 1 FROM grants
        WHERE application_id = ${applicationId} AND business_id = ${BigInt(businessId)} AND ended_at IS NULL
        FOR NO KEY UPDATE`;
      // A separate statement, because its snapshot must be newer than the lock for suspensions.
      const [grant] = await selectLiveGrants(client, applicationId, [businessId]);
      return grant;
    },
    /** Resolves to the time of its creation, in milliseconds since 1970. */
    insertGrant: async ({ businessId, scopes, ...grant }: NewGrant): Promise<number> => {
      const { createdAt } = await client.grant.create({
        data: { ...grant, businessId: BigInt(businessId), scopes: [...scopes] },
        select: { createdAt: true },
      });
      return createdAt.getTime();
    },
    /** Records another approval, with all scopes that are approved so far. */
    approveAgain: async (id: string, { approvedAt, scopes, ...change }: Reapproval): Promise<void> => {
      await client.grant.updateMany({
        where: { id },
        data: { ...change, scopes: [...scopes], approvedAt: new Date(approvedAt) },
      });
    },
    insertCode: async ({ hash, scopes, expiresAt, ...code }: NewCode): Promise<void> => {
      await client.authorizationCode.create({
        data: { ...code, codeHash: hash, scopes: [...scopes], expiresAt: new Date(expiresAt) },
        select: { codeHash: true },
      });
    },
    insertEvent: (event: NewEvent): Promise<void> => insertEvents(client, [event]),
    audit: (event: AuditEvent): Promise<void> => insertAuditEvent(client, event),
  };
}

function selectLiveGrants(
  client: Prisma.TransactionClient,
  applicationId: string,
  businessIds: readonly number[],
): Promise<LiveGrant[]> {
  const statement = client.$queryRaw`
    SELECT g.id, g.business_id AS "businessId", g.scopes, g.approved_as AS "approvedAs", s.grant_id IS NOT NULL AS "isSuspended"
    FROM grants g LEFT JOIN grant_suspensions s ON s.grant_id = g.id
    WHERE g.application_id = ${applicationId} AND g.business_id = ANY(${businessIds.map(BigInt)}::bigint[])
      AND g.ended_at IS NULL`;
  return readRows(liveGrantRow, statement);
}

export type AuthorizationStore = ReturnType<typeof createAuthorizationStore>;

/** Finds applications, owners and Grants for authorization, and keeps what is approved, in PostgreSQL. */
export function createAuthorizationStore(database: Database, prisma: PrismaClient) {
  return {
    findById: (id: string): Promise<ReadApplication | undefined> =>
      database.run(async () => {
        const [application] = await selectApplications(prisma, Prisma.sql`a.id = ${id}`);
        return application;
      }),
    findApplication: (clientId: string): Promise<ReadApplication | undefined> =>
      database.run(async () => {
        const [application] = await selectApplications(prisma, Prisma.sql`a.client_id = ${clientId}`);
        return application;
      }),
    /** Memberships of a person as owner, by business. */
    ownedBusinesses: (personId: string): Promise<Membership[]> =>
      database.run(() => selectMemberships(prisma, Prisma.sql`${ownedBy(personId)} ORDER BY m.business_id`)),
    liveGrants: (applicationId: string, businessIds: readonly number[]): Promise<LiveGrant[]> =>
      database.run(() => selectLiveGrants(prisma, applicationId, businessIds)),
    inTransaction: transactionsOf(database, prisma, createAuthorizationTransaction),
  };
}
