import type { SecretHasher } from '../secrets/secret-hasher.ts';
import type { HeldInvitation } from './team.ts';
import type { TeamStore } from './team-store.ts';

export interface FindInvitationDeps {
  readonly team: Pick<TeamStore, 'findInvitation'>;
  readonly hasher: SecretHasher;
}

/** The open invitation of a token, when it was sent to this address. @param email lower case */
export async function findInvitation(
  { team, hasher }: FindInvitationDeps,
  token: string | undefined,
  email: string,
): Promise<HeldInvitation | undefined> {
  if (token === undefined) return undefined;
  const invitation = await team.findInvitation(hasher.candidates(token));
  return invitation?.email === email ? invitation : undefined;
}
