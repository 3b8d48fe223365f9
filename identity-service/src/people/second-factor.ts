import { randomBytes } from 'node:crypto';
import type { Sealer } from '@platform/service-kit/secrets/sealer.ts';
import { withAsciiDigits } from '@platform/service-kit/values/text.ts';
import { Secret, TOTP } from 'otpauth';
import type { Actor } from '../platform/actor.ts';
import type { SecretHasher } from '../platform/secrets.ts';
import type { PasswordHasher } from './password.ts';
import { hasSecondFactor, type Person, type PersonWithSecrets } from './person.ts';
import type { PersonStore, PersonTransaction } from './store.ts';

/** Length of a time step in seconds (RFC 6238). */
const period = 30;

/** Steps that a clock may be off, in either direction. */
const window = 1;

const issuer = 'Business API';

/** 160 bits, as RFC 4226 recommends. */
const secretBytes = 20;

/** Creates a secret, in base32. */
export function newTotpSecret(): string {
  return new Secret({ size: secretBytes }).base32;
}

/** otpauth URI of a secret, as an authenticator app scans it. @param account shown beside the code */
export function totpUri(secret: string, account: string): string {
  return totp(secret, account).toString();
}

/**
 * Time step of a code, with blanks anywhere and digits of any script; undefined for a wrong code.
 * `PersonTransaction.takeStep` keeps a code from being accepted twice.
 * @param now milliseconds since 1970
 */
export function stepOfCode(secret: string, submitted: string, now: number): number | undefined {
  const token = withAsciiDigits(submitted).replace(/\s/g, '');
  // The library throws for characters of more than one byte.
  if (!/^\d{6}$/.test(token)) return undefined;
  const delta = totp(secret, '').validate({ token, timestamp: now, window });
  return delta === null ? undefined : Math.floor(now / 1000 / period) + delta;
}

function totp(secret: string, label: string): TOTP {
  return new TOTP({ issuer, label, period, algorithm: 'SHA1', digits: 6, secret: Secret.fromBase32(secret) });
}

/** Encrypts a secret, bound to its person. */
function sealTotpSecret(sealer: Sealer, personId: string, secret: string): Buffer<ArrayBuffer> {
  return sealer.seal(secret, `totp:${personId}`);
}

/** Decrypts the secret of a person. @throws Error when no key of ENCRYPTION_KEYS decrypts it */
export function openTotpSecret(
  sealer: Sealer,
  { id, totpSecret }: Pick<PersonWithSecrets, 'id' | 'totpSecret'>,
): string {
  const secret = totpSecret && sealer.open(totpSecret, `totp:${id}`);
  if (secret === undefined)
    throw new Error('a second factor cannot be decrypted: is a key of ENCRYPTION_KEYS missing?');
  return secret;
}

/** Crockford's base32: without letters that look like digits. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

const half = 5;

const count = 10;

/** Creates ten codes of 50 random bits, such as `x7k2p-9q3mz`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: count }, newRecoveryCode);
}

function newRecoveryCode(): string {
  const letters = Array.from(randomBytes(2 * half), (byte) => alphabet.charAt(byte % alphabet.length));
  return `${letters.slice(0, half).join('')}-${letters.slice(half).join('')}`;
}

/**
 * Hash input of a recovery code, bound to its person; undefined when the text is not a recovery code. Ignores spaces,
 * case and hyphens.
 */
export function recoveryCodeSecret(personId: string, code: string): string | undefined {
  const normalized = code.toLowerCase().replace(/[\s-]/g, '');
  return /^[0-9a-z]{10}$/.test(normalized) ? `recovery:${personId}:${normalized}` : undefined;
}

/** Validation error of a code that does not confirm the second factor. */
export const incorrectCodeText = 'Incorrect code. Check that the clock of your phone is right.';

/** Validation error of a code that is asked for besides the password. */
export const refusedCodeText = 'Incorrect or already used code.';

