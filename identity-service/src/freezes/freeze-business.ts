import { AppError } from '@platform/service-kit/app-error.ts';
import type { Actor } from '../audit/audit-event.ts';
import type { Propagate, Propagation } from '../generations/propagation.ts';
import { lineFault } from '../line-fault.ts';
import type { FreezeStore } from './freeze-store.ts';

export interface FreezeBusinessDeps {
  readonly freezes: FreezeStore;
  readonly propagate: Propagate;
}

export interface FreezeBusinessInput {
  /** An owner of the business. */
  readonly actor: Actor;
  readonly businessId: number;
  /** One line of at most 200 characters, for the audit log and the team; may be empty. */
  readonly reason: string;
}

/**
 * Lets no API request of a business in any more. One that is frozen already is confirmed once more: whoever repeats a
 * freeze whose answer got lost has to hear whether gateways know.
 * @throws AppError invalid_argument
 */
export async function freezeBusiness(
  { freezes, propagate }: FreezeBusinessDeps,
  { actor, businessId, reason: given }: FreezeBusinessInput,
): Promise<Propagation> {
  const reason = given.trim();
  const fault = reason === '' ? undefined : lineFault(reason, 'a reason', 200);
  if (fault !== undefined) throw new AppError('invalid_argument', 'invalid_reason', fault);
  const generation = await freezes.inTransaction(async (transaction) => {
    if (await transaction.freeze(businessId, actor.id, reason)) {
      const subjectId = String(businessId);
      const details = { reason };
      await transaction.audit({ actor, businessId, action: 'business.frozen', subjectId, details });
    }
    return transaction.raiseGeneration(businessId);
  });
  return propagate(businessId, generation);
}
