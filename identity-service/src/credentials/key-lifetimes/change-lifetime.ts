import type { Actor, JsonObject } from '../../platform/actor.ts';
import { roleMissingError } from '../../platform/role.ts';
import type { KeyLifetime } from './lifetime.ts';
import type { KeyLifetimeStore } from './store.ts';

export interface ChangeKeyLifetimeDeps {
  readonly keyLifetimes: KeyLifetimeStore;
}

interface ChangeKeyLifetimeInput {
  /** An owner of the business. */
  readonly actor: Actor;
  readonly businessId: number;
  /** The new rule, from the present one; undefined requires no end. */
  readonly change: (before: KeyLifetime | undefined) => KeyLifetime | undefined;
}

/** Changes how long new keys may last. Existing keys stay as they are. @throws AppError permission_denied */
export async function changeKeyLifetime(
  { keyLifetimes }: ChangeKeyLifetimeDeps,
  { actor, businessId, change }: ChangeKeyLifetimeInput,
): Promise<KeyLifetime | undefined> {
  return keyLifetimes.inTransaction(async (transaction) => {
    const role = await transaction.lockRole(actor, businessId);
    if (role !== undefined && role !== 'owner') throw roleMissingError('owner');
    const before = await transaction.lock(businessId);
    const lifetime = change(before);
    const details = differences(before, lifetime);
    if (Object.keys(details).length === 0) return lifetime;
    await transaction.set(businessId, lifetime);
    const event = { actor, businessId, action: 'business.key_lifetime_set', subjectId: String(businessId) };
    await transaction.audit({ ...event, details });
    return lifetime;
  });
}

/** The difference as the audit log has it; empty without one. */
function differences(before: KeyLifetime | undefined, after: KeyLifetime | undefined): JsonObject {
  const [from, to] = [before, after].map((rule) => ({
    required: rule !== undefined,
    days: rule?.maxDays ?? null,
  }));
  return {
    ...(from?.required !== to?.required && { keyEndRequired: { from: from?.required, to: to?.required } }),
    ...(from?.days !== to?.days && { keyMaxDays: { from: from?.days, to: to?.days } }),
  };
}
