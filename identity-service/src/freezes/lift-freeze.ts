import type { Actor } from '../audit/audit-event.ts';
import type { FreezeBusinessDeps } from './freeze-business.ts';

export interface LiftFreezeInput {
  /** An owner of the business. */
  readonly actor: Actor;
  readonly businessId: number;
}

/**
 * Lets API requests of a business in again, at once; where gateways cannot be told, within 30 s. Lifting what is not
 * frozen tells them once more.
 */
export async function liftFreeze(
  { freezes, propagate }: FreezeBusinessDeps,
  { actor, businessId }: LiftFreezeInput,
): Promise<void> {
  const generation = await freezes.inTransaction(async (transaction) => {
    const lifted = await transaction.lift(businessId);
    if (lifted !== undefined) {
      const subjectId = String(businessId);
      const details = { reason: lifted.reason };
      await transaction.audit({ actor, businessId, action: 'business.unfrozen', subjectId, details });
    }
    return transaction.raiseGeneration(businessId);
  });
  await propagate(businessId, generation);
}
