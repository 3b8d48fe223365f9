import type { Database } from '@platform/service-kit/database/database.ts';
import { integer, nullable, readRows, timestamp } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import { insertAuditEvent } from '../../audit/store.ts';
import { Prisma } from '../../generated/client.ts';
import type { AuditEvent } from '../../platform/actor.ts';
import { type Role, roleColumn } from '../../platform/role.ts';
import { hasFactorOfP, type PrismaClient, transactionsOf } from '../../platform/storage.ts';
import type { HeldInvitation, Invitation, LockedMember, NewInvitation, TeamMember } from './team.ts';

const lockedMemberRow = z.object({ personId: z.string(), email: z.string(), role: roleColumn });

const invitationRow = z.object({
  id: z.string(),
  businessId: integer,
  email: z.string(),
  role: roleColumn,
  invitedBy: z.string(),
  inviterName: z.string(),
  createdAt: timestamp,
  expiresAt: timestamp,
}) satisfies z.ZodType<HeldInvitation>;

const withdrawnRow = z.object({ id: z.string(), email: z.string() });

/** Reads invitations `i` and the people `p` who sent them. @param condition what follows WHERE, order included */
function selectInvitations(
  client: Prisma.TransactionClient,
  condition: Prisma.Sql,
): Promise<HeldInvitation[]> {
  const statement = client.$queryRaw`
    SELECT i.id, i.business_id AS "businessId", i.email, i.role::text, i.invited_by AS "invitedBy",
           coalesce(p.name, '') AS "inviterName", i.created_at AS "createdAt", i.expires_at AS "expiresAt"
    FROM invitations i LEFT JOIN people p ON p.id = i.invited_by WHERE ${condition}`;
  return readRows(invitationRow, statement);
}

/** Deletes open invitations. @param condition about `invitations` */
function deleteInvitations(
  client: Prisma.TransactionClient,
  condition: Prisma.Sql,
): Promise<Pick<Invitation, 'id' | 'email'>[]> {
  const statement = client.$queryRaw`
    DELETE FROM invitations WHERE clock_timestamp() < expires_at AND ${condition} RETURNING id, email`;
  return readRows(withdrawnRow, statement);
}

export type TeamTransaction = ReturnType<typeof createTeamTransaction>;

/** Changes that an operation on a team can make in one transaction. */
export function createTeamTransaction(client: Prisma.TransactionClient) {
  const { membership: memberships } = client;
  return {
    /** As `lockTeam`. */
    lockTeam: (businessId: number): Promise<void> => lockTeam(client, businessId),
    /** All members of a business, locked against additions, changes and removals until the transaction ends. */
    lockMembers: async (businessId: number): Promise<LockedMember[]> => {
      await lockTeam(client, businessId);
      // Also locks the rows, because acts of a member lock only that member's row.
      const lock = client.$queryRaw`
        SELECT m.person_id AS "personId", p.email, m.role::text
        FROM memberships m JOIN people p ON p.id = m.person_id
        WHERE m.business_id = ${BigInt(businessId)} ORDER BY m.person_id FOR UPDATE OF m`;
      return readRows(lockedMemberRow, lock);
    },
    /** Number of open invitations of a business, without those to one address. */
    countInvitations: async (businessId: number, exceptEmail: string): Promise<number> => {
      const statement = client.$queryRaw`
        SELECT count(*) FROM invitations
        WHERE business_id = ${BigInt(businessId)} AND email <> ${exceptEmail} AND clock_timestamp() < expires_at`;
      const [row] = await readRows(z.object({ count: integer }), statement);
      return row?.count ?? 0;
    },
    /** Adds an invitation for a week, which replaces an earlier one of its address. */
    putInvitation: (invitation: NewInvitation): Promise<Invitation> => putInvitation(client, invitation),
    /** Withdraws one invitation, or all that a person has sent. Resolves to those withdrawn. */
    removeInvitations: (
      businessId: number,
      which: { readonly id: string } | { readonly invitedBy: string },
    ): Promise<Pick<Invitation, 'id' | 'email'>[]> => {
      const condition =
        'id' in which ? Prisma.sql`id = ${which.id}` : Prisma.sql`invited_by = ${which.invitedBy}`;
      return deleteInvitations(client, Prisma.sql`business_id = ${BigInt(businessId)} AND ${condition}`);
    },
    /** Uses an invitation up. False when it has expired or is gone. */
    takeInvitation: async (id: string): Promise<boolean> =>
      (await deleteInvitations(client, Prisma.sql`id = ${id}`)).length > 0,
    /** Adds a member. False if the person already is one; the existing membership is kept. */
    addMember: async (personId: string, businessId: number, role: Role): Promise<boolean> => {
      const data = { personId, businessId: BigInt(businessId), role };
      return (await memberships.createMany({ data, skipDuplicates: true })).count > 0;
    },
    setRole: async (personId: string, businessId: number, role: Role): Promise<void> => {
      const where = { personId, businessId: BigInt(businessId) };
      await memberships.updateMany({ where, data: { role } });
    },
    removeMember: async (personId: string, businessId: number): Promise<void> => {
      await memberships.deleteMany({ where: { personId, businessId: BigInt(businessId) } });
    },
    audit: (event: AuditEvent): Promise<void> => insertAuditEvent(client, event),
  };
}

