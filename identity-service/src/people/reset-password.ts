import type { SecretHasher } from '../secrets/secret-hasher.ts';
import { noticeLetter } from './letters.ts';
import type { PasswordHasher } from './password-hasher.ts';
import { passwordFault } from './password-rules.ts';
import type { PersonStore } from './person-store.ts';
import { type PostOffice, post } from './post-office.ts';

export interface ResetPasswordDeps {
  readonly people: PersonStore;
  readonly passwords: PasswordHasher;
  readonly hasher: SecretHasher;
  readonly postOffice: PostOffice;
}

export interface ResetPasswordInput {
  readonly token: string;
  readonly password: string;
  readonly clientIp: string;
  readonly requestId: string;
}

export type ResetPasswordOutcome =
  | { readonly kind: 'reset' }
  /** Used, too old, or never made. */
  | { readonly kind: 'link_over' }
  | { readonly kind: 'refused'; readonly fault: string };

/** Sets a new password for whoever holds the mailed token, once. Every session of the person ends. */
export async function resetPassword(
  { people, passwords, hasher, postOffice }: ResetPasswordDeps,
  { token, password, clientIp, requestId }: ResetPasswordInput,
): Promise<ResetPasswordOutcome> {
  const candidates = hasher.candidates(token);
  const person = await people.findByReset(candidates);
  if (person === undefined) return { kind: 'link_over' };
  const fault = passwordFault(password, person.email);
  if (fault !== undefined) return { kind: 'refused', fault };
  const hash = await passwords.hash(password);
  const done = await people.inTransaction(async (transaction) => {
    if (!(await transaction.useReset(candidates))) return false;
    const setAt = await transaction.replacePassword(person.id, person.passwordHash, hash);
    // Changed at this very moment by somebody who knew the old one: the token is used up, and a new one can be asked for.
    if (setAt === undefined) return false;
    const actor = { kind: 'person', id: person.id, clientIp, requestId } as const;
    await transaction.audit(person.id, { actor, action: 'person.password_reset' });
    return true;
  });
  if (!done) return { kind: 'link_over' };
  post(postOffice, person.email, noticeLetter('Your password was reset', postOffice.publicUrl));
  return { kind: 'reset' };
}
