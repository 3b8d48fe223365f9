import { createCheckedToken } from '@platform/service-kit/secrets/checked-token.ts';
import type { Sealer } from '@platform/service-kit/secrets/sealer.ts';
import { randomHexId } from '@platform/service-kit/values/ids.ts';
import type { Actor } from '../../platform/actor.ts';
import { whenAvailable } from '../../platform/background.ts';
import type { SecretHasher } from '../../platform/secrets.ts';
import type { Mailer } from '../../web/mail.ts';
import { newUnusableHash, type PasswordHasher, type RequestResetDeps, requestReset } from '../password.ts';
import type { PersonWithSecrets } from '../person.ts';
import { type CheckSecondFactorDeps, checkConfirmed, type Refusal } from '../second-factor.ts';
import { confirmEmailEmail, takenEmailEmail } from './emails.ts';
import type { EmailChangeStore } from './store.ts';

/** Paths of the mailed links, without their token. */
export const paths = { confirm: '/account/email/confirm', undo: '/account/email/undo' };

export interface RequestEmailChangeDeps extends Omit<CheckSecondFactorDeps, 'people'> {
  readonly emailChanges: EmailChangeStore;
  readonly mailer: Mailer;
}

interface RequestEmailChangeInput {
  /** The person, whose password was right. */
  readonly person: PersonWithSecrets;
  /** Of the second factor; undefined when none is needed. */
  readonly code: string | undefined;
  /** Lower case. */
  readonly email: string;
  readonly actor: Actor;
}

/**
 * Emails a link to a new address. If the address belongs to another person, the email says so instead. The decision is made
 * after the response, so that it reveals nothing.
 */
export async function requestEmailChange(
  deps: RequestEmailChangeDeps,
  { person, code, email, actor }: RequestEmailChangeInput,
): Promise<'requested' | Refusal> {
  const token = createCheckedToken('ec');
  const outcome = await deps.emailChanges.inTransaction(async (transaction) => {
    const refusal = await checkConfirmed(deps, transaction, { person, code, actor });
    if (refusal !== undefined) return refusal;
    await transaction.putChange(person.id, deps.hasher.hash(token), email);
    await transaction.audit(person.id, { actor, action: 'person.email_change_requested' });
    return 'requested';
  });
  if (outcome === 'requested') mailLink(deps, person.id, email, token);
  return outcome;
}

function mailLink(
  { emailChanges, mailer }: RequestEmailChangeDeps,
  personId: string,
  email: string,
  token: string,
): void {
  const { sendMail, background, publicUrl } = mailer;
  background.run('change of email', async () => {
    const holder = await whenAvailable(() => emailChanges.findHolder(email));
    const isTaken = holder !== undefined && holder.personId !== personId;
    const link = `${publicUrl}${paths.confirm}?token=${token}`;
    await sendMail({ to: email, ...(isTaken ? takenEmailEmail() : confirmEmailEmail(link)) });
  });
}

/** Withdraws a new address that waits for its link. */
export async function withdrawEmailChange(
  { emailChanges }: Pick<RequestEmailChangeDeps, 'emailChanges'>,
  { personId, actor }: { readonly personId: string; readonly actor: Actor },
): Promise<void> {
  await emailChanges.inTransaction(async (transaction) => {
    if (!(await transaction.removeChange(personId))) return;
    await transaction.audit(personId, { actor, action: 'person.email_change_withdrawn' });
  });
}

export interface ConfirmEmailChangeDeps {
  readonly emailChanges: EmailChangeStore;
  readonly hasher: SecretHasher;
  readonly sealer: Sealer;
}

interface ConfirmEmailChangeInput {
  /** The logged-in person. A link that reached a wrong mailbox does not work for any other person. */
  readonly personId: string;
  readonly token: string;
  readonly actor: Actor;
}

/**
 * Sets the person's address to the one that the token was mailed to. The token works once. The replaced address gets a
 * notice with a link that undoes the change. False if the link was used or has expired, or the address is taken.
 */
