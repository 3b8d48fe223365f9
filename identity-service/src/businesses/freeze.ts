import { AppError } from '@platform/service-kit/values/app-error.ts';
import type { Actor } from '../platform/actor.ts';
import type { Propagate, Propagation } from '../platform/credential-generations.ts';
import { checkReason, maxOperatorReason } from '../platform/reason.ts';
import type { FreezeStore } from './freeze-store.ts';

export interface FreezeBusinessDeps {
  readonly freezes: FreezeStore;
  readonly propagate: Propagate;
}

interface FreezeChange {
  /** An owner of the business, or an operator. */
  readonly actor: Actor;
  readonly businessId: number;
  /** Refuses a repetition, whose reason would be lost. */
  readonly mustChange?: boolean;
}

interface FreezeBusinessInput extends FreezeChange {
  /** One line, for the audit log and the team; may be empty. */
  readonly reason: string;
}

/**
 * Freezes a business: gateways refuse all its API requests. Repeating it publishes the generation again, so that a
 * client that lost the first response learns whether gateways have confirmed.
 * @throws AppError invalid_argument, freeze_unchanged
 */
export async function freezeBusiness(
  { freezes, propagate }: FreezeBusinessDeps,
  { actor, businessId, reason: submitted, mustChange = false }: FreezeBusinessInput,
): Promise<Propagation> {
  const reason = checkReason(submitted, actor.kind === 'operator' ? maxOperatorReason : undefined);
  const generation = await freezes.inTransaction(async (transaction) => {
    if (await transaction.freeze(businessId, actor.kind === 'person' ? actor.id : '', reason)) {
      const subjectId = String(businessId);
      const details = { reason };
      await transaction.audit({ actor, businessId, action: 'business.frozen', subjectId, details });
    } else if (mustChange) {
      throw freezeUnchanged('API access of the business is already frozen: its reason stays');
    }
    return transaction.raiseGeneration(businessId);
  });
  return propagate([{ businessId, generation }]);
}

interface LiftFreezeInput extends FreezeChange {
  /** Of an operator, for the audit log and the team. */
  readonly reason?: string;
}

/**
 * Lifts the freeze of a business at once, or within 30 s while Redis is unreachable. Without a freeze, publishes the
 * generation again. @throws AppError freeze_unchanged
 */
export async function liftFreeze(
  { freezes, propagate }: FreezeBusinessDeps,
  { actor, businessId, reason, mustChange = false }: LiftFreezeInput,
): Promise<Propagation> {
  const generation = await freezes.inTransaction(async (transaction) => {
    const lifted = await transaction.lift(businessId);
    if (lifted !== undefined) {
      const subjectId = String(businessId);
      const details = { reason: reason ?? lifted.reason };
      await transaction.audit({ actor, businessId, action: 'business.unfrozen', subjectId, details });
    } else if (mustChange) {
      throw freezeUnchanged('API access of the business is not frozen');
    }
    return transaction.raiseGeneration(businessId);
  });
  return propagate([{ businessId, generation }]);
}

function freezeUnchanged(text: string): AppError {
  return new AppError('failed_precondition', 'freeze_unchanged', text);
}
