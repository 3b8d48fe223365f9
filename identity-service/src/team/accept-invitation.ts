import { AppError } from '@platform/service-kit/app-error.ts';
import type { Actor } from '../audit/audit-event.ts';
import type { PersonStore } from '../people/person-store.ts';
import type { SecretHasher } from '../secrets/secret-hasher.ts';
import { invitationOver } from './invitation-over.ts';
import { joinTeam } from './join-team.ts';
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
  if (person?.email !== invitation.email) {
    throw new AppError(
      'permission_denied',
      'invitation_of_another',
      'this invitation was sent to another email address than yours: log in with that one',
    );
  }
  await team.inTransaction((transaction) => joinTeam(transaction, invitation, personId, actor));
  return invitation.businessId;
}
