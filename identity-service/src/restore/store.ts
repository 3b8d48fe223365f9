import type { Database } from '@platform/service-kit/database/database.ts';
import { integer, readRows, timestamp } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import { insertAuditEvent } from '../audit/store.ts';
import { Prisma } from '../generated/client.ts';
import { insertRequirement } from '../people/required-factor/store.ts';
import { createPersonTransaction } from '../people/store.ts';
import type { AuditEvent } from '../platform/actor.ts';
import { type Role, rolesAbove } from '../platform/role.ts';
import { type PrismaClient, sqlTimestamp, transactionsOf } from '../platform/storage.ts';
import { retireTokens } from '../traffic/retire-store.ts';
import { createEmailTransaction } from './email-store.ts';
import { generationsOf } from './generation-store.ts';
import type { AuditPosition, Rotation } from './log.ts';
import type { LoggedEvent } from './revocation.ts';

const eventRow = z.object({
  id: integer,
  at: timestamp,
  businessId: integer,
  action: z.string(),
  subjectId: z.string(),
  actorId: z.string(),
  details: z.record(z.string(), z.unknown()),
});

interface ApplicationRow {
  readonly id: string;
  readonly businessId: number;
}

const rotationRow = z.object({ grantId: z.string(), at: timestamp });

const clockRow = z.object({ now: timestamp });

/** Prefix of request ids in audit events of a restore. */
export const restoreRequestPrefix = 'restore-';

export type RestoreStore = ReturnType<typeof createRestoreStore>;

/** Reads the database for the log of revocations, and changes it for a restore. */
export function createRestoreStore(database: Database, prisma: PrismaClient) {
  return {
    /** The database's clock. */
    clock: (): Promise<number> =>
      database.run(async () => {
        const statement = prisma.$queryRaw`SELECT clock_timestamp()::timestamptz(3) AS now`;
        const [row] = await readRows(clockRow, statement);
        if (row === undefined) throw new Error('a statement returned no row');
        return row.now;
      }),
    /** When an audit event was recorded, in milliseconds since 1970; undefined where there is none with this number. */
    timeOf: (id: number): Promise<number | undefined> =>
      database.run(async () => {
        const event = await prisma.auditEvent.findUnique({ where: { id: BigInt(id) }, select: { at: true } });
        return event?.at.getTime();
      }),
    lastEvent: (): Promise<AuditPosition | undefined> =>
      database.run(async () => {
        const event = await prisma.auditEvent.findFirst({
          orderBy: { id: 'desc' },
          select: { id: true, at: true },
        });
        return event === null ? undefined : { id: Number(event.id), at: event.at.getTime() };
      }),
    /** Time of the latest audit event that no restore has written, in milliseconds since 1970; undefined without any. */
    backedUpUntil: (): Promise<number | undefined> =>
      database.run(async () => {
        const event = await prisma.auditEvent.findFirst({
          where: { NOT: { requestId: { startsWith: restoreRequestPrefix } } },
          orderBy: { id: 'desc' },
          select: { at: true },
        });
        return event?.at.getTime();
      }),
    /** Audit events after one, in the order of their ids. */
    eventsAfter: (after: number, limit: number): Promise<LoggedEvent[]> =>
      database.run(() => readEvents(prisma, after, limit)),
    /** Time of the first rotation from a time on; undefined when there is none. */
    firstRotation: (from: number): Promise<number | undefined> =>
      database.run(async () => {
        const where = { usedAt: { gte: new Date(from) } };
        const select = { usedAt: true };
        const row = await prisma.refreshToken.findFirst({ where, select, orderBy: { usedAt: 'asc' } });
        return row?.usedAt?.getTime();
      }),
    /** Rotations of a span, the latest of each Grant. */
    rotationsBetween: (from: number, to: number): Promise<Rotation[]> =>
      database.run(() =>
        readRows(
          rotationRow,
          prisma.$queryRaw`
            SELECT grant_id AS "grantId", max(used_at) AS at FROM refresh_tokens
            WHERE used_at >= ${sqlTimestamp(from)} AND used_at < ${sqlTimestamp(to)} GROUP BY grant_id`,
        ),
      ),
    /** Those of these events that this database does not have. */
    lacking: (events: readonly LoggedEvent[]): Promise<LoggedEvent[]> =>
      database.run(async () => {
        const stored = await prisma.auditEvent.findMany({
          where: { id: { in: events.map(({ id }) => BigInt(id)) } },
          select: { id: true, at: true },
        });
        // Compares times as well: after an earlier restore, another event may have the same id.
        const known = new Set(stored.map(({ id, at }) => `${id} ${at.getTime()}`));
        return events.filter(({ id, at }) => !known.has(`${id} ${at}`));
      }),
    /** Marks refresh tokens as used that were rotated after the backup. Resolves to their number. */
    useRotated: (rotations: readonly Rotation[]): Promise<number> =>
      database.run(() => useRotated(prisma, rotations)),
    /** Ends one batch of sessions, or of links and codes that wait for their use. Resolves to how many. */
    endPending: (table: PendingTable): Promise<number> => database.run(() => endPending(prisma, table)),
    ...generationsOf(database, prisma),
    ...everythingOf(database, prisma),
    inTransaction: transactionsOf(database, prisma, createRestoreTransaction),
  };
}

