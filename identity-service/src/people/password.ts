import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { createCheckedToken } from '@platform/service-kit/secrets/checked-token.ts';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import type { Actor } from '../platform/actor.ts';
import { whenAvailable } from '../platform/background.ts';
import type { SecretHasher } from '../platform/secrets.ts';
import type { Mailer } from '../web/mail.ts';
import { commonPasswords } from './common-passwords.ts';
import { passwordResetEmail } from './emails.ts';
import type { PersonStore, PersonTransaction } from './store.ts';

/** Runs work when a slot is free. @throws AppError unavailable when the queue is full */
type ConcurrencyLimit = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs at most `maxRunning` pieces of work at once; `maxWaiting` more wait in order of arrival. */
export function createConcurrencyLimit(maxRunning: number, maxWaiting: number): ConcurrencyLimit {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= maxRunning) {
      if (waiting.length >= maxWaiting) throw new AppError('unavailable', 'busy', 'too many at once');
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running++;
    }
    try {
      return await work();
    } finally {
      // The slot passes to the next in the queue, or becomes free.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}

/** Hashes passwords with argon2id, outside the event loop. */
export interface PasswordHasher {
  /** @throws AppError unavailable when the queue is full */
  hash(password: string): Promise<string>;
  /**
   * Whether a password matches a stored hash. Without a hash: false, after the same time.
   * @throws AppError unavailable when the queue is full
   */
  matches(password: string, stored: string | undefined): Promise<boolean>;
}

/** OWASP Password Storage Cheat Sheet: 19 MiB, two passes, one lane. argon2id is the library's default. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** A hash that no password has. */
export function newUnusableHash(passwords: PasswordHasher): Promise<string> {
  return passwords.hash(randomBytes(32).toString('base64url'));
}

/** Half of the threads of Node's pool; the others serve DNS and files. */
const maxRunning = 2;

/** Queue length: about two seconds of work. */
const maxWaiting = 60;

export function createPasswordHasher(): PasswordHasher {
  const limited = createConcurrencyLimit(maxRunning, maxWaiting);
  const hashPassword = (password: string) => limited(() => hash(normalize(password), cost));
  let dummy: Promise<string> | undefined;
  return {
    hash: hashPassword,
    matches: async (password, stored) => {
      dummy ??= hash(randomBytes(32), cost);
      const against = stored ?? (await dummy);
      const matches = await limited(() => verify(against, normalize(password)));
      return matches && stored !== undefined;
    },
  };
}

/** Normalizes to NFKC, so that a password matches on keyboards that compose characters differently (NIST SP 800-63B 5.1.1.2). */
const normalize = (password: string) => password.normalize('NFKC');

const minLength = 12;

const maxLength = 200;

/** Minimum length of the words of an email address that are checked. Shorter words occur in any password. */
const minWordLength = 4;

/**
 * Validation error of a new password, if any. Rules of NIST SP 800-63B: length and a list of common passwords, no
 * character classes. Words of the person's email address do not count towards the length.
 */
export function validatePassword(password: string, email: string): string | undefined {
  const length = [...password].length;
  if (length === 0) return 'Enter a password.';
  if (length < minLength) return `Use at least ${minLength} characters.`;
  if (length > maxLength) return `Use at most ${maxLength} characters.`;
  if (!password.isWellFormed()) return 'Remove invalid characters.';
  if ([...withoutWordsOf(email, password)].length < minLength) {
    return `Not counting your email address, use at least ${minLength} characters.`;
  }
  return isEasilyGuessed(password) ? 'This password is easy to guess. Choose another one.' : undefined;
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

/** Whether this is the password of a person. */
export async function isPasswordOf(
  { people, passwords }: ChangePasswordDeps,
  personId: string,
  password: string,
): Promise<boolean> {
  const person = await people.findWithSecrets(personId);
  return person !== undefined && (await passwords.matches(password, person.passwordHash));
}

export interface ChangePasswordDeps {
  readonly people: PersonStore;
  readonly passwords: PasswordHasher;
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
  | { readonly kind: 'refused'; readonly error: string };

/** Changes a password, given the current one. All sessions of the person end. */
export async function changePassword(
  { people, passwords }: ChangePasswordDeps,
  { personId, current, next, actor }: ChangePasswordInput,
): Promise<ChangePasswordOutcome> {
  const person = await people.findWithSecrets(personId);
  if (person === undefined || !(await passwords.matches(current, person.passwordHash))) {
    return { kind: 'wrong_password' };
  }
  const error =
    validatePassword(next, person.email) ?? (next === current ? 'This is already your password.' : undefined);
  if (error !== undefined) return { kind: 'refused', error };
  const hash = await passwords.hash(next);
  const passwordSetAt = await people.inTransaction(async (transaction) => {
    const setAt = await transaction.replacePassword(personId, person.passwordHash, hash);
    if (setAt !== undefined) await transaction.audit(personId, { actor, action: 'person.password_changed' });
    return setAt;
  });
  // Another change came first, so `current` is no longer the password.
  if (passwordSetAt === undefined) return { kind: 'wrong_password' };
  return { kind: 'changed', passwordSetAt };
}

export interface RequestResetDeps {
  readonly people: PersonStore;
  readonly hasher: SecretHasher;
  readonly mailer: Mailer;
}

interface RequestResetInput {
  /** Lower case. */
  readonly email: string;
  readonly clientIp: string;
  readonly requestId: string;
  /** No second email to the same person within these seconds. */
  readonly pauseSeconds: number;
}

/**
 * Emails a link to set a new password if the address has an account, after the response.
 * @throws AppError unavailable when that cannot be begun now
 */
export function requestReset(
  { people, hasher, mailer }: RequestResetDeps,
  { email, clientIp, requestId, pauseSeconds }: RequestResetInput,
): void {
  const { sendMail, background, publicUrl } = mailer;
  const begun = background.run('password reset', async () => {
    const person = await whenAvailable(() => people.findByEmail(email));
    if (person === undefined) return;
    const token = createCheckedToken('pr');
    const reset = { personId: person.id, email, tokenHash: hasher.hash(token), pauseSeconds };
    const addReset = async (transaction: PersonTransaction) => {
      if (!(await transaction.addReset(reset))) return false;
      // Any client that knows the address can request this, so the actor is not the person.
      const actor = { kind: 'system', id: 'password-reset', clientIp, requestId } as const;
      await transaction.audit(person.id, { actor, action: 'person.password_reset_requested' });
      return true;
    };
    const added = await whenAvailable(() => people.inTransaction(addReset));
    // A link was mailed moments ago and still works, or the person has a different address by now.
    if (!added) return;
    try {
      await sendMail({ to: email, ...passwordResetEmail(`${publicUrl}/password/reset?token=${token}`) });
    } catch (error) {
      await whenAvailable(() => people.endResetPause(reset));
      throw error;
    }
  });
  if (!begun) throw new AppError('unavailable', 'busy', 'too many at once');
}

export interface ResetPasswordDeps {
  readonly people: PersonStore;
  readonly passwords: PasswordHasher;
  readonly hasher: SecretHasher;
}

interface ResetPasswordInput {
  readonly token: string;
  readonly password: string;
  readonly clientIp: string;
  readonly requestId: string;
}

type ResetPasswordOutcome =
  | { readonly kind: 'reset'; readonly personId: string; readonly passwordSetAt: number }
  /** The link was used, has expired or never existed. */
  | { readonly kind: 'invalid_link' }
  | { readonly kind: 'refused'; readonly error: string };

/** Sets a new password, given the token of an emailed link. The token works once; all sessions of the person end. */
export async function resetPassword(
  { people, passwords, hasher }: ResetPasswordDeps,
  { token, password, clientIp, requestId }: ResetPasswordInput,
): Promise<ResetPasswordOutcome> {
  const candidates = hasher.candidates(token);
  const person = await people.findByReset(candidates);
  if (person === undefined) return { kind: 'invalid_link' };
  const error = validatePassword(password, person.email);
  if (error !== undefined) return { kind: 'refused', error };
  const hash = await passwords.hash(password);
  const passwordSetAt = await people.inTransaction(async (transaction) => {
    if (!(await transaction.useReset(candidates))) return undefined;
    const setAt = await transaction.replacePassword(person.id, person.passwordHash, hash);
    // Changed concurrently with the old password: the token is used up, and a new one can be requested.
    if (setAt === undefined) return undefined;
    const actor = { kind: 'person', id: person.id, clientIp, requestId } as const;
    await transaction.audit(person.id, { actor, action: 'person.password_reset' });
    return setAt;
  });
  if (passwordSetAt === undefined) return { kind: 'invalid_link' };
  return { kind: 'reset', personId: person.id, passwordSetAt };
}