/**
 * Serializes changes of a team and its invitations. Call it before locking rows of the team: row locks do not exclude new
 * members, and could deadlock when taken in another order.
 */
async function lockTeam(client: Prisma.TransactionClient, businessId: number): Promise<void> {
  await client.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`team:${businessId}`}, 0))`;
}

async function putInvitation(
  client: Prisma.TransactionClient,
  { id, tokenHash, businessId, email, role, invitedBy }: NewInvitation,
): Promise<Invitation> {
  await client.$executeRaw`
    INSERT INTO invitations (id, token_hash, business_id, email, role, invited_by, expires_at)
    VALUES (${id}, ${tokenHash}, ${BigInt(businessId)}, ${email}, ${role}::membership_role, ${invitedBy},
            clock_timestamp() + interval '7 days')
    ON CONFLICT (business_id, email) DO UPDATE
    SET id = excluded.id, token_hash = excluded.token_hash, role = excluded.role, invited_by = excluded.invited_by,
        created_at = excluded.created_at, expires_at = excluded.expires_at`;
  const [invitation] = await selectInvitations(client, Prisma.sql`i.id = ${id}`);
  if (invitation === undefined) throw new Error('an invitation that was just added is gone');
  return invitation;
}

/** Maximum rows in a list. `maxTeam` keeps teams far smaller. */
const maxListed = 500;

/** Number of latest audit events that are searched for activity of members. */
const seenAmong = 10_000;

export type TeamStore = ReturnType<typeof createTeamStore>;

/** Keeps teams in PostgreSQL. */
export function createTeamStore(database: Database, prisma: PrismaClient) {
  return {
    /** Members of a business, longest first. */
    members: (businessId: number): Promise<TeamMember[]> =>
      database.run(() => listMembers(prisma, businessId)),
    /** Open invitations of a business, newest first. */
    invitations: (businessId: number): Promise<Invitation[]> =>
      database.run(() =>
        selectInvitations(
          prisma,
          Prisma.sql`
            i.business_id = ${BigInt(businessId)} AND clock_timestamp() < i.expires_at
            ORDER BY i.created_at DESC, i.id LIMIT ${maxListed}`,
        ),
      ),
    /** The open invitation of a token. */
    findInvitation: (tokenHashes: readonly Buffer[]): Promise<HeldInvitation | undefined> =>
      database.run(async () => {
        const [invitation] = await selectInvitations(
          prisma,
          Prisma.sql`
            i.token_hash IN (${Prisma.join([...tokenHashes])}) AND clock_timestamp() < i.expires_at`,
        );
        return invitation;
      }),
    inTransaction: transactionsOf(database, prisma, createTeamTransaction),
  };
}

const memberRow = z.object({
  personId: z.string(),
  name: z.string(),
  email: z.string(),
  role: roleColumn,
  joinedAt: timestamp,
  hasSecondFactor: z.boolean(),
  lastSeenAt: nullable(timestamp),
}) satisfies z.ZodType<TeamMember>;

/** Takes the last activity from the audit log, too, because sessions are deleted when they end. */
function listMembers(prisma: PrismaClient, businessId: number): Promise<TeamMember[]> {
  const statement = prisma.$queryRaw`
    WITH acts AS (
      SELECT actor_id, max(at) AS at FROM (
        SELECT actor_kind, actor_id, at FROM audit_events WHERE business_id = ${BigInt(businessId)}
        ORDER BY id DESC LIMIT ${seenAmong}
      ) AS latest
      WHERE actor_kind = 'person' GROUP BY actor_id
    )
    SELECT p.id AS "personId", p.name, p.email, m.role::text, m.created_at AS "joinedAt",
           ${hasFactorOfP} AS "hasSecondFactor",
           greatest(acts.at, (SELECT max(last_seen_at) FROM sessions s WHERE s.person_id = p.id)) AS "lastSeenAt"
    FROM memberships m JOIN people p ON p.id = m.person_id LEFT JOIN acts ON acts.actor_id = p.id
    WHERE m.business_id = ${BigInt(businessId)}
    ORDER BY m.created_at, p.id LIMIT ${maxListed}`;
  return readRows(memberRow, statement);
}
