import { AppError } from '@platform/service-kit/app-error.ts';
import { propagateAll } from '../generations/propagate-all.ts';
import { applicationNotFound } from './application-not-found.ts';
import type { ApplicationChange } from './application-reference.ts';
import type { ChangeApplicationDeps, ChangedApplication } from './changed-application.ts';

export interface DeleteClientSecretInput extends ApplicationChange {
  readonly clientSecretId: string;
}

/** Ends one client secret at once. @throws AppError not_found */
export async function deleteClientSecret(
  { applications, propagate }: ChangeApplicationDeps,
  { actor, businessId, applicationId, clientSecretId }: DeleteClientSecretInput,
): Promise<ChangedApplication> {
  const { application, raised } = await applications.inTransaction(async (transaction) => {
    const before = await transaction.lock(businessId, applicationId);
    if (before === undefined) throw applicationNotFound();
    const secret = before.secrets.find(({ id }) => id === clientSecretId);
    if (secret === undefined) {
      throw new AppError('not_found', 'client_secret_not_found', 'no such client secret');
    }
    const after = await transaction.removeSecrets(applicationId, [clientSecretId]);
    const details = { name: before.name, id: secret.id, lastFour: secret.lastFour };
    const event = {
      actor,
      businessId,
      action: 'application.secret_deleted',
      subjectId: applicationId,
      details,
    };
    await transaction.audit(event);
    const touched = await transaction.connectedBusinesses(applicationId);
    return { application: after, raised: await transaction.raiseGenerations(touched) };
  });
  return { application, propagation: await propagateAll(propagate, raised) };
}
