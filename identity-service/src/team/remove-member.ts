import type { Actor } from '../audit/audit-event.ts';
import { checkOwner, checkOwnerRemains, memberOf } from './team-rules.ts';
import type { TeamStore } from './team-store.ts';
import { withdrawInvitationsOf } from './withdraw-invitation.ts';

export interface RemoveMemberInput {
  readonly actor: Actor;
  readonly businessId: number;
  /** Who asks: an owner, or the member itself, which leaves. */
  readonly personId: string;
  readonly memberId: string;
}

/** Ends a membership, and all rights with it, at once. Keys and connected applications stay. @throws AppError */
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
