import { AppError } from '@platform/service-kit/app-error.ts';
import { createCheckedToken } from '@platform/service-kit/checked-token.ts';
import { randomHexId } from '@platform/service-kit/ids.ts';
import { type Letter, type PostOffice, post } from '../people/emails.ts';
import type { PersonStore } from '../people/store.ts';
import type { Actor } from '../platform/actor.ts';
import type { FindBusiness } from '../platform/businesses.ts';
import type { SecretHasher } from '../platform/secrets.ts';
import type { TeamStore, TeamTransaction } from './store.ts';
import { checkOwner, type HeldInvitation, type Invitation, maxTeam, type Role } from './team.ts';

/** What an invitation says to somebody who may never have heard of us. */
interface InvitationWords {
  /** Display names: their owners chose them. */
  readonly businessName: string;
  readonly inviterName: string;
  readonly role: Role;
  /** Good for a week, once. */
  readonly link: string;
}

/** A role, with its article. */
export const roleWords: Readonly<Record<Role, string>> = { owner: 'an owner', member: 'a member' };

/** @param link good for a week, once */
export function invitationLetter({ businessName, inviterName, role, link }: InvitationWords): Letter {
  const [business, inviter] = [quotable(businessName), quotable(inviterName)];
  return {
    subject: `Invitation to join ${business}`,
    text: `${inviter} invites you to join the business "${business}" at Business API as ${roleWords[role]}.

Accept the invitation:
${link}

Log in with this email address. If you have no account yet, choose "Create an account" there and sign up with this email
address: with the account you are in. The link works once, within 7 days.

If you do not know what this is about, do nothing: nobody is told that you have read this.
`,
  };
}

const maxLength = 80;

/** A name that others chose, fit for a letter of ours: short, and nothing in it becomes a link. */
export function quotable(name: string): string {
  const plain = name.replaceAll(/\s+/g, ' ').replaceAll(/[.:/@\\]+(?=\S)/g, ' ');
  const characters = [...plain.trim()];
  return characters.length <= maxLength ? characters.join('') : `${characters.slice(0, maxLength).join('')}…`;
}

export interface InviteMemberDeps {
  readonly team: TeamStore;
  readonly people: Pick<PersonStore, 'find'>;
  readonly hasher: SecretHasher;
  readonly findBusiness: FindBusiness;
  readonly postOffice: PostOffice;
}

interface InviteMemberInput {
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
  const id = randomHexId('inv');
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

/** For a token that was used, taken back, replaced, is too old, or never was: nobody learns which. */
function invitationOver(): AppError {
  return new AppError(
    'failed_precondition',
    'invitation_over',
    'this invitation does not work any more: it was used, taken back, or is older than a week',
  );
}

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

export interface AcceptInvitationDeps {
  readonly team: TeamStore;
  readonly people: Pick<PersonStore, 'find'>;
  readonly hasher: SecretHasher;
}

interface AcceptInvitationInput {
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

export interface PreviewInvitationDeps {
  readonly team: Pick<TeamStore, 'findInvitation'>;
  readonly people: Pick<PersonStore, 'find'>;
  readonly hasher: SecretHasher;
  readonly findBusiness: FindBusiness;
}

interface PreviewInvitationInput {
  readonly token: string;
  /** Who looks at it. */
  readonly personId: string;
  readonly requestId: string;
}

/** What an invitation would lead to. The address that it was sent to is not told. */
interface InvitationPreview {
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