export interface SecondFactorDeps {
  readonly people: PersonStore;
  readonly passwords: PasswordHasher;
  readonly sealer: Sealer;
  readonly hasher: SecretHasher;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A person whose password was right. */
export interface ConfirmedPerson {
  readonly person: PersonWithSecrets;
  /** For `checkConfirmed`; undefined when none is needed: the person has no second factor, or has shown a passkey. */
  readonly code: string | undefined;
}

/** A change that needs the password and, if the person has one, the second factor. An open session is not enough. */
interface ConfirmedChange extends ConfirmedPerson {
  readonly actor: Actor;
}

/** Validation error of a person with a second factor who has shown the password alone. */
export function missingCodeText({ secondFactor }: Person): string {
  return secondFactor === 'on' ? 'Enter a code of your app.' : 'Use your passkey, or enter a recovery code.';
}

type OfferOutcome =
  /** The secret in base32, and its otpauth URI. */
  | { readonly kind: 'offered'; readonly secret: string; readonly uri: string }
  | { readonly kind: 'wrong_password' }
  | { readonly kind: 'wrong_code' }
  | { readonly kind: 'already_on' };

/**
 * Creates a secret for the authenticator app. It takes effect when a code is confirmed in the same session within ten
 * minutes. Only this result contains the secret.
 */
export async function offerSecondFactor(
  deps: SecondFactorDeps,
  { person, code, actor, sessionId }: ConfirmedChange & { readonly sessionId: string },
): Promise<OfferOutcome> {
  if (person.secondFactor === 'on') return { kind: 'already_on' };
  const { id: personId, email } = person;
  const secret = newTotpSecret();
  const sealedSecret = sealTotpSecret(deps.sealer, personId, secret);
  return deps.people.inTransaction(async (transaction) => {
    if (!(await checkCode(deps, transaction, { person, code, actor }))) return { kind: 'wrong_code' };
    // The session is missing if a new password has ended it.
    if (!(await transaction.putOffer({ personId, sessionId, sealedSecret })))
      return { kind: 'wrong_password' };
    return { kind: 'offered', secret, uri: totpUri(secret, email) };
  });
}

type ConfirmOutcome =
  | { readonly kind: 'on'; readonly recoveryCodes: readonly string[] }
  | { readonly kind: 'wrong_code' }
  /** The session has no secret that waits for confirmation, or no longer. */
  | { readonly kind: 'nothing_offered' };

interface ConfirmInput {
  readonly personId: string;
  readonly sessionId: string;
  readonly code: string;
  readonly actor: Actor;
}

/** Turns on the second factor with its first code. Only this result contains the recovery codes. */
export async function confirmSecondFactor(
  deps: SecondFactorDeps,
  { personId, sessionId, code, actor }: ConfirmInput,
): Promise<ConfirmOutcome> {
  const sealedSecret = await deps.people.findOffer({ personId, sessionId });
  if (sealedSecret === undefined) return { kind: 'nothing_offered' };
  const secret = openTotpSecret(deps.sealer, { id: personId, totpSecret: sealedSecret });
  const step = stepOfCode(secret, code, deps.now());
  if (step === undefined) return { kind: 'wrong_code' };
  const recoveryCodes = await deps.people.inTransaction(async (transaction) => {
    if (!(await transaction.confirmOffer({ personId, sessionId, sealedSecret }, step))) return undefined;
    await transaction.audit(personId, { actor, action: 'person.second_factor_enabled' });
    return replaceRecoveryCodes(deps, transaction, personId);
  });
  return recoveryCodes === undefined ? { kind: 'nothing_offered' } : { kind: 'on', recoveryCodes };
}

type RenewOutcome =
  | { readonly kind: 'renewed'; readonly recoveryCodes: readonly string[] }
  | { readonly kind: 'wrong_password' }
  | { readonly kind: 'wrong_code' }
  | { readonly kind: 'off' };

/** Replaces the recovery codes. Only this result contains them. */
export async function renewRecoveryCodes(
  deps: SecondFactorDeps,
  { person, code, actor }: ConfirmedChange,
): Promise<RenewOutcome> {
  if (!hasSecondFactor(person)) return { kind: 'off' };
  return deps.people.inTransaction(async (transaction) => {
    const refusal = await checkConfirmed(deps, transaction, { person, code, actor });
    if (refusal !== undefined) return { kind: refusal };
    // Locked before the notice is written, which takes a weaker lock on the person.
    const recoveryCodes = await replaceRecoveryCodes(deps, transaction, person.id);
    await transaction.audit(person.id, { actor, action: 'person.recovery_codes_renewed' });
    return { kind: 'renewed', recoveryCodes };
  });
}

/** Turns off the app. `off`: it is off already. */
export function disableSecondFactor(
  deps: SecondFactorDeps,
  { person, code, actor }: ConfirmedChange,
): Promise<'disabled' | 'off' | Refusal> {
  return deps.people.inTransaction(async (transaction) => {
    const refusal = await checkConfirmed(deps, transaction, { person, code, actor });
    if (refusal !== undefined) return refusal;
    if (!(await transaction.hasApp(person.id))) return 'off';
    await transaction.removeSecondFactor(person.id);
    await transaction.audit(person.id, { actor, action: 'person.second_factor_disabled' });
    return 'disabled';
  });
}

/** The person, if this is the password. */
export async function withPassword(
  { people, passwords }: Pick<SecondFactorDeps, 'people' | 'passwords'>,
  personId: string,
  password: string,
): Promise<PersonWithSecrets | undefined> {
  const person = await people.findWithSecrets(personId);
  return (await passwords.matches(password, person?.passwordHash)) ? person : undefined;
}

/** Replaces the recovery codes of a person. Resolves to the new ones. */
export async function replaceRecoveryCodes(
  { hasher }: Pick<SecondFactorDeps, 'hasher'>,
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
  /** The person whose password was accepted. */
  readonly personId: string;
  /** When that password was set; a change since then fails the check. */
  readonly passwordSetAt: number;
  /** A code of the app, or a recovery code. */
  readonly code: string;
  readonly actor: Actor;
  /** Browser and system, when it has not logged in before; the person gets a notice then. */
  readonly newBrowser: string | undefined;
}

type Factor = 'code' | 'recovery_code';

/** Checks the second factor of a login. Each code works once, also for concurrent requests. */
export async function checkSecondFactor(
  deps: CheckSecondFactorDeps,
  { personId, passwordSetAt, code, actor, newBrowser }: CheckSecondFactorInput,
): Promise<boolean> {
  const person = await deps.people.findWithSecrets(personId);
  if (person === undefined || !hasSecondFactor(person) || person.passwordSetAt !== passwordSetAt)
    return false;
  return deps.people.inTransaction(async (transaction) => {
    const secondFactor = await takeCode(deps, transaction, person, code);
    if (secondFactor === undefined) {
      // The password was right, so this may be an attack. The audit log shows it to owners.
      await transaction.audit(personId, { actor, action: 'person.second_factor_failed' });
      return false;
    }
    await transaction.audit(personId, {
      actor,
      action: 'person.logged_in',
      details: { secondFactor, newBrowser },
    });
    return true;
  });
}

/** Why a change is refused. `wrong_password`: the password was changed after the person entered it. */
export type Refusal = 'wrong_password' | 'wrong_code';

/**
 * Checks in the transaction of a change that the entered password is still current and that the code is right. Locks the
 * password until the transaction ends. Records a wrong code.
 */
export async function checkConfirmed(
  deps: Omit<CheckSecondFactorDeps, 'people'>,
  transaction: PersonTransaction,
  change: ConfirmedChange,
): Promise<Refusal | undefined> {
  const { id, passwordHash } = change.person;
  if (!(await transaction.lockPassword(id, passwordHash))) return 'wrong_password';
  return (await checkCode(deps, transaction, change)) ? undefined : 'wrong_code';
}

async function checkCode(
  deps: Omit<CheckSecondFactorDeps, 'people'>,
  transaction: PersonTransaction,
  { person, code, actor }: ConfirmedChange,
): Promise<boolean> {
  if (code === undefined || (await takeCode(deps, transaction, person, code))) return true;
  await transaction.audit(person.id, { actor, action: 'person.second_factor_failed' });
  return false;
}

async function takeCode(
  { sealer, hasher, now }: Omit<CheckSecondFactorDeps, 'people'>,
  transaction: PersonTransaction,
  person: PersonWithSecrets,
  submitted: string,
): Promise<Factor | undefined> {
  const recovery = recoveryCodeSecret(person.id, submitted);
  if (recovery !== undefined) {
    const taken = await transaction.takeRecoveryCode(person.id, hasher.candidates(recovery));
    return taken ? 'recovery_code' : undefined;
  }
  if (person.secondFactor !== 'on') return undefined;
  const step = stepOfCode(openTotpSecret(sealer, person), submitted, now());
  return step !== undefined && (await transaction.takeStep(person.id, step)) ? 'code' : undefined;
}