export async function confirmEmailChange(
  { emailChanges, hasher, sealer }: ConfirmEmailChangeDeps,
  { personId, token, actor }: ConfirmEmailChangeInput,
): Promise<boolean> {
  const undo = newUndoToken({ hasher, sealer }, randomHexId('emu'));
  return emailChanges.inTransaction(async (transaction) => {
    const email = await transaction.takeChange(personId, hasher.candidates(token));
    if (email === undefined) return false;
    const replaced = await transaction.setEmail(personId, email);
    if (replaced === undefined) return false;
    await transaction.addUndo({ ...undo, personId, email: replaced });
    const details = { id: undo.id, sealedEmail: sealEmail(sealer, personId, email) };
    const noticeDetails = { from: replaced, to: email };
    await transaction.audit(personId, { actor, action: 'person.email_changed', details, noticeDetails });
    return true;
  });
}

/** A token that undoes a change, as it is stored: hashed, and sealed for its email. */
export function newUndoToken(
  { hasher, sealer }: Pick<ConfirmEmailChangeDeps, 'hasher' | 'sealer'>,
  id: string,
) {
  const token = createCheckedToken('eu');
  return { id, tokenHash: hasher.hash(token), sealedToken: sealer.seal(token, `undo:${id}`) };
}

/** Encrypts an address for the log of revocations, which is outside the database and must not hold personal data. */
function sealEmail(sealer: Sealer, personId: string, email: string): string {
  return sealer.seal(email, `email:${personId}`).toString('base64');
}

/** Reads an address of the log of revocations; undefined when no key of ENCRYPTION_KEYS opens it. */
export function openSealedEmail(sealer: Sealer, personId: string, sealed: string): string | undefined {
  return sealer.open(Buffer.from(sealed, 'base64'), `email:${personId}`);
}

/** Reads the link that puts a replaced address back; undefined once it was used or has expired. */
export async function findUndoLink(
  { emailChanges, sealer }: Pick<ConfirmEmailChangeDeps, 'emailChanges' | 'sealer'>,
  publicUrl: string,
  id: string,
): Promise<string | undefined> {
  const sealed = await emailChanges.sealedToken(id);
  const token = sealed && sealer.open(sealed, `undo:${id}`);
  return token === undefined ? undefined : `${publicUrl}${paths.undo}?token=${token}`;
}

export interface UndoEmailChangeDeps extends ConfirmEmailChangeDeps, RequestResetDeps {
  readonly passwords: PasswordHasher;
}

interface UndoEmailChangeInput {
  readonly token: string;
  readonly clientIp: string;
  readonly requestId: string;
}

/**
 * Restores a replaced address for a person with access to its mailbox. Since a thief may know the password, it no longer
 * works, all sessions end, a second factor that was turned on since is turned off, and a link for a new password is mailed.
 * False for a link that was used, has expired or never existed.
 */
export async function undoEmailChange(
  deps: UndoEmailChangeDeps,
  { token, clientIp, requestId }: UndoEmailChangeInput,
): Promise<boolean> {
  const { emailChanges, hasher, sealer, passwords } = deps;
  const unusable = await newUnusableHash(passwords);
  const email = await emailChanges.inTransaction(async (transaction) => {
    const undo = await transaction.takeUndo(hasher.candidates(token));
    if (undo === undefined) return undefined;
    const { personId, createdAt, passwordHash } = undo;
    if ((await transaction.setEmail(personId, undo.email)) === undefined) return undefined;
    await transaction.removeSecondFactorSince(personId, createdAt);
    await transaction.replacePassword(personId, passwordHash, unusable);
    const actor = { kind: 'person', id: personId, clientIp, requestId } as const;
    const details = { sealedEmail: sealEmail(sealer, personId, undo.email) };
    await transaction.audit(personId, { actor, action: 'person.email_change_undone', details });
    return undo.email;
  });
  if (email === undefined) return false;
  requestReset(deps, { email, clientIp, requestId, pauseSeconds: 0 });
  return true;
}
