import { AppError } from '@platform/service-kit/app-error.ts';
import type { FindBusiness } from '../applications/business-profile.ts';
import type { PersonStore } from '../people/person-store.ts';
import type { SecretHasher } from '../secrets/secret-hasher.ts';
import { invitationOver } from './invitation-over.ts';
import type { Role } from './team.ts';
import type { TeamStore } from './team-store.ts';

export interface PreviewInvitationDeps {
  readonly team: Pick<TeamStore, 'findInvitation'>;
  readonly people: Pick<PersonStore, 'find'>;
  readonly hasher: SecretHasher;
  readonly findBusiness: FindBusiness;
}

export interface PreviewInvitationInput {
  readonly token: string;
  /** Who looks at it. */
  readonly personId: string;
  readonly requestId: string;
}

/** What an invitation would lead to. The address that it was sent to is not told. */
export interface InvitationPreview {
  readonly businessName: string;
  readonly inviterName: string;
  readonly role: Role;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** Whether it was sent to the address of whoever looks at it. */
  readonly isForYou: boolean;
}

/** @throws AppError also unavailable when business-service does not answer */
export async function previewInvitation(
  { team, people, hasher, findBusiness }: PreviewInvitationDeps,
  { token, personId, requestId }: PreviewInvitationInput,
): Promise<InvitationPreview> {
  const [invitation, person] = await Promise.all([
    team.findInvitation(hasher.candidates(token)),
    people.find(personId),
  ]);
  if (invitation === undefined) throw invitationOver();
  const { businessId, inviterName, role, expiresAt } = invitation;
  const business = await findBusiness(businessId, requestId);
  if (business === undefined) throw new AppError('not_found', 'business_not_found', 'no such business');
  const isForYou = person?.email === invitation.email;
  return { businessName: business.accountHolder, inviterName, role, expiresAt, isForYou };
}
