import type { Actor } from '../audit/audit-event.ts';
import type { Sealer } from '../secrets/sealer.ts';
import type { SecretHasher } from '../secrets/secret-hasher.ts';
import { noticeLetter } from './letters.ts';
import type { PasswordHasher } from './password-hasher.ts';
import type { PersonWithSecrets } from './person.ts';
import type { PersonStore, PersonTransaction } from './person-store.ts';
import { type PostOffice, post } from './post-office.ts';
import { newRecoveryCodes, recoveryCodeSecret } from './recovery-code.ts';
import { newTotpSecret, stepOfCode, totpUri } from './totp.ts';
import { openTotpSecret, sealTotpSecret } from './totp-secret.ts';

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
export interface WithPassword {
  readonly personId: string;
  readonly password: string;
  readonly actor: Actor;
}

export type OfferOutcome =
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

export type ConfirmOutcome =
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

export type RenewOutcome =
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
