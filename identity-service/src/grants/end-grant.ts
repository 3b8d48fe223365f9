import { AppError } from '@platform/service-kit/app-error.ts';
import type { Actor } from '../platform/actor.ts';
import type { Propagate, Propagation } from '../platform/credential-generations.ts';
import type { EndReason } from './grant.ts';
import type { GrantStore, GrantTransaction } from './store.ts';

/**
 * Ends a Grant within a transaction: codes and tokens hang off it and are dead with it. Resolves to the generation that
 * gateways have to hear of; undefined when the Grant had ended already.
 */
export async function endGrant(
  transaction: Pick<GrantTransaction, 'end' | 'raiseGeneration' | 'audit'>,
  actor: Actor,
  grantId: string,
  reason: EndReason,
): Promise<{ readonly businessId: number; readonly generation: number } | undefined> {
  const ended = await transaction.end(grantId, reason);
  if (ended === undefined) return undefined;
  const { businessId, applicationId, applicationName: name } = ended;
  const details = { applicationId, name, reason };
  await transaction.audit({ actor, businessId, action: 'grant.ended', subjectId: grantId, details });
  return { businessId, generation: await transaction.raiseGeneration(businessId) };
}

export interface DisconnectGrantDeps {
  readonly grants: GrantStore;
  readonly propagate: Propagate;
}

interface DisconnectGrantInput {
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
