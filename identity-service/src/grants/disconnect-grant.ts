import { AppError } from '@platform/service-kit/app-error.ts';
import type { Actor } from '../audit/audit-event.ts';
import type { Propagate, Propagation } from '../generations/propagation.ts';
import { endGrant } from './end-grant.ts';
import type { GrantStore } from './grant-store.ts';

export interface DisconnectGrantDeps {
  readonly grants: GrantStore;
  readonly propagate: Propagate;
}

export interface DisconnectGrantInput {
  readonly actor: Actor;
  /** The business that approved. */
  readonly businessId: number;
  readonly grantId: string;
}

/**
 * Ends a Grant on behalf of the business that gave it. One that has ended already is confirmed once more: whoever repeats
 * a disconnect whose answer got lost has to hear whether gateways know.
 * @throws AppError not_found, also for another business's Grant
 */
export async function disconnectGrant(
  { grants, propagate }: DisconnectGrantDeps,
  { actor, businessId, grantId }: DisconnectGrantInput,
): Promise<Propagation> {
  const generation = await grants.inTransaction(async (transaction) => {
    if ((await transaction.businessOf(grantId)) !== businessId) {
      throw new AppError('not_found', 'grant_not_found', 'no such connected application');
    }
    const ended = await endGrant(transaction, actor, grantId, 'disconnected');
    return ended?.generation ?? (await transaction.raiseGeneration(businessId));
  });
  return propagate(businessId, generation);
}
