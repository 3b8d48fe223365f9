import { AppError } from '@platform/service-kit/app-error.ts';
import type { Actor } from '../audit/audit-event.ts';
import { checkOwner } from './team-rules.ts';
import type { TeamStore, TeamTransaction } from './team-store.ts';

export interface WithdrawInvitationInput {
  readonly actor: Actor;
  readonly businessId: number;
  /** Who takes it back. */
  readonly personId: string;
  readonly invitationId: string;
}

/** Takes an invitation back: its link leads nowhere any more. @throws AppError not_found when there is none */
export async function withdrawInvitation(
  { team }: { readonly team: TeamStore },
  { actor, businessId, personId, invitationId }: WithdrawInvitationInput,
): Promise<void> {
  await team.inTransaction(async (transaction) => {
    checkOwner(await transaction.lockMembers(businessId), personId);
    const count = await withdrawn(transaction, actor, businessId, { id: invitationId });
    if (count === 0) throw new AppError('not_found', 'invitation_not_found', 'no such invitation');
  });
}

/**
 * Takes back what somebody has sent who may not invite any more: otherwise the invitation to another mailbox of theirs would
 * lead them back in.
 */
export async function withdrawInvitationsOf(
  transaction: TeamTransaction,
  actor: Actor,
  businessId: number,
  personId: string,
): Promise<void> {
  await withdrawn(transaction, actor, businessId, { invitedBy: personId });
}

async function withdrawn(
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
