import type { Database } from '@platform/service-kit/database/database.ts';
import { insertAuditEvent } from '../audit/store.ts';
import { Prisma } from '../generated/client.ts';
import type { AuditEvent } from '../platform/actor.ts';
import type { PrismaClient } from '../platform/storage.ts';
import type { HeldInvitation, Invitation, LockedMember, NewInvitation, Role, TeamMember } from './team.ts';

/** Where teams are kept. */
export interface TeamStore {
  /** Members of a business, longest first. */
  members(businessId: number): Promise<TeamMember[]>;
  /** Open invitations of a business, newest first. */
  invitations(businessId: number): Promise<Invitation[]>;
  /** The open invitation of a token. */
  findInvitation(tokenHashes: readonly Buffer[]): Promise<HeldInvitation | undefined>;
  /** Runs `work` in one transaction: all of it happens, or nothing. */
  inTransaction<T>(work: (transaction: TeamTransaction) => Promise<T>): Promise<T>;
}

/** What one transaction can do. */
export interface TeamTransaction {
  /** All members of a business. Until the transaction ends nobody else changes or removes any of them. */
  lockMembers(businessId: number): Promise<LockedMember[]>;
  /** Open invitations of a business, but for one address. */
  countInvitations(businessId: number, exceptEmail: string): Promise<number>;
  /** Adds an invitation for a week, in the place of the one that its address had. */
  putInvitation(invitation: NewInvitation): Promise<Invitation>;
  /** Takes back one invitation, or all that a person has sent. Resolves to what was taken back. */
  removeInvitations(
    businessId: number,
    which: { readonly id: string } | { readonly invitedBy: string },
  ): Promise<Pick<Invitation, 'id' | 'email'>[]>;
  /** Uses an invitation up. False when it is over. */
  takeInvitation(id: string): Promise<boolean>;
  /** A membership that there is already stays as it is. */
  addMember(personId: string, businessId: number, role: Role): Promise<void>;
  setRole(personId: string, businessId: number, role: Role): Promise<void>;
  removeMember(personId: string, businessId: number): Promise<void>;
  audit(event: AuditEvent): Promise<void>;
}

/** What is read of an invitation `i` and of the person `p` who sent it. */
const invitationColumns = Prisma.sql`
  i.id, i.business_id, i.email, i.role::text, i.invited_by, i.created_at, i.expires_at,
  coalesce(p.name, '') AS inviter_name`;

/** A row of `invitationColumns`. */
interface InvitationRow {
  readonly id: string;
  readonly business_id: bigint;
  readonly email: string;
  readonly role: Role;
  readonly invited_by: string;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly inviter_name: string;
}

function toInvitation(row: InvitationRow): Invitation {
  return {
    id: row.id,
    email: row.email,
    role: row.role,
    inviterName: row.inviter_name,
    createdAt: row.created_at.getTime(),
    expiresAt: row.expires_at.getTime(),
  };
}

interface MemberRow {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  readonly created_at: Date;
  readonly has_second_factor: boolean;
  readonly last_seen_at: Date | null;
}

function toMember(row: MemberRow): TeamMember {
  return {
    personId: row.id,
    name: row.name,
    email: row.email,
    role: row.role,
    joinedAt: row.created_at.getTime(),
    hasSecondFactor: row.has_second_factor,
    lastSeenAt: row.last_seen_at?.getTime(),
  };
}

