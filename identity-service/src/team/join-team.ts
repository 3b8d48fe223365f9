import type { Actor } from '../audit/audit-event.ts';
import { invitationOver } from './invitation-over.ts';
import type { HeldInvitation } from './team.ts';
import type { TeamTransaction } from './team-store.ts';

/** Uses an invitation up for a person. @throws AppError when it is over by now */
export async function joinTeam(
  transaction: Pick<TeamTransaction, 'takeInvitation' | 'addMember' | 'audit'>,
  { id, businessId, email, role, invitedBy }: HeldInvitation,
  personId: string,
  actor: Actor,
): Promise<void> {
  if (!(await transaction.takeInvitation(id))) throw invitationOver();
  await transaction.addMember(personId, businessId, role);
  const details = { email, role, invitedBy };
  await transaction.audit({ actor, businessId, action: 'member.joined', subjectId: personId, details });
}
