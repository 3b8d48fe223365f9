import { propagateAll } from '../generations/propagate-all.ts';
import type { Propagation } from '../generations/propagation.ts';
import { applicationNotFound } from './application-not-found.ts';
import type { ApplicationChange } from './application-reference.ts';
import type { ChangeApplicationDeps } from './changed-application.ts';

/** Removes an application for ever, with every Grant, code and token of it. @throws AppError not_found */
export async function deleteApplication(
  { applications, propagate }: ChangeApplicationDeps,
  { actor, businessId, applicationId }: ApplicationChange,
): Promise<Propagation> {
  const raised = await applications.inTransaction(async (transaction) => {
    const application = await transaction.lock(businessId, applicationId);
    if (application === undefined) throw applicationNotFound();
    const connected = await transaction.connectedBusinesses(applicationId);
    await transaction.remove(applicationId);
    const { name, clientId } = application;
    const details = { name, clientId };
    const event = { actor, action: 'application.deleted', subjectId: applicationId, details };
    await transaction.audit({ ...event, businessId });
    for (const each of connected) {
      if (each !== businessId) await transaction.audit({ ...event, businessId: each });
    }
    return transaction.raiseGenerations(connected);
  });
  return propagateAll(propagate, raised);
}