/** What an operation on a team does in one transaction of `client`. */
export function createTeamTransaction(client: Prisma.TransactionClient): TeamTransaction {
  return {
    lockMembers: async (businessId) => {
      // Always in the same order, so that two who lock the same team wait for each other and never in a circle.
      const rows = await client.$queryRaw<{ person_id: string; email: string; role: Role }[]>`
        SELECT m.person_id, p.email, m.role::text FROM memberships m JOIN people p ON p.id = m.person_id
        WHERE m.business_id = ${BigInt(businessId)} ORDER BY m.person_id FOR UPDATE OF m`;
      return rows.map(({ person_id, email, role }) => ({ personId: person_id, email, role }));
    },
    countInvitations: async (businessId, exceptEmail) => {
      const [row] = await client.$queryRaw<{ count: bigint }[]>`
        SELECT count(*) FROM invitations
        WHERE business_id = ${BigInt(businessId)} AND email <> ${exceptEmail} AND clock_timestamp() < expires_at`;
      return Number(row?.count);
    },
    putInvitation: (invitation) => putInvitation(client, invitation),
    removeInvitations: (businessId, which) => {
      const condition =
        'id' in which ? Prisma.sql`id = ${which.id}` : Prisma.sql`invited_by = ${which.invitedBy}`;
      return client.$queryRaw<{ id: string; email: string }[]>`
        DELETE FROM invitations
        WHERE business_id = ${BigInt(businessId)} AND clock_timestamp() < expires_at AND ${condition}
        RETURNING id, email`;
    },
    takeInvitation: async (id) => {
      const deleted = await client.$executeRaw`
        DELETE FROM invitations WHERE id = ${id} AND clock_timestamp() < expires_at`;
      return deleted > 0;
    },
    addMember: async (personId, businessId, role) => {
      await client.$executeRaw`
        INSERT INTO memberships (person_id, business_id, role)
        VALUES (${personId}, ${BigInt(businessId)}, ${role}::membership_role) ON CONFLICT DO NOTHING`;
    },
    setRole: async (personId, businessId, role) => {
      await client.$executeRaw`
        UPDATE memberships SET role = ${role}::membership_role
        WHERE person_id = ${personId} AND business_id = ${BigInt(businessId)}`;
    },
    removeMember: async (personId, businessId) => {
      await client.$executeRaw`
        DELETE FROM memberships WHERE person_id = ${personId} AND business_id = ${BigInt(businessId)}`;
    },
    audit: (event) => insertAuditEvent(client, event),
  };
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
  const [row] = await client.$queryRaw<InvitationRow[]>`
    SELECT ${invitationColumns} FROM invitations i LEFT JOIN people p ON p.id = i.invited_by WHERE i.id = ${id}`;
  if (row === undefined) throw new Error('an invitation that was just added is gone');
  return toInvitation(row);
}

/** Rows that one list shows; `maxTeam` keeps teams far below. */
const maxListed = 500;

/** Latest events of the audit log in which members are looked for. */
const seenAmong = 10_000;

/** Teams in PostgreSQL. */
export function createTeamStore(database: Database, prisma: PrismaClient): TeamStore {
  return {
    members: (businessId) => database.run(() => listMembers(prisma, businessId)),
    invitations: (businessId) =>
      database.run(async () => {
        const rows = await prisma.$queryRaw<InvitationRow[]>`
          SELECT ${invitationColumns} FROM invitations i LEFT JOIN people p ON p.id = i.invited_by
          WHERE i.business_id = ${BigInt(businessId)} AND clock_timestamp() < i.expires_at
          ORDER BY i.created_at DESC, i.id LIMIT ${maxListed}`;
        return rows.map(toInvitation);
      }),
    findInvitation: (tokenHashes) =>
      database.run(async () => {
        const [row] = await prisma.$queryRaw<InvitationRow[]>`
          SELECT ${invitationColumns} FROM invitations i LEFT JOIN people p ON p.id = i.invited_by
          WHERE i.token_hash IN (${Prisma.join([...tokenHashes])}) AND clock_timestamp() < i.expires_at`;
        return (
          row && {
            ...toInvitation(row),
            businessId: Number(row.business_id),
            invitedBy: row.invited_by,
          }
        );
      }),
    inTransaction: (work) =>
      database.run(() => prisma.$transaction((client) => work(createTeamTransaction(client)))),
  };
}

/** Sessions are gone when they end, so the audit log is asked as well: every login is in it. */
async function listMembers(prisma: PrismaClient, businessId: number): Promise<TeamMember[]> {
  const rows = await prisma.$queryRaw<MemberRow[]>`
    WITH acts AS (
      SELECT actor_id, max(at) AS at FROM (
        SELECT actor_kind, actor_id, at FROM audit_events WHERE business_id = ${BigInt(businessId)}
        ORDER BY id DESC LIMIT ${seenAmong}
      ) AS latest
      WHERE actor_kind = 'person' GROUP BY actor_id
    )
    SELECT p.id, p.name, p.email, m.role::text, m.created_at, p.totp_confirmed_at IS NOT NULL AS has_second_factor,
           greatest(acts.at, (SELECT max(last_seen_at) FROM sessions s WHERE s.person_id = p.id)) AS last_seen_at
    FROM memberships m JOIN people p ON p.id = m.person_id LEFT JOIN acts ON acts.actor_id = p.id
    WHERE m.business_id = ${BigInt(businessId)}
    ORDER BY m.created_at, p.id LIMIT ${maxListed}`;
  return rows.map(toMember);
}
