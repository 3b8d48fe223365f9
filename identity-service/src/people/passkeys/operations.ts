import { AppError } from '@platform/service-kit/values/app-error.ts';
import type { Actor } from '../../platform/actor.ts';
import type { SecretHasher } from '../../platform/secrets.ts';
import type { Person } from '../person.ts';
import { replaceRecoveryCodes } from '../second-factor.ts';
import {
  assertionOptions,
  newChallenge,
  registrationOptions,
  verifyAssertion,
  verifyRegistration,
} from './ceremony.ts';
import {
  type Assertion,
  maxPasskeys,
  type NewCredential,
  newPasskeyId,
  type RelyingParty,
  userHandleOf,
} from './passkey.ts';
import type { ChallengeUse, PasskeyStore, PasskeyTransaction } from './store.ts';

export interface PasskeyDeps {
  readonly passkeys: PasskeyStore;
  /** Undefined if browsers do not support passkeys there: at an IP address. */
  readonly relyingParty: RelyingParty | undefined;
}

/** @throws AppError failed_precondition if browsers do not support passkeys at this origin */
function requireRelyingParty({ relyingParty }: PasskeyDeps): RelyingParty {
  if (relyingParty !== undefined) return relyingParty;
  throw new AppError(
    'failed_precondition',
    'no_passkeys_here',
    'passkeys need a domain name: browsers have none for an IP address',
  );
}

function tooMany(): AppError {
  const text = `you have ${maxPasskeys} passkeys, the most that an account can have: remove one first`;
  return new AppError('failed_precondition', 'too_many_passkeys', text);
}

/** Options with which a browser makes a passkey for a person. @throws AppError failed_precondition */
export async function beginRegistration(
  deps: PasskeyDeps,
  { person, sessionId }: { person: Person; sessionId: string },
) {
  const relyingParty = requireRelyingParty(deps);
  const known = await deps.passkeys.listStored(person.id);
  if (known.length >= maxPasskeys) throw tooMany();
  const challenge = newChallenge();
  await deps.passkeys.addChallenge(challenge, { purpose: 'register', sessionId });
  return registrationOptions(relyingParty, { person, known, challenge });
}

interface AddPasskeyInput {
  readonly person: Person;
  readonly sessionId: string;
  readonly name: string;
  readonly credential: NewCredential;
  readonly actor: Actor;
}

type AddPasskeyOutcome =
  | {
      readonly kind: 'added';
      readonly id: string;
      /** The first second factor of the person: all sessions have ended. */
      readonly isFirstFactor: boolean;
      /** New ones with the first second factor. Only this result contains them. */
      readonly recoveryCodes: readonly string[];
    }
  | { readonly kind: 'refused' }
  /** The session has ended in the meantime, for example because of a new password. */
  | { readonly kind: 'logged_out' }
  /** The authenticator has made it before, for this person or another. */
  | { readonly kind: 'known' };

/** Adds a passkey that a browser has made. @throws AppError failed_precondition beyond the limit */
export async function addPasskey(
  deps: PasskeyDeps & { readonly hasher: SecretHasher },
  { person, sessionId, name, credential, actor }: AddPasskeyInput,
): Promise<AddPasskeyOutcome> {
  const use: ChallengeUse = { purpose: 'register', sessionId };
  const made = await verifyRegistration(requireRelyingParty(deps), credential, (challenge) =>
    deps.passkeys.takeChallenge(challenge, use),
  );
  if (made === undefined) return { kind: 'refused' };
  const id = newPasskeyId();
  return deps.passkeys.inTransaction(async (transaction): Promise<AddPasskeyOutcome> => {
    const { person: account } = transaction;
    const count = await transaction.lockCount(person.id);
    // Checked under the lock, so that a session which a new password has ended is not found.
    if (!(await transaction.hasSession(person.id, sessionId))) return { kind: 'logged_out' };
    if (count >= maxPasskeys) throw tooMany();
    if (!(await transaction.add({ id, personId: person.id, name, ...made }))) return { kind: 'known' };
    const isFirstFactor = count === 0 && !(await account.hasApp(person.id));
    const details = { id, name, firstFactor: isFirstFactor };
    await account.audit(person.id, { actor, action: 'person.passkey_added', details });
    if (!isFirstFactor) return { kind: 'added', id, isFirstFactor, recoveryCodes: [] };
    await transaction.endSessions(person.id);
    const recoveryCodes = await replaceRecoveryCodes(deps, account, person.id);
    return { kind: 'added', id, isFirstFactor, recoveryCodes };
  });
}