/** Everything that can give access, page by page. */
function everythingOf(database: Database, prisma: PrismaClient) {
  return {
    /** One page of businesses that have credentials or people. */
    businessesAfter: (after = 0): Promise<number[]> => database.run(() => businessesAfter(prisma, after)),
    applicationsAfter: (after?: ApplicationRow): Promise<ApplicationRow[]> =>
      database.run(async () => {
        const select = { id: true, businessId: true };
        const page = {
          where: { id: { gt: after?.id ?? '' } },
          orderBy: { id: 'asc' },
          take: batchSize,
        } as const;
        const rows = await prisma.application.findMany({ ...page, select });
        return rows.map(({ id, businessId }) => ({ id, businessId: Number(businessId) }));
      }),
    liveGrantsAfter: (after = ''): Promise<string[]> =>
      database.run(async () => {
        const where = { id: { gt: after }, endedAt: null };
        const page = { where, orderBy: { id: 'asc' }, take: batchSize, select: { id: true } } as const;
        return (await prisma.grant.findMany(page)).map(({ id }) => id);
      }),
    peopleAfter: (after = ''): Promise<string[]> =>
      database.run(async () => {
        const where = { id: { gt: after } };
        const page = { where, orderBy: { id: 'asc' }, take: batchSize, select: { id: true } } as const;
        return (await prisma.person.findMany(page)).map(({ id }) => id);
      }),
  };
}

function readEvents(prisma: PrismaClient, after: number, limit: number): Promise<LoggedEvent[]> {
  const statement = prisma.$queryRaw`
    SELECT id, at, business_id AS "businessId", action, subject_id AS "subjectId", actor_id AS "actorId", details
    FROM audit_events WHERE id > ${BigInt(after)} ORDER BY id LIMIT ${limit}`;
  return readRows(eventRow, statement);
}

function useRotated(prisma: PrismaClient, rotations: readonly Rotation[]): Promise<number> {
  const grantIds = rotations.map(({ grantId }) => grantId);
  const times = rotations.map(({ at }) => new Date(at));
  return prisma.$executeRaw`
    UPDATE refresh_tokens r SET used_at = clock_timestamp()
    FROM unnest(${grantIds}::text[], ${times}::timestamptz[]) AS logged (grant_id, at)
    WHERE r.grant_id = logged.grant_id AND r.used_at IS NULL
      AND NOT EXISTS (
        SELECT 1 FROM refresh_tokens used
        WHERE used.grant_id = logged.grant_id AND used.used_at >= logged.at::timestamptz(3))`;
}

