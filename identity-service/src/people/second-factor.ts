import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import type { Actor } from '../platform/actor.ts';
import type { Sealer, SecretHasher } from '../platform/secrets.ts';
import { noticeLetter, type PostOffice, post } from './emails.ts';
import type { PasswordHasher } from './password.ts';
import type { PersonWithSecrets } from './person.ts';
import type { PersonStore, PersonTransaction } from './store.ts';

/** Length of a time step (RFC 6238) and steps that a clock may be off, either way. */
const period = 30;

const window = 1;

const issuer = 'Business API';

/** 160 bits, as RFC 4226 recommends. */
const secretBytes = 20;

/** A new secret, in base32. */
export function newTotpSecret(): string {
  return new Secret({ size: secretBytes }).base32;
}

/** What an authenticator app reads from the QR code. @param account shown beside the code */
export function totpUri(secret: string, account: string): string {
  return totp(secret, account).toString();
}

/**
 * The time step that a code belongs to; undefined for a wrong code. A code must not be accepted twice: see
 * `PersonTransaction.takeStep`.
 * @param now milliseconds since 1970
 */
export function stepOfCode(secret: string, code: string, now: number): number | undefined {
  const delta = totp(secret, '').validate({ token: code, timestamp: now, window });
  return delta === null ? undefined : Math.floor(now / 1000 / period) + delta;
}

function totp(secret: string, label: string): TOTP {
  return new TOTP({ issuer, label, period, algorithm: 'SHA1', digits: 6, secret: Secret.fromBase32(secret) });
}

/** Seals a person's secret, so that it opens for this person only. */
function sealTotpSecret(sealer: Sealer, personId: string, secret: string): Buffer<ArrayBuffer> {
  return sealer.seal(secret, `totp:${personId}`);
}

/** The secret of a person who has one. @throws Error when no key opens it: ENCRYPTION_KEYS has lost one */
export function openTotpSecret(sealer: Sealer, { id, totpSecret }: PersonWithSecrets): string {
  const secret = totpSecret && sealer.open(totpSecret, `totp:${id}`);
  if (secret === undefined)
    throw new Error('a second factor cannot be opened: is a key of ENCRYPTION_KEYS missing?');
  return secret;
}

/** Letters and digits that are not taken for each other (Crockford's base32). */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

const half = 5;

const count = 10;

/** Ten new codes of 50 random bits, as `x7k2p-9q3mz`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: count }, newRecoveryCode);
}

function newRecoveryCode(): string {
  const letters = Array.from(randomBytes(2 * half), (byte) => alphabet.charAt(byte % alphabet.length));
  return `${letters.slice(0, half).join('')}-${letters.slice(half).join('')}`;
}

/**
 * What is hashed of a code, so that the same code of two people looks different; undefined when it cannot be one.
 * Blanks, capitals and the hyphen do not matter.
 */
export function recoveryCodeSecret(personId: string, code: string): string | undefined {
  const plain = code.toLowerCase().replace(/[\s-]/g, '');
  return /^[0-9a-z]{10}$/.test(plain) ? `recovery:${personId}:${plain}` : undefined;
}

