import type { Application } from './application.ts';
import { applicationNotFound } from './application-not-found.ts';
import type { ApplicationChange } from './application-reference.ts';
import type { ApplicationStore } from './application-store.ts';
import { checkConnectedUserLimit } from './connected-user-limit.ts';

export interface SetConnectedUserLimitInput extends ApplicationChange {
  readonly limit: number;
}

/** Sets how many connected users an application may have (contract 8). Nobody who is connected is cut off. @throws AppError */
export async function setConnectedUserLimit(
  { applications }: { readonly applications: ApplicationStore },
  { actor, businessId, applicationId, limit }: SetConnectedUserLimitInput,
): Promise<Application> {
  checkConnectedUserLimit(limit);
  return applications.inTransaction(async (transaction) => {
    const before = await transaction.lock(businessId, applicationId);
    if (before === undefined) throw applicationNotFound();
    const after = await transaction.setConnectedUserLimit(applicationId, limit);
    const details = { name: before.name, limit: { from: before.connectedUserLimit, to: limit } };
    const event = { actor, businessId, action: 'application.limit_set', subjectId: applicationId, details };
    await transaction.audit(event);
    return after;
  });
}
