import { Prisma } from '../generated/client.ts';
import type { Invitation, Role, TeamMember } from '../team/team.ts';

/** What is read of an invitation `i` and of the person `p` who sent it. */
export const invitationColumns = Prisma.sql`
  i.id, i.business_id, i.email, i.role::text, i.invited_by, i.created_at, i.expires_at,
  coalesce(p.name, '') AS inviter_name`;

/** A row of `invitationColumns`. */
export interface InvitationRow {
  readonly id: string;
  readonly business_id: bigint;
  readonly email: string;
  readonly role: Role;
  readonly invited_by: string;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly inviter_name: string;
}

export function toInvitation(row: InvitationRow): Invitation {
  return {
    id: row.id,
    email: row.email,
    role: row.role,
    inviterName: row.inviter_name,
    createdAt: row.created_at.getTime(),
    expiresAt: row.expires_at.getTime(),
  };
}

export interface MemberRow {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  readonly created_at: Date;
  readonly has_second_factor: boolean;
  readonly last_seen_at: Date | null;
}

export function toMember(row: MemberRow): TeamMember {
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
