import { randomBytes } from 'node:crypto';
import { AppError } from '@platform/service-kit/app-error.ts';
import { createCheckedToken } from '@platform/service-kit/checked-token.ts';
import type { FindBusiness } from '../applications/business-profile.ts';
import type { Actor } from '../audit/audit-event.ts';
import type { PersonStore } from '../people/person-store.ts';
import { type PostOffice, post } from '../people/post-office.ts';
import type { SecretHasher } from '../secrets/secret-hasher.ts';
import { invitationLetter } from './invitation-letter.ts';
import { type Invitation, maxTeam, type Role } from './team.ts';
import { checkOwner } from './team-rules.ts';
import type { TeamStore, TeamTransaction } from './team-store.ts';

export interface InviteMemberDeps {
  readonly team: TeamStore;
  readonly people: Pick<PersonStore, 'find'>;
  readonly hasher: SecretHasher;
  readonly findBusiness: FindBusiness;
  readonly postOffice: PostOffice;
}

export interface InviteMemberInput {
  readonly actor: Actor;
  readonly businessId: number;
  /** Who invites. */
  readonly personId: string;
  /** Well-formed, lower case. */
  readonly email: string;
  readonly role: Role;
}

/**
 * Mails somebody a link to join a business. An invitation that the address had before ends. Whether the address has an
 * account is not looked up, so nobody learns it.
 * @throws AppError also unavailable when business-service does not answer: the letter says who invites
 */
export async function inviteMember(deps: InviteMemberDeps, input: InviteMemberInput): Promise<Invitation> {
  const { team, people, hasher, findBusiness, postOffice } = deps;
  const { actor, businessId, personId, email, role } = input;
  const [business, inviter] = await Promise.all([
    findBusiness(businessId, actor.requestId),
    people.find(personId),
  ]);
  if (business === undefined || inviter === undefined) {
    throw new AppError('not_found', 'business_not_found', 'no such business');
  }
  const token = createCheckedToken('in');
  const id = `inv_${randomBytes(12).toString('hex')}`;
  const invitation = await team.inTransaction(async (transaction) => {
    await checkRoom(transaction, input);
    const tokenHash = hasher.hash(token);
    const added = await transaction.putInvitation({
      id,
      tokenHash,
      businessId,
      email,
      role,
      invitedBy: personId,
    });
    await transaction.audit({
      actor,
      businessId,
      action: 'member.invited',
      subjectId: id,
      details: { email, role },
    });
    return added;
  });
  const link = `${postOffice.publicUrl}/dashboard/join?token=${token}`;
  const names = { businessName: business.accountHolder, inviterName: inviter.name };
  post(postOffice, email, invitationLetter({ ...names, role, link }));
  return invitation;
}

async function checkRoom(
  transaction: TeamTransaction,
  { businessId, personId, email }: InviteMemberInput,
): Promise<void> {
  const members = await transaction.lockMembers(businessId);
  checkOwner(members, personId);
  if (members.some((member) => member.email === email)) {
    throw new AppError('conflict', 'already_member', 'this person belongs to the team already');
  }
  if (members.length + (await transaction.countInvitations(businessId, email)) >= maxTeam) {
    throw new AppError(
      'failed_precondition',
      'team_full',
      `a team has at most ${maxTeam} members, open invitations included`,
    );
  }
}
