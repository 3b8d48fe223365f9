import type { Actor } from '../audit/audit-event.ts';
import type { FreezeStore } from './freeze-store.ts';

export interface LiftFreezeInput {
  /** An owner of the business. */
  readonly actor: Actor;
  readonly businessId: number;
}

/**
 * Lets API requests of a business in again, at once: gateways keep no refusals, so there is nobody to tell. Lifting what
 * is not frozen changes nothing.
 */
export async function liftFreeze(
  { freezes }: { readonly freezes: FreezeStore },
  { actor, businessId }: LiftFreezeInput,
): Promise<void> {
  await freezes.inTransaction(async (transaction) => {
    const lifted = await transaction.lift(businessId);
    if (lifted === undefined) return;
    const subjectId = String(businessId);
    const details = { reason: lifted.reason };
    await transaction.audit({ actor, businessId, action: 'business.unfrozen', subjectId, details });
  });
}
