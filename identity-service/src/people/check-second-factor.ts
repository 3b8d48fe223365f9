import type { Actor } from '../audit/audit-event.ts';
import type { Sealer } from '../secrets/sealer.ts';
import type { SecretHasher } from '../secrets/secret-hasher.ts';
import type { PersonWithSecrets } from './person.ts';
import type { PersonStore, PersonTransaction } from './person-store.ts';
import { recoveryCodeSecret } from './recovery-code.ts';
import { stepOfCode } from './totp.ts';
import { openTotpSecret } from './totp-secret.ts';

export interface CheckSecondFactorDeps {
  readonly people: PersonStore;
  readonly sealer: Sealer;
  readonly hasher: SecretHasher;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export interface CheckSecondFactorInput {
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