interface OnePasskey {
  readonly personId: string;
  readonly passkeyId: string;
  readonly actor: Actor;
}

/** Gives a passkey another name. Resolves to false when the person has no such passkey. */
export function renamePasskey(
  { passkeys }: Pick<PasskeyDeps, 'passkeys'>,
  { personId, passkeyId, name, actor }: OnePasskey & { readonly name: string },
): Promise<boolean> {
  return passkeys.inTransaction(async (transaction) => {
    const before = await transaction.rename(personId, passkeyId, name);
    if (before === undefined) return false;
    if (before === name) return true;
    const details = { id: passkeyId, name: { from: before, to: name } };
    await transaction.person.audit(personId, { actor, action: 'person.passkey_renamed', details });
    return true;
  });
}

/**
 * Removes a passkey and ends the sessions that began with it. Removing the last second factor also deletes the recovery
 * codes. Resolves to false when the person has no such passkey.
 */
export async function removePasskey(
  transaction: PasskeyTransaction,
  { personId, passkeyId, actor, reason }: OnePasskey & { readonly reason?: string },
): Promise<boolean> {
  const { person: account } = transaction;
  await transaction.lockCount(personId);
  const name = await transaction.remove(personId, passkeyId);
  if (name === undefined) return false;
  await account.removeIdleRecoveryCodes(personId);
  await account.audit(personId, {
    actor,
    action: 'person.passkey_removed',
    details: { id: passkeyId, name, reason },
  });
  return true;
}

/** Options with which a browser signs a challenge. @param personId undefined while the person is not known */
export async function beginAssertion(deps: PasskeyDeps, personId: string | undefined, use: ChallengeUse) {
  const relyingParty = requireRelyingParty(deps);
  const allowed = personId === undefined ? [] : await deps.passkeys.listStored(personId);
  const challenge = newChallenge();
  await deps.passkeys.addChallenge(challenge, use);
  return assertionOptions(relyingParty, { allowed, challenge });
}

/** A passkey that has signed a challenge. */
export interface UsedPasskey {
  readonly passkeyId: string;
  readonly personId: string;
  readonly signCount: number;
  readonly isBackedUp: boolean;
}

/**
 * Verifies a signed challenge and uses it up. Undefined when it is refused: the passkey is unknown, the challenge is for
 * another use, or the signature is invalid. `recordUse` then decides whether the passkey may be used.
 * @throws AppError failed_precondition where browsers have no passkeys
 */
export async function verifyPasskey(
  deps: PasskeyDeps,
  assertion: Assertion,
  use: ChallengeUse,
): Promise<UsedPasskey | undefined> {
  const relyingParty = requireRelyingParty(deps);
  const passkey = await deps.passkeys.findByCredential(Buffer.from(assertion.id, 'base64url'));
  if (passkey === undefined) return undefined;
  const { id: passkeyId, personId } = passkey;
  const { userHandle } = assertion.response;
  if (userHandle && !Buffer.from(userHandle, 'base64url').equals(userHandleOf(personId))) return undefined;
  const verified = await verifyAssertion(relyingParty, assertion, passkey, (challenge) =>
    deps.passkeys.takeChallenge(challenge, use),
  );
  return verified && { passkeyId, personId, ...verified };
}

/**
 * Records the use of a passkey. False when it was removed, or when its counter went backwards, which indicates a copy: then
 * the person gets an email.
 * @param login details of the login that it completes; undefined when it confirms a change
 */
export function recordUse(
  { passkeys }: Pick<PasskeyDeps, 'passkeys'>,
  { passkeyId, personId, signCount, isBackedUp }: UsedPasskey,
  actor: Actor,
  login?: { readonly newBrowser: string | undefined },
): Promise<boolean> {
  return passkeys.inTransaction(async (transaction) => {
    const outcome = await transaction.use(passkeyId, signCount, isBackedUp);
    if (outcome === 'counted_back') {
      const act = { actor, action: 'person.passkey_refused', details: { id: passkeyId } };
      await transaction.person.audit(personId, act);
    }
    if (outcome !== 'used') return false;
    if (login !== undefined) {
      const details = { secondFactor: 'passkey', ...login };
      await transaction.person.audit(personId, { actor, action: 'person.logged_in', details });
    }
    return true;
  });
}