export interface SecondFactorDeps {
  readonly people: PersonStore;
  readonly passwords: PasswordHasher;
  readonly sealer: Sealer;
  readonly hasher: SecretHasher;
  readonly postOffice: PostOffice;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Who asks, with the password once more: a session that was left open must not be enough. */
interface WithPassword {
  readonly personId: string;
  readonly password: string;
  readonly actor: Actor;
}

type OfferOutcome =
  /** In base32, and as a QR code carries it. */
  | { readonly kind: 'offered'; readonly secret: string; readonly uri: string }
  | { readonly kind: 'wrong_password' }
  | { readonly kind: 'on_already' };

/** Makes a new secret for the app. It does nothing until a code of it is shown. */
export async function offerSecondFactor(
  deps: SecondFactorDeps,
  { personId, password }: WithPassword,
): Promise<OfferOutcome> {
  const person = await withPassword(deps, personId, password);
  if (person === undefined) return { kind: 'wrong_password' };
  const secret = newTotpSecret();
  const sealed = sealTotpSecret(deps.sealer, personId, secret);
  const offered = await deps.people.inTransaction((transaction) =>
    transaction.offerSecondFactor(personId, sealed),
  );
  if (!offered) return { kind: 'on_already' };
  return { kind: 'offered', secret, uri: totpUri(secret, person.email) };
}

type ConfirmOutcome =
  | { readonly kind: 'on'; readonly recoveryCodes: readonly string[] }
  | { readonly kind: 'wrong_code' }
  /** Nothing is offered: it is on already, or was taken back. */
  | { readonly kind: 'nothing_offered' };

/** Turns the second factor on with its first code. The recovery codes are in this answer and nowhere else. */
export async function confirmSecondFactor(
  deps: SecondFactorDeps,
  { personId, code, actor }: { personId: string; code: string; actor: Actor },
): Promise<ConfirmOutcome> {
  const person = await deps.people.findWithSecrets(personId);
  if (person?.secondFactor !== 'offered') return { kind: 'nothing_offered' };
  const step = stepOfCode(openTotpSecret(deps.sealer, person), code.replace(/\s/g, ''), deps.now());
  if (step === undefined) return { kind: 'wrong_code' };
  const recoveryCodes = await deps.people.inTransaction(async (transaction) => {
    if (!(await transaction.confirmSecondFactor(personId, step))) return undefined;
    await transaction.audit(personId, { actor, action: 'person.second_factor_enabled' });
    return replaceRecoveryCodes(deps, transaction, personId);
  });
  return recoveryCodes === undefined ? { kind: 'nothing_offered' } : { kind: 'on', recoveryCodes };
}

type RenewOutcome =
  | { readonly kind: 'renewed'; readonly recoveryCodes: readonly string[] }
  | { readonly kind: 'wrong_password' }
  | { readonly kind: 'off' };

/** New recovery codes in the place of the old ones. They are in this answer and nowhere else. */
export async function renewRecoveryCodes(
  deps: SecondFactorDeps,
  { personId, password, actor }: WithPassword,
): Promise<RenewOutcome> {
  const person = await withPassword(deps, personId, password);
  if (person === undefined) return { kind: 'wrong_password' };
  if (person.secondFactor !== 'on') return { kind: 'off' };
  const recoveryCodes = await deps.people.inTransaction(async (transaction) => {
    await transaction.audit(personId, { actor, action: 'person.recovery_codes_renewed' });
    return replaceRecoveryCodes(deps, transaction, personId);
  });
  return { kind: 'renewed', recoveryCodes };
}

/** Turns the second factor off. False for a wrong password. */
export async function disableSecondFactor(
  deps: SecondFactorDeps,
  { personId, password, actor }: WithPassword,
): Promise<boolean> {
  const person = await withPassword(deps, personId, password);
  if (person === undefined) return false;
  if (person.secondFactor === 'off') return true;
  await deps.people.inTransaction(async (transaction) => {
    await transaction.removeSecondFactor(personId);
    await transaction.audit(personId, { actor, action: 'person.second_factor_disabled' });
  });
  const { postOffice } = deps;
  post(postOffice, person.email, noticeLetter('Your second factor was turned off', postOffice.publicUrl));
  return true;
}

async function withPassword(
  { people, passwords }: SecondFactorDeps,
  personId: string,
  password: string,
): Promise<PersonWithSecrets | undefined> {
  const person = await people.findWithSecrets(personId);
  return (await passwords.matches(password, person?.passwordHash)) ? person : undefined;
}

async function replaceRecoveryCodes(
  { hasher }: SecondFactorDeps,
  transaction: PersonTransaction,
  personId: string,
): Promise<readonly string[]> {
  const codes = newRecoveryCodes();
  const hashes = codes.flatMap((code) => {
    const secret = recoveryCodeSecret(personId, code);
    return secret === undefined ? [] : [hasher.hash(secret)];
  });
  await transaction.replaceRecoveryCodes(personId, hashes);
  return codes;
}

export interface CheckSecondFactorDeps {
  readonly people: PersonStore;
  readonly sealer: Sealer;
  readonly hasher: SecretHasher;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

interface CheckSecondFactorInput {
  /** Who has shown the password. */
  readonly personId: string;
  /** When that password was set: another one meanwhile, and the login begins anew. */
  readonly passwordSetAt: number;
  /** A code of the app, or a recovery code. */
  readonly code: string;
  readonly actor: Actor;
}

type Factor = 'code' | 'recovery_code';

/** Ends a login with its second step. Each code works once, also when it is shown twice at the same moment. */
export async function checkSecondFactor(
  deps: CheckSecondFactorDeps,
  { personId, passwordSetAt, code, actor }: CheckSecondFactorInput,
): Promise<boolean> {
  const person = await deps.people.findWithSecrets(personId);
  if (person?.secondFactor !== 'on' || person.passwordSetAt !== passwordSetAt) return false;
  return deps.people.inTransaction(async (transaction) => {
    const secondFactor = await takeCode(deps, transaction, person, code);
    if (secondFactor === undefined) {
      // Somebody knows the password: whoever watches over the business wants to hear of it.
      await transaction.audit(personId, { actor, action: 'person.second_factor_failed' });
      return false;
    }
    await transaction.audit(personId, { actor, action: 'person.logged_in', details: { secondFactor } });
    return true;
  });
}

async function takeCode(
  { sealer, hasher, now }: CheckSecondFactorDeps,
  transaction: PersonTransaction,
  person: PersonWithSecrets,
  typed: string,
): Promise<Factor | undefined> {
  const recovery = recoveryCodeSecret(person.id, typed);
  if (recovery !== undefined) {
    const taken = await transaction.takeRecoveryCode(person.id, hasher.candidates(recovery));
    return taken ? 'recovery_code' : undefined;
  }
  const step = stepOfCode(openTotpSecret(sealer, person), typed.replace(/\s/g, ''), now());
  return step !== undefined && (await transaction.takeStep(person.id, step)) ? 'code' : undefined;
}
