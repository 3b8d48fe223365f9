import { AppError } from '@platform/service-kit/app-error.ts';
import type { Actor } from '../platform/actor.ts';
import type { Propagate, Propagation } from '../platform/credential-generations.ts';
import { lineError } from '../platform/text.ts';
import type { FreezeStore } from './freeze-store.ts';

/** A business that lets no API request in until one of its owners lifts the freeze. */
export interface Freeze {
  readonly businessId: number;
  /** Milliseconds since 1970. */
  readonly frozenAt: number;
  /** Who froze it. */
  readonly personId: string;
  /** What they gave as the reason; may be empty. */
  readonly reason: string;
}

export interface FreezeBusinessDeps {
  readonly freezes: FreezeStore;
  readonly propagate: Propagate;
}

interface FreezeBusinessInput {
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
  const fault = reason === '' ? undefined : lineError(reason, 'a reason', 200);
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

interface LiftFreezeInput {
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
