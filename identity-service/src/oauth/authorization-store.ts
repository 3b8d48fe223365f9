import type { Database } from '@platform/service-kit/database/database.ts';
import type { Application } from '../applications/application.ts';
import { type ApplicationRow, applicationColumns, toApplication } from '../applications/store.ts';
import { insertAuditEvent } from '../audit/store.ts';
import { Prisma } from '../generated/client.ts';
import type { AuditEvent } from '../platform/actor.ts';
import { isScope, type Scope } from '../platform/scope.ts';
import type { PrismaClient } from '../platform/storage.ts';

/** A live Grant, as far as approving goes. */
interface LiveGrant {
  readonly id: string;
  readonly businessId: number;
  readonly scopes: readonly Scope[];
}

/** A code to add. */
interface NewCode {
  readonly hash: Buffer;
  readonly grantId: string;
  readonly redirectUri: string;
  readonly codeChallenge: string;
  readonly scopes: readonly Scope[];
  readonly lifetimeSeconds: number;
}

/** Where authorization finds applications, owners and Grants. */
export interface AuthorizationStore {
  findApplication(clientId: string): Promise<Application | undefined>;
  /** Businesses that a person may approve for, as their owner. */
  ownedBusinesses(personId: string): Promise<number[]>;
  liveGrants(applicationId: string, businessIds: readonly number[]): Promise<LiveGrant[]>;
  /** Runs `work` in one transaction: all of it happens, or nothing. */
  inTransaction<T>(work: (transaction: AuthorizationTransaction) => Promise<T>): Promise<T>;
}

/** What one transaction can do. */
export interface AuthorizationTransaction {
  /** Marks a consent as answered. False when it has been. */
  answerConsent(id: string): Promise<boolean>;
  /** Reads an application and lets nobody change it, or approve it for somebody else, until the end. */
  lockApplication(id: string): Promise<Application | undefined>;
  isOwner(personId: string, businessId: number): Promise<boolean>;
  findLiveGrant(applicationId: string, businessId: number): Promise<LiveGrant | undefined>;
  insertGrant(grant: {
    readonly id: string;
    readonly applicationId: string;
    readonly businessId: number;
    readonly personId: string;
    readonly scopes: readonly Scope[];
  }): Promise<void>;
  /** Notes a new approval with everything that is approved by now. */
  approveAgain(id: string, personId: string, scopes: readonly Scope[]): Promise<void>;
  insertCode(code: NewCode): Promise<void>;
  audit(event: AuditEvent): Promise<void>;
}

/** A row of `grants`, as far as approving goes. */
interface LiveGrantRow {
  readonly id: string;
  readonly business_id: bigint;
  readonly scopes: readonly string[];
}

function toLiveGrant(row: LiveGrantRow): LiveGrant {
  return { id: row.id, businessId: Number(row.business_id), scopes: row.scopes.filter(isScope) };
}

/** What an approval does in one transaction of `client`. */
function createAuthorizationTransaction(client: Prisma.TransactionClient): AuthorizationTransaction {
  return {
    answerConsent: async (id) => {
      // Kept longer than any session lasts, and with its session a page is dead.
      const inserted = await client.$executeRaw`
        INSERT INTO answered_consents (id, expires_at) VALUES (${id}, clock_timestamp() + interval '31 days')
        ON CONFLICT DO NOTHING`;
      return inserted === 1;
    },
    lockApplication: async (id) => {
      const held = await client.$queryRaw<unknown[]>`
        SELECT 1 FROM applications WHERE id = ${id} FOR NO KEY UPDATE`;
      if (held.length === 0) return undefined;
      // A statement of its own: the Grants that are counted beside the row must be as new as the lock.
      const [row] = await client.$queryRaw<ApplicationRow[]>`
        SELECT ${applicationColumns} FROM applications a WHERE a.id = ${id}`;
      return row && toApplication(row);
    },
    isOwner: async (personId, businessId) => {
      const rows = await client.$queryRaw<unknown[]>`
        SELECT 1 FROM memberships
        WHERE person_id = ${personId} AND business_id = ${BigInt(businessId)} AND role = 'owner'`;
      return rows.length === 1;
    },
    findLiveGrant: async (applicationId, businessId) => {
      const [row] = await client.$queryRaw<LiveGrantRow[]>`
        SELECT id, business_id, scopes FROM grants
        WHERE application_id = ${applicationId} AND business_id = ${BigInt(businessId)} AND ended_at IS NULL
        FOR NO KEY UPDATE`;
      return row && toLiveGrant(row);
    },
    insertGrant: async ({ id, applicationId, businessId, personId, scopes }) => {
      await client.$executeRaw`
        INSERT INTO grants (id, application_id, business_id, person_id, scopes)
        VALUES (${id}, ${applicationId}, ${BigInt(businessId)}, ${personId}, ${[...scopes]})`;
    },
    approveAgain: async (id, personId, scopes) => {
      await client.$executeRaw`
        UPDATE grants SET scopes = ${[...scopes]}, person_id = ${personId}, approved_at = clock_timestamp()
        WHERE id = ${id}`;
    },
    insertCode: async ({ hash, grantId, redirectUri, codeChallenge, scopes, lifetimeSeconds }) => {
      await client.$executeRaw`
        INSERT INTO authorization_codes (code_hash, grant_id, redirect_uri, code_challenge, scopes, expires_at)
        VALUES (${hash}, ${grantId}, ${redirectUri}, ${codeChallenge}, ${[...scopes]},
                clock_timestamp() + make_interval(secs => ${lifetimeSeconds}))`;
    },
    audit: (event) => insertAuditEvent(client, event),
  };
}

/** What authorization reads and writes in PostgreSQL. */
export function createAuthorizationStore(database: Database, prisma: PrismaClient): AuthorizationStore {
  return {
    findApplication: (clientId) =>
      database.run(async () => {
        const [row] = await prisma.$queryRaw<ApplicationRow[]>`
          SELECT ${applicationColumns} FROM applications a WHERE a.client_id = ${clientId}`;
        return row && toApplication(row);
      }),
    ownedBusinesses: (personId) =>
      database.run(async () => {
        const rows = await prisma.$queryRaw<{ business_id: bigint }[]>`
          SELECT business_id FROM memberships WHERE person_id = ${personId} AND role = 'owner'
          ORDER BY business_id`;
        return rows.map((row) => Number(row.business_id));
      }),
    liveGrants: (applicationId, businessIds) =>
      database.run(async () => {
        if (businessIds.length === 0) return [];
        const rows = await prisma.$queryRaw<LiveGrantRow[]>`
          SELECT id, business_id, scopes FROM grants
          WHERE application_id = ${applicationId} AND ended_at IS NULL
            AND business_id IN (${Prisma.join(businessIds.map(BigInt))})`;
        return rows.map(toLiveGrant);
      }),
    inTransaction: (work) =>
      database.run(() => prisma.$transaction((client) => work(createAuthorizationTransaction(client)))),
  };
}
