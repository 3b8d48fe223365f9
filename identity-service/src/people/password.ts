import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { AppError } from '@platform/service-kit/app-error.ts';
import { createCheckedToken } from '@platform/service-kit/checked-token.ts';
import type { Actor } from '../platform/actor.ts';
import type { SecretHasher } from '../platform/secrets.ts';
import { commonPasswords } from './common-passwords.ts';
import { noticeLetter, type PostOffice, post, resetLetter } from './emails.ts';
import type { PersonStore } from './store.ts';

/** Runs work when it is its turn. @throws AppError unavailable when too many wait already */
type Turnstile = <T>(work: () => Promise<T>) => Promise<T>;

/** Lets `maxAtOnce` pieces of work run, and `maxWaiting` more wait. */
export function createTurnstile(maxAtOnce: number, maxWaiting: number): Turnstile {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= maxAtOnce) {
      if (waiting.length >= maxWaiting) throw new AppError('unavailable', 'busy', 'too many at once');
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running++;
    }
    try {
      return await work();
    } finally {
      // The place goes to the next one, or becomes free.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}

/** Hashes passwords with argon2id, outside the event loop. */
export interface PasswordHasher {
  /** @throws AppError unavailable when too many wait */
  hash(password: string): Promise<string>;
  /**
   * Whether it is the password of a stored hash. Without a hash it is not, after the same time.
   * @throws AppError unavailable when too many wait
   */
  matches(password: string, stored: string | undefined): Promise<boolean>;
}

/** OWASP Password Storage Cheat Sheet: 19 MiB, two passes, one lane. argon2id is the library's default. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Leaves threads of Node's pool to everything else. */
const maxAtOnce = 2;

/** About two seconds of work. */
const maxWaiting = 60;

export function createPasswordHasher(): PasswordHasher {
  const turnstile = createTurnstile(maxAtOnce, maxWaiting);
  const hashOf = (password: string) => turnstile(() => hash(normal(password), cost));
  let nobodys: Promise<string> | undefined;
  return {
    hash: hashOf,
    matches: async (password, stored) => {
      nobodys ??= hash(randomBytes(32), cost);
      const against = stored ?? (await nobodys);
      const matches = await turnstile(() => verify(against, normal(password)));
      return matches && stored !== undefined;
    },
  };
}

/** The same characters however a keyboard composes them (NIST SP 800-63B 5.1.1.2). */
const normal = (password: string) => password.normalize('NFKC');

const minLength = 12;

const maxLength = 200;

/** Words shorter than this are in everything. */
const minWordLength = 4;

/**
 * What is wrong with a new password (NIST SP 800-63B: length, and nothing that is easily guessed; no rules about kinds of
 * characters). Words of the owner's mail address do not count towards the length.
 */
export function passwordFault(password: string, email: string): string | undefined {
  const length = [...password].length;
  if (length === 0) return 'Enter a password.';
  if (length < minLength) return `Use at least ${minLength} characters.`;
  if (length > maxLength) return `Use at most ${maxLength} characters.`;
  if (!password.isWellFormed()) return 'Leave out what is no character.';
  if ([...withoutWordsOf(email, password)].length < minLength) {
    return `Besides your email address, use at least ${minLength} characters.`;
  }
  return isEasilyGuessed(password) ? 'This password is easily guessed. Choose another one.' : undefined;
}

function withoutWordsOf(email: string, password: string): string {
  const words = [email, ...email.split(/[^\p{L}\p{N}]+/u)].filter((word) => word.length >= minWordLength);
  return words.reduce((rest, word) => rest.replaceAll(word.toLowerCase(), ''), password.toLowerCase());
}

function isEasilyGuessed(password: string): boolean {
  const plain = password.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  const isPattern = new Set(password.toLowerCase()).size < 5;
  return isPattern || commonPasswords.has(plain) || commonPasswords.has(plain.replace(/\d+$/, ''));
}

export interface ChangePasswordDeps {
  readonly people: PersonStore;
  readonly passwords: PasswordHasher;
  readonly postOffice: PostOffice;
}

interface ChangePasswordInput {
  readonly personId: string;
  readonly current: string;
  readonly next: string;
  readonly actor: Actor;
}

type ChangePasswordOutcome =
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

export interface RequestResetDeps {
  readonly people: PersonStore;
  readonly hasher: SecretHasher;
  readonly postOffice: PostOffice;
}

interface RequestResetInput {
  /** Lower case. */
  readonly email: string;
  readonly clientIp: string;
  readonly requestId: string;
}

/** Mails a link that lets a new password be set, if the address has an account: all of it after the answer. */
export function requestReset(
  { people, hasher, postOffice }: RequestResetDeps,
  { email, clientIp, requestId }: RequestResetInput,
): void {
  const { sendMail, background, publicUrl } = postOffice;
  background.run('password reset', async () => {
    const person = await people.findByEmail(email);
    if (person === undefined) return;
    const token = createCheckedToken('pr');
    await people.inTransaction(async (transaction) => {
      await transaction.addReset(person.id, hasher.hash(token));
      // Whoever knows the address may ask: it is not known to be the person.
      const actor = { kind: 'system', id: 'password-reset', clientIp, requestId } as const;
      await transaction.audit(person.id, { actor, action: 'person.password_reset_requested' });
    });
    await sendMail({ to: email, ...resetLetter(`${publicUrl}/password/reset?token=${token}`) });
  });
}

export interface ResetPasswordDeps {
  readonly people: PersonStore;
  readonly passwords: PasswordHasher;
  readonly hasher: SecretHasher;
  readonly postOffice: PostOffice;
}

interface ResetPasswordInput {
  readonly token: string;
  readonly password: string;
  readonly clientIp: string;
  readonly requestId: string;
}

type ResetPasswordOutcome =
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
