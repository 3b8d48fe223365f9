import type { Actor } from '../audit/audit-event.ts';
import { noticeLetter } from './letters.ts';
import type { PasswordHasher } from './password-hasher.ts';
import { passwordFault } from './password-rules.ts';
import type { PersonStore } from './person-store.ts';
import { type PostOffice, post } from './post-office.ts';

export interface ChangePasswordDeps {
  readonly people: PersonStore;
  readonly passwords: PasswordHasher;
  readonly postOffice: PostOffice;
}

export interface ChangePasswordInput {
  readonly personId: string;
  readonly current: string;
  readonly next: string;
  readonly actor: Actor;
}

export type ChangePasswordOutcome =
  | { readonly kind: 'changed'; readonly passwordSetAt: number }
  | { readonly kind: 'wrong_password' }
  | { readonly kind: 'refused'; readonly fault: string };

/** Puts a new password in the place of the one that is shown. Every session of the person ends. */
export async function changePassword(
  { people, passwords, postOffice }: ChangePasswordDeps,
  { personId, current, next, actor }: ChangePasswordInput,
): Promise<ChangePasswordOutcome> {
  const person = await people.findWithSecrets(personId);
  if (person === undefined || !(await passwords.matches(current, person.passwordHash))) {
    return { kind: 'wrong_password' };
  }
  const fault =
    passwordFault(next, person.email) ?? (next === current ? 'This is the password you have.' : undefined);
  if (fault !== undefined) return { kind: 'refused', fault };
  const hash = await passwords.hash(next);
  const passwordSetAt = await people.inTransaction(async (transaction) => {
    const setAt = await transaction.replacePassword(personId, person.passwordHash, hash);
    if (setAt !== undefined) await transaction.audit(personId, { actor, action: 'person.password_changed' });
    return setAt;
  });
  // Somebody was faster: what was shown is the password no more.
  if (passwordSetAt === undefined) return { kind: 'wrong_password' };
  post(postOffice, person.email, noticeLetter('Your password was changed', postOffice.publicUrl));
  return { kind: 'changed', passwordSetAt };
}
