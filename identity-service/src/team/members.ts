import { AppError } from '@platform/service-kit/app-error.ts';
import type { Actor } from '../platform/actor.ts';
import type { Role } from '../platform/role.ts';
import type { TeamStore, TeamTransaction } from './store.ts';
import { checkOwner, checkOwnerRemains, memberOf } from './team.ts';

interface WithdrawInvitationInput {
  readonly actor: Actor;
  readonly businessId: number;
  /** The owner who withdraws it. */
  readonly personId: string;
  readonly invitationId: string;
}

/** Withdraws an invitation; its link stops working. @throws AppError not_found when there is none */
export async function withdrawInvitation(
  { team }: { readonly team: TeamStore },
  { actor, businessId, personId, invitationId }: WithdrawInvitationInput,
): Promise<void> {
  await team.inTransaction(async (transaction) => {
    checkOwner(await transaction.lockMembers(businessId), personId);
    const count = await withdraw(transaction, actor, businessId, { id: invitationId });
    if (count === 0) throw new AppError('not_found', 'invitation_not_found', 'no such invitation');
  });
}

/**
 * Withdraws the invitations of a person who is no longer an owner: otherwise one sent to another mailbox of theirs would
 * let them back in.
 */
export async function withdrawInvitationsOf(
  transaction: TeamTransaction,
  actor: Actor,
  businessId: number,
  personId: string,
): Promise<void> {
  await withdraw(transaction, actor, businessId, { invitedBy: personId });
}

async function withdraw(
  transaction: TeamTransaction,
  actor: Actor,
  businessId: number,
  which: Parameters<TeamTransaction['removeInvitations']>[1],
): Promise<number> {
  const removed = await transaction.removeInvitations(businessId, which);
  for (const { id, email } of removed) {
    const event = { actor, businessId, action: 'member.invitation_withdrawn', subjectId: id };
    await transaction.audit({ ...event, details: { email } });
  }
  return removed.length;
}

interface ChangeRoleInput {
  readonly actor: Actor;
  readonly businessId: number;
  /** The owner who changes it. */
  readonly personId: string;
  readonly memberId: string;
  readonly role: Role;
}

/** Changes the role of a member. Takes effect at once: roles are read on every request. @throws AppError */
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

interface RemoveMemberInput {
  readonly actor: Actor;
  readonly businessId: number;
  /** An owner, or the member who leaves. */
  readonly personId: string;
  readonly memberId: string;
}

/** Ends a membership at once. API keys and connected applications of the business stay. @throws AppError */
export async function removeMember(
  { team }: { readonly team: TeamStore },
  { actor, businessId, personId, memberId }: RemoveMemberInput,
): Promise<void> {
  await team.inTransaction(async (transaction) => {
    const members = await transaction.lockMembers(businessId);
    if (personId !== memberId) checkOwner(members, personId);
    const member = memberOf(members, memberId);
    checkOwnerRemains(members, member, undefined);
    await transaction.removeMember(memberId, businessId);
    const details = { email: member.email, role: member.role };
    const event = { actor, businessId, action: 'member.removed', subjectId: memberId, details };
    await transaction.audit(event);
    await withdrawInvitationsOf(transaction, actor, businessId, memberId);
  });
}
