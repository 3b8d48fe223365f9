import { AppError } from '@platform/service-kit/values/app-error.ts';
import type { Actor } from '../../platform/actor.ts';
import type { PersonStore } from '../store.ts';
import { removePasskey } from './operations.ts';
import type { PasskeyStore } from './store.ts';

export interface RemoveFactorsDeps {
  readonly people: Pick<PersonStore, 'findByEmail'>;
  readonly passkeys: Pick<PasskeyStore, 'inTransaction'>;
}

interface RemoveFactorsInput {
  /** An operator. */
  readonly actor: Actor;
  /** Lower case. */
  readonly email: string;
  /** For the person, and for the owners of their businesses. */
  readonly reason: string;
}

interface RemovedFactors {
  readonly personId: string;
  readonly hadApp: boolean;
  readonly passkeys: number;
}

/**
 * Removes every second factor of a person who has lost them, with one audit event each. The log of revocations is built from
 * audit events, so a restore would bring back a factor without one.
 * @throws AppError person_not_found, no_second_factor
 */
export async function removeFactors(
  { people, passkeys }: RemoveFactorsDeps,
  { actor, email, reason }: RemoveFactorsInput,
): Promise<RemovedFactors> {
  const person = await people.findByEmail(email);
  if (person === undefined) {
    throw new AppError('not_found', 'person_not_found', 'no person has this email address');
  }
  const { id: personId } = person;
  return passkeys.inTransaction(async (transaction) => {
    const { person: account } = transaction;
    await transaction.lockCount(personId);
    const ids = await transaction.ids(personId);
    for (const passkeyId of ids) await removePasskey(transaction, { personId, passkeyId, actor, reason });
    const hadApp = await account.hasApp(personId);
    if (!hadApp && ids.length === 0) {
      throw new AppError('failed_precondition', 'no_second_factor', 'this person has no second factor');
    }
    if (hadApp) {
      await account.removeSecondFactor(personId);
      await account.audit(personId, { actor, action: 'person.second_factor_disabled', details: { reason } });
    }
    return { personId, hadApp, passkeys: ids.length };
  });
}
