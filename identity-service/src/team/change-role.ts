import type { Actor } from '../audit/audit-event.ts';
import type { Role } from './team.ts';
import { checkOwner, checkOwnerRemains, memberOf } from './team-rules.ts';
import type { TeamStore } from './team-store.ts';
import { withdrawInvitationsOf } from './withdraw-invitation.ts';

export interface ChangeRoleInput {
  readonly actor: Actor;
  readonly businessId: number;
  /** Who asks. */
  readonly personId: string;
  readonly memberId: string;
  readonly role: Role;
}

/** Gives a member another role, at once: rights are read on every call. @throws AppError */
export async function changeRole(
  { team }: { readonly team: TeamStore },
  { actor, businessId, personId, memberId, role }: ChangeRoleInput,
): Promise<void> {
  await team.inTransaction(async (transaction) => {
    const members = await transaction.lockMembers(businessId);
    checkOwner(members, personId);
    const member = memberOf(members, memberId);
    if (member.role === role) return;
    checkOwnerRemains(members, member, role);
    await transaction.setRole(memberId, businessId, role);
    const details = { email: member.email, role: { from: member.role, to: role } };
    const event = { actor, businessId, action: 'member.role_changed', subjectId: memberId, details };
    await transaction.audit(event);
    if (role !== 'owner') await withdrawInvitationsOf(transaction, actor, businessId, memberId);
  });
}