/** Tables whose rows a restore deletes, with their keys. */
export const pendingTables = {
  sessions: 'id_hash',
  sign_ups: 'token_hash',
  password_resets: 'token_hash',
  passkey_challenges: 'challenge',
  email_changes: 'token_hash',
  invitations: 'id',
  authorization_codes: 'code_hash',
  operators: 'person_id',
  operator_invitations: 'id',
  ban_proposals: 'id',
} as const;

export type PendingTable = keyof typeof pendingTables;

const batchSize = 1_000;

function endPending(prisma: PrismaClient, table: PendingTable): Promise<number> {
  const key = Prisma.raw(pendingTables[table]);
  const from = Prisma.raw(table);
  return prisma.$executeRaw`
    DELETE FROM ${from} WHERE ${key} IN (SELECT ${key} FROM ${from} LIMIT ${batchSize})`;
}

async function businessesAfter(prisma: PrismaClient, after: number): Promise<number[]> {
  const last = BigInt(after);
  const statement = prisma.$queryRaw`
    SELECT business_id AS "businessId" FROM (
      (SELECT DISTINCT business_id FROM api_keys WHERE business_id > ${last} ORDER BY 1 LIMIT ${batchSize})
      UNION (SELECT DISTINCT business_id FROM applications WHERE business_id > ${last} ORDER BY 1 LIMIT ${batchSize})
      UNION (SELECT DISTINCT business_id FROM grants WHERE business_id > ${last} ORDER BY 1 LIMIT ${batchSize})
      UNION (SELECT DISTINCT business_id FROM memberships WHERE business_id > ${last} ORDER BY 1 LIMIT ${batchSize})
    ) known ORDER BY business_id LIMIT ${batchSize}`;
  return (await readRows(z.object({ businessId: integer }), statement)).map(({ businessId }) => businessId);
}

export type RestoreTransaction = ReturnType<typeof createRestoreTransaction>;

function createRestoreTransaction(client: Prisma.TransactionClient) {
  return {
    ...createEmailTransaction(client),
    /** Replaces a person's password hash with an unusable one and deletes the recovery codes. False without such a person. */
    endPassword: async (personId: string, hash: string): Promise<boolean> => {
      const data = { passwordHash: hash };
      const { count } = await client.person.updateMany({ where: { id: personId }, data });
      await client.recoveryCode.deleteMany({ where: { personId } });
      return count > 0;
    },
    /** Removes a passkey, and the recovery codes if it was the last second factor. */
    removePasskey: async (personId: string, id: string): Promise<boolean> => {
      const { count } = await client.passkey.deleteMany({ where: { id, personId } });
      await createPersonTransaction(client).removeIdleRecoveryCodes(personId);
      return count > 0;
    },
    deletePerson: async (id: string): Promise<boolean> =>
      (await client.person.deleteMany({ where: { id } })).count > 0,
    endRecoveryCodes: async (personId: string): Promise<boolean> =>
      (await client.recoveryCode.deleteMany({ where: { personId } })).count > 0,
    endMembership: async (personId: string, businessId: number): Promise<boolean> => {
      const where = { personId, businessId: BigInt(businessId) };
      return (await client.membership.deleteMany({ where })).count > 0;
    },
    /** Lowers the role of a member who has a higher one. */
    demote: async (personId: string, businessId: number, role: Role): Promise<boolean> => {
      const where = { personId, businessId: BigInt(businessId), role: { in: rolesAbove(role) } };
      return (await client.membership.updateMany({ where, data: { role } })).count > 0;
    },
    requireSecondFactor: (businessId: number, personId: string): Promise<boolean> =>
      insertRequirement(client, businessId, personId),
    revokeAccessToken: async (id: string): Promise<boolean> => {
      await retireTokens(client, Prisma.sql`t.id = ${id}`, 'revoked');
      const changed = await client.$executeRaw`
        UPDATE access_tokens SET revoked_at = clock_timestamp() WHERE id = ${id} AND revoked_at IS NULL`;
      return changed > 0;
    },
    audit: (event: AuditEvent): Promise<void> => insertAuditEvent(client, event),
  };
}
