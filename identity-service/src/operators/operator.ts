import { createCheckedToken } from '@platform/service-kit/secrets/checked-token.ts';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import { randomHexId } from '@platform/service-kit/values/ids.ts';
import type { Actor } from '../platform/actor.ts';
import type { SecretHasher } from '../platform/secrets.ts';
import { type EmailContent, type Mailer, sendInBackground } from '../web/mail.ts';
import {
  invitationHours,
  type OperatorInvitation,
  type OperatorSession,
  type OperatorStore,
  sessionHours,
} from './store.ts';

/** Checks that a session was begun with a second factor, lately. @throws AppError permission_denied */
export function checkStrongSession(session: OperatorSession | undefined): asserts session is OperatorSession {
  if (session?.hasSecondFactor !== true) {
    throw new AppError(
      'permission_denied',
      'second_factor_required',
      'operators need a second factor: turn it on in your profile, then log in with it',
    );
  }
  if (!session.isRecent) {
    throw new AppError(
      'permission_denied',
      'login_too_old',
      `operators log in with the second factor every ${sessionHours} hours: log out, and log in again`,
    );
  }
}

/** Checks that a session may use the console. @throws AppError permission_denied */
export function checkOperator(session: OperatorSession | undefined): asserts session is OperatorSession {
  if (session?.isOperator !== true) {
    throw new AppError(
      'permission_denied',
      'not_operator',
      'this page is for operators, who are invited by "npm run admin -- operator invite"',
    );
  }
  checkStrongSession(session);
}

/** Invites the recipient to the console. @param link expires after a day, works once */
function operatorInvitationEmail(link: string): EmailContent {
  return {
    subject: 'Invitation to the operators’ console',
    text: `You are invited to be an operator of Business API.

Accept the invitation:
${link}

Log in with this email address and its second factor. If the account has none, turn it on in the profile first. The link works
once and expires in ${invitationHours} hours.

If you did not expect this invitation, ignore this email, and tell those who run the platform.
`,
  };
}

export interface InviteOperatorDeps {
  readonly operators: OperatorStore;
  readonly hasher: SecretHasher;
  readonly mailer: Mailer;
}

interface InviteOperatorInput {
  readonly actor: Actor;
  /** Well-formed, lower case. */
  readonly email: string;
}

/** Emails a link to become an operator, which replaces an earlier one. @throws AppError conflict for an operator */
export async function inviteOperator(
  { operators, hasher, mailer }: InviteOperatorDeps,
  { actor, email }: InviteOperatorInput,
): Promise<OperatorInvitation> {
  const token = createCheckedToken('oi');
  const id = randomHexId('oiv');
  const invitation = await operators.inTransaction(async (transaction) => {
    if (await transaction.isOperator(email)) {
      throw new AppError('conflict', 'already_operator', 'this person is already an operator');
    }
    const invited = await transaction.putInvitation({
      id,
      tokenHash: hasher.hash(token),
      email,
      invitedBy: actor.id,
    });
    await transaction.record({ actor, action: 'operator.invited', subjectId: id, details: { email } });
    return invited;
  });
  const link = `${mailer.publicUrl}/operators/join?token=${token}`;
  sendInBackground(mailer, email, operatorInvitationEmail(link));
  return invitation;
}

interface AcceptInput {
  readonly actor: Actor;
  readonly personId: string;
  readonly session: OperatorSession | undefined;
  readonly token: string;
}

/**
 * Makes a person an operator. The link alone is not enough: the session is of the invited address, and was begun with a second
 * factor. @throws AppError
 */
export async function acceptOperatorInvitation(
  { operators, hasher }: Pick<InviteOperatorDeps, 'operators' | 'hasher'>,
  { actor, personId, session, token }: AcceptInput,
): Promise<void> {
  const hashes = hasher.candidates(token);
  checkStrongSession(session);
  await operators.inTransaction(async (transaction) => {
    const invitation = await transaction.takeInvitation(hashes);
    if (invitation === undefined) {
      throw new AppError(
        'failed_precondition',
        'invitation_over',
        'this invitation is no longer valid: it was used or replaced, or has expired',
      );
    }
    if (invitation.email !== session.email) {
      throw new AppError(
        'permission_denied',
        'invitation_of_another',
        'this invitation was sent to another email address: log in with that address',
      );
    }
    await transaction.add(personId, invitation.invitedBy);
    const { email, invitedBy } = invitation;
    await transaction.record({
      actor,
      action: 'operator.joined',
      subjectId: personId,
      details: { email, invitedBy },
    });
  });
}

/** Ends a person's role from the next request on, and an open invitation. @throws AppError not_found if there is neither */
export async function removeOperator(
  { operators }: Pick<InviteOperatorDeps, 'operators'>,
  { actor, email }: InviteOperatorInput,
): Promise<void> {
  await operators.inTransaction(async (transaction) => {
    const personId = await transaction.remove(email);
    const hadInvitation = await transaction.removeInvitation(email);
    if (personId === undefined && !hadInvitation) {
      throw new AppError(
        'not_found',
        'operator_not_found',
        'no operator and no invitation has this email address',
      );
    }
    const action = personId === undefined ? 'operator.invitation_withdrawn' : 'operator.removed';
    await transaction.record({ actor, action, subjectId: personId ?? email, details: { email } });
  });
}
