import { createCheckedToken } from '@platform/service-kit/secrets/checked-token.ts';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import { randomHexId } from '@platform/service-kit/values/ids.ts';
import type { FindBusiness } from '../../clients/business.ts';
import type { Actor } from '../../platform/actor.ts';
import { type Role, roleWithArticle } from '../../platform/role.ts';
import type { SecretHasher } from '../../platform/secrets.ts';
import { type EmailContent, type Mailer, sendInBackground } from '../../web/mail.ts';
import { withoutLinks } from '../../web/mail-message.ts';
import type { PersonStore } from '../store.ts';
import type { TeamStore, TeamTransaction } from './store.ts';
import { checkOwner, type HeldInvitation, type Invitation, maxTeam } from './team.ts';

/** Contents of an invitation email. */
interface InvitationEmailInput {
  /** Display names, chosen by their owners. */
  readonly businessName: string;
  readonly inviterName: string;
  readonly role: Role;
  /** Expires after 7 days, works once. */
  readonly link: string;
}

/** Invites the recipient to a business. The recipient may not know the platform. */
export function invitationEmail({
  businessName,
  inviterName,
  role,
  link,
}: InvitationEmailInput): EmailContent {
  const [business, inviter] = [withoutLinks(businessName), withoutLinks(inviterName)];
  return {
    subject: `Invitation to join ${business}`,
    text: `${inviter} invites you to join the business "${business}" at Business API as ${roleWithArticle[role]}.

Accept the invitation:
${link}

Log in with this email address. If you have no account, choose "Create an account" and sign up with this email address;
you join the business with the new account. The link works once and expires in 7 days.

If you did not expect this invitation, ignore this email.
`,
  };
}

export interface InviteMemberDeps {
  readonly team: TeamStore;
  readonly people: Pick<PersonStore, 'find'>;
  readonly hasher: SecretHasher;
  readonly findBusiness: FindBusiness;
  readonly mailer: Mailer;
}

interface InviteMemberInput {
  readonly actor: Actor;
  readonly businessId: number;
  /** The owner who invites. */
  readonly personId: string;
  /** Well-formed, lower case. */
  readonly email: string;
  readonly role: Role;
}

/**
 * Emails a link to join a business, and replaces an earlier invitation of the address. Does not look up whether the
 * address has an account, so the response cannot disclose it.
 * @throws AppError also unavailable while business-service is: the email names the business
 */
export async function inviteMember(deps: InviteMemberDeps, input: InviteMemberInput): Promise<Invitation> {
  const { team, people, hasher, findBusiness, mailer } = deps;
  const { actor, businessId, personId, email, role } = input;
  const [business, inviter] = await Promise.all([
    findBusiness(businessId, actor.requestId),
    people.find(personId),
  ]);
  if (business === undefined || inviter === undefined) {
    throw businessNotFound();
  }
  const token = createCheckedToken('in');
  const id = randomHexId('inv');
  const invitation = await team.inTransaction(async (transaction) => {
    await checkCanInvite(transaction, input);
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
  const link = `${mailer.publicUrl}/dashboard/join?token=${token}`;
  const names = { businessName: business.accountHolder, inviterName: inviter.name };
  sendInBackground(mailer, email, invitationEmail({ ...names, role, link }));
  return invitation;
}

function businessNotFound(): AppError {
  return new AppError('not_found', 'business_not_found', 'no such business');
}

async function checkCanInvite(
  transaction: TeamTransaction,
  { businessId, personId, email }: InviteMemberInput,
): Promise<void> {
  const members = await transaction.lockMembers(businessId);
  checkOwner(members, personId);
  if (members.some((member) => member.email === email)) {
    throw new AppError('conflict', 'already_member', 'this person is already a member of the team');
  }
  if (members.length + (await transaction.countInvitations(businessId, email)) >= maxTeam) {
    throw new AppError(
      'failed_precondition',
      'team_full',
      `a team has at most ${maxTeam} members, open invitations included`,
    );
  }
}

/** The same error for a token that was used, withdrawn or replaced, has expired or never existed. */
function invalidInvitation(): AppError {
  return new AppError(
    'failed_precondition',
    'invitation_over',
    'this invitation is no longer valid: it was used or withdrawn, or has expired',
  );
}

/**
 * Consumes an invitation and adds the person to its business.
 * @throws AppError when the invitation is no longer valid; conflict for a member who has got the invited address since
 */
export async function joinTeam(
  transaction: Pick<TeamTransaction, 'lockTeam' | 'takeInvitation' | 'addMember' | 'audit'>,
  { id, businessId, email, role, invitedBy }: HeldInvitation,
  personId: string,
  actor: Actor,
): Promise<void> {
  await transaction.lockTeam(businessId);
  if (!(await transaction.takeInvitation(id))) throw invalidInvitation();
  if (!(await transaction.addMember(personId, businessId, role))) {
    throw new AppError('conflict', 'already_member', 'you are already a member of this business');
  }
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
 * Makes a person a member of the business that invited their email address. The link alone is not enough, because links
 * get forwarded. Resolves to the id of the business.
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
  if (invitation === undefined) throw invalidInvitation();
  if (person?.email !== invitation.email) {
    throw new AppError(
      'permission_denied',
      'invitation_of_another',
      'this invitation was sent to another email address: log in with that address',
    );
  }
  await team.inTransaction((transaction) => joinTeam(transaction, invitation, personId, actor));
  return invitation.businessId;
}

export interface FindInvitationDeps {
  readonly team: Pick<TeamStore, 'findInvitation'>;
  readonly hasher: SecretHasher;
}

/** Open invitation of a token, if it was sent to this address. @param email lower case */
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
  /** The person who views it. */
  readonly personId: string;
  readonly requestId: string;
}

/** An invitation as its recipient sees it, without the address it was sent to. */
interface InvitationPreview {
  readonly businessName: string;
  readonly inviterName: string;
  readonly role: Role;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** True when it was sent to the address of the person who views it. */
  readonly isForYou: boolean;
}

/** Reads an invitation for its recipient. @throws AppError also unavailable while business-service is */
export async function previewInvitation(
  { team, people, hasher, findBusiness }: PreviewInvitationDeps,
  { token, personId, requestId }: PreviewInvitationInput,
): Promise<InvitationPreview> {
  const [invitation, person] = await Promise.all([
    team.findInvitation(hasher.candidates(token)),
    people.find(personId),
  ]);
  if (invitation === undefined) throw invalidInvitation();
  const { businessId, inviterName, role, expiresAt } = invitation;
  const business = await findBusiness(businessId, requestId);
  if (business === undefined) throw businessNotFound();
  const isForYou = person?.email === invitation.email;
  return { businessName: business.accountHolder, inviterName, role, expiresAt, isForYou };
}
