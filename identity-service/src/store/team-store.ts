import type { Database } from '@platform/service-kit/database.ts';
import { Prisma } from '../generated/client.ts';
import type { TeamMember } from '../team/team.ts';
import type { TeamStore } from '../team/team-store.ts';
import type { PrismaClient } from './prisma.ts';
import { type InvitationRow, invitationColumns, type MemberRow, toInvitation, toMember } from './team-row.ts';
import { createTeamTransaction } from './team-transaction.ts';

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
