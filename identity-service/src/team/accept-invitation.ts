import { AppError } from '@platform/service-kit/app-error.ts';
import type { Actor } from '../audit/audit-event.ts';
import type { PersonStore } from '../people/person-store.ts';
import type { SecretHasher } from '../secrets/secret-hasher.ts';
import { invitationOver } from './invitation-over.ts';
import type { TeamStore } from './team-store.ts';

export interface AcceptInvitationDeps {
  readonly team: TeamStore;
  readonly people: Pick<PersonStore, 'find'>;
  readonly hasher: SecretHasher;
}

export interface AcceptInvitationInput {
  readonly actor: Actor;
  readonly token: string;
  readonly personId: string;
}

/**
 * Makes a person a member of the business that has invited their mail address: the link alone is not enough, since links
 * get forwarded. Resolves to the business.
 * @throws AppError
 */
export async function acceptInvitation(
  { team, people, hasher }: AcceptInvitationDeps,
  { actor, token, personId }: AcceptInvitationInput,
): Promise<number> {
  const [invitation, person] = await Promise.all([
    team.findInvitation(hasher.candidates(token)),
    people.find(personId),
  ]);
  if (invitation === undefined) throw invitationOver();
  const { id, businessId, email, role, invitedBy } = invitation;
  if (person?.email !== email) {
    throw new AppError(
      'permission_denied',
      'invitation_of_another',
      'this invitation was sent to another email address than yours: log in with that one',
    );
  }
  await team.inTransaction(async (transaction) => {
    if (!(await transaction.takeInvitation(id))) throw invitationOver();
    await transaction.addMember(personId, businessId, role);
    const details = { email, role, invitedBy };
    await transaction.audit({ actor, businessId, action: 'member.joined', subjectId: personId, details });
  });
  return businessId;
}
