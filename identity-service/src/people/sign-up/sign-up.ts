import { createCheckedToken } from '@platform/service-kit/secrets/checked-token.ts';
import type { BusinessDraft, CreateBusiness } from '../../clients/business.ts';
import type { SecretHasher } from '../../platform/secrets.ts';
import { type FieldErrors, fieldErrors, hasErrors, publicNameError } from '../../platform/text.ts';
import type { Mailer } from '../../web/mail.ts';
import { maxLink } from '../../web/mail-message.ts';
import { replacedEmailEmail } from '../email-change/emails.ts';
import type { EmailChangeStore } from '../email-change/store.ts';
import { existingAccountEmail, signUpEmail } from '../emails.ts';
import { type PasswordHasher, validatePassword } from '../password.ts';
import { newPersonId, personNameError, validateUsername } from '../person.ts';
import { type FindInvitationDeps, findInvitation } from '../team/invitations.ts';
import type { HeldInvitation } from '../team/team.ts';
import type { NewPerson, SignUpStore } from './store.ts';

export interface BeginSignUpDeps {
  readonly hasher: SecretHasher;
  readonly emailChanges: Pick<EmailChangeStore, 'findHolder'>;
  readonly signUps: SignUpStore;
  readonly mailer: Mailer;
}

/**
 * Emails the link to confirm an address or, when the address already has an account, a link to log in. Runs after the
 * response, so that the client cannot tell which.
 * @param email lower case
 * @param returnVia adds the path to return to after sign-up to a path; left out where it makes the link too long
 */
export function beginSignUp(
  { hasher, emailChanges, signUps, mailer }: BeginSignUpDeps,
  email: string,
  returnVia: (path: string) => string,
): void {
  const { sendMail, background, publicUrl } = mailer;
  // A mail server may refuse a longer one, or break it.
  const shortVia = (path: string) =>
    publicUrl.length + returnVia(path).length <= maxLink ? returnVia(path) : path;
  background.run('sign-up', async () => {
    const holder = await emailChanges.findHolder(email);
    if (holder?.isCurrent) {
      return sendMail({ to: email, ...existingAccountEmail(publicUrl, shortVia('/login')) });
    }
    if (holder !== undefined) return sendMail({ to: email, ...replacedEmailEmail() });
    const token = createCheckedToken('su');
    await signUps.insert(hasher.hash(token), email);
    const path = shortVia(`/signup/confirm?token=${token}`);
    await sendMail({ to: email, ...signUpEmail(publicUrl + path) });
  });
}

/** Fields of the sign-up form. */
interface SignUpDraft {
  readonly name: string;
  readonly password: string;
  /** Undefined when the person joins an existing business. */
  readonly business: BusinessDraft | undefined;
}

/** Normalizes and validates a form; errors are keyed by form field. @param email the confirmed address */
export function validateSignUp(
  form: SignUpDraft,
  email: string,
): { draft: SignUpDraft; errors: FieldErrors } {
  const { business } = form;
  const draft = {
    name: form.name.trim(),
    password: form.password,
    business: business && {
      accountHolder: business.accountHolder.trim(),
      username: business.username.trim().toLowerCase(),
    },
  };
  const errors = fieldErrors({
    name: personNameError(draft.name),
    password: validatePassword(draft.password, email),
    ...(draft.business && {
      business_name: publicNameError(draft.business.accountHolder, 'the name of your business', 200),
      username: validateUsername(draft.business.username),
    }),
  });
  return { draft, errors };
}

export interface CompleteSignUpDeps extends FindInvitationDeps {
  readonly emailChanges: Pick<EmailChangeStore, 'findHolder'>;
  readonly passwords: PasswordHasher;
  readonly signUps: SignUpStore;
  readonly operators: {
    /** The address that an open invitation to the operators’ console was sent to. */
    invitedEmail(tokenHashes: readonly Buffer[]): Promise<string | undefined>;
  };
  readonly createBusiness: CreateBusiness;
}

