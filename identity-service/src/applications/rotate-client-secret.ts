import { AppError } from '@platform/service-kit/app-error.ts';
import { propagateAll } from '../generations/propagate-all.ts';
import type { SecretHasher } from '../secrets/secret-hasher.ts';
import { applicationNotFound } from './application-not-found.ts';
import type { ApplicationChange } from './application-reference.ts';
import type { ChangeApplicationDeps, ChangedApplication } from './changed-application.ts';
import { createClientSecret } from './client-secret.ts';

const maxSecrets = 2;

export interface RotateClientSecretDeps extends ChangeApplicationDeps {
  readonly hasher: SecretHasher;
}

export interface RotateClientSecretInput extends ApplicationChange {
  /** Whether the secret there is stays beside the new one, for a change without an outage. */
  readonly keepOld: boolean;
}

/** Makes a new client secret; the old ones end at once unless one is kept. @throws AppError */
export async function rotateClientSecret(
  { applications, hasher, propagate }: RotateClientSecretDeps,
  { actor, businessId, applicationId, keepOld }: RotateClientSecretInput,
): Promise<ChangedApplication & { readonly clientSecret: string }> {
  const { clientSecret, stored } = createClientSecret(hasher);
  const { application, raised } = await applications.inTransaction(async (transaction) => {
    const before = await transaction.lock(businessId, applicationId);
    if (before === undefined) throw applicationNotFound();
    const ended = keepOld ? [] : before.secrets.map(({ id }) => id);
    checkRoomForSecret(before.secrets.length - ended.length);
    await transaction.removeSecrets(applicationId, ended);
    const after = await transaction.addSecret(applicationId, stored);
    const added = { id: stored.id, lastFour: stored.lastFour };
    const details = { name: before.name, added, ended };
    const event = {
      actor,
      businessId,
      action: 'application.secret_rotated',
      subjectId: applicationId,
      details,
    };
    await transaction.audit(event);
    const touched = ended.length > 0 ? await transaction.connectedBusinesses(applicationId) : [];
    return { application: after, raised: await transaction.raiseGenerations(touched) };
  });
  return { application, clientSecret, propagation: await propagateAll(propagate, raised) };
}

function checkRoomForSecret(remaining: number): void {
  if (remaining >= maxSecrets) {
    throw new AppError(
      'failed_precondition',
      'client_secret_limit_reached',
      `an application has at most ${maxSecrets} client secrets: delete one first`,
    );
  }
}
