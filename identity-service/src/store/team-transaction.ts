import { Prisma } from '../generated/client.ts';
import type { Invitation, Role } from '../team/team.ts';
import type { NewInvitation, TeamTransaction } from '../team/team-store.ts';
import { insertAuditEvent } from './audit-store.ts';
import { type InvitationRow, invitationColumns, toInvitation } from './team-row.ts';

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