/** Whether a link led here that invites this address to the operators’ console. */
export async function isInvitedOperator(
  { operators, hasher }: Pick<CompleteSignUpDeps, 'operators' | 'hasher'>,
  token: string | undefined,
  email: string,
): Promise<boolean> {
  return token !== undefined && (await operators.invitedEmail(hasher.candidates(token))) === email;
}

interface CompleteSignUpInput {
  readonly token: string;
  readonly form: SignUpDraft;
  /** Token of the invitation, if the person came by one. Without a business in the form, the person joins that business. */
  readonly invitationToken: string | undefined;
  /** Token of the invitation to the console, if the person came by one. Then a form without a business creates none. */
  readonly operatorToken: string | undefined;
  readonly clientIp: string;
  readonly requestId: string;
}

type CompleteSignUpOutcome =
  | {
      readonly kind: 'done';
      readonly personId: string;
      readonly passwordSetAt: number;
      /** The business that the person joined; undefined where it created its own, or has none as an operator. */
      readonly joined: number | undefined;
    }
  /** The link was used, has expired or never existed; or its address has an account by now. */
  | { readonly kind: 'invalid_link' }
  | {
      readonly kind: 'refused';
      readonly email: string;
      readonly errors: FieldErrors;
      readonly invitation: HeldInvitation | undefined;
      readonly isOperator: boolean;
    };

/** Replaces a missing business, so that validation reports its fields. */
const emptyBusiness: BusinessDraft = { accountHolder: '', username: '' };

/**
 * Creates the person, who joins the business that invited the address, is invited to the operators’ console, or owns a new
 * business. A new business is created first, with an idempotency key that all links of the address share: after a failure
 * the link still works, and a retry finds that business. Two links at the same time never create one without an owner.
 * @throws AppError also when the invitation ends concurrently; the link then still works, with a new business
 */
export async function completeSignUp(
  deps: CompleteSignUpDeps,
  { token, form, invitationToken, operatorToken, clientIp, requestId }: CompleteSignUpInput,
): Promise<CompleteSignUpOutcome> {
  const { hasher, passwords, emailChanges, signUps } = deps;
  const address = await signUps.find(hasher.candidates(token));
  if (address === undefined) return { kind: 'invalid_link' };
  const { email, tokenHash, firstHash } = address;
  const invitation = form.business ? undefined : await findInvitation(deps, invitationToken, email);
  const isOperator = !form.business && (await isInvitedOperator(deps, operatorToken, email));
  const business = invitation || isOperator ? undefined : (form.business ?? emptyBusiness);
  const { draft, errors } = validateSignUp({ ...form, business }, email);
  if (hasErrors(errors)) return { kind: 'refused', email, errors, invitation, isOperator };
  // Before a business is created, which would have no owner.
  if ((await emailChanges.findHolder(email)) !== undefined) return { kind: 'invalid_link' };

  const passwordHash = await passwords.hash(draft.password);
  const home = draft.business
    ? await createOwnBusiness(deps, draft.business, firstHash, requestId)
    : invitation
      ? { invitation }
      : 'none';
  if (home === undefined) {
    const usernameTaken = { username: 'This username is taken. Choose another one.' };
    return { kind: 'refused', email, errors: usernameTaken, invitation, isOperator };
  }
  const personId = newPersonId();
  const actor = { kind: 'person', id: personId, clientIp, requestId } as const;
  const person = { personId, name: draft.name, passwordHash, home, actor };
  const passwordSetAt = await signUps.complete(tokenHash, person);
  if (passwordSetAt === undefined) return { kind: 'invalid_link' };
  return { kind: 'done', personId, passwordSetAt, joined: invitation?.businessId };
}

/** Creates a business. Undefined when its username is taken. @param firstHash the same for all links of an address */
async function createOwnBusiness(
  { createBusiness }: Pick<CompleteSignUpDeps, 'createBusiness'>,
  business: BusinessDraft,
  firstHash: Buffer,
  requestId: string,
): Promise<NewPerson['home'] | undefined> {
  const creationKey = `sign-up:${firstHash.toString('hex')}`;
  const creation = await createBusiness({ ...business, creationKey }, requestId);
  return creation.kind === 'created' ? { ownBusinessId: creation.businessId } : undefined;
}
