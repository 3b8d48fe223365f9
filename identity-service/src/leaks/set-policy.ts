import type { Actor } from '../platform/actor.ts';
import { roleMissingError } from '../platform/role.ts';
import type { LeakPolicy } from './policy.ts';
import type { LeakStore } from './store.ts';

interface SetLeakPolicyInput {
  /** An owner of the business. */
  readonly actor: Actor;
  readonly businessId: number;
  readonly policy: LeakPolicy;
}

/** Chooses what happens to keys that leak from now on. @throws AppError permission_denied */
export async function setLeakPolicy(
  { leaks }: { readonly leaks: LeakStore },
  { actor, businessId, policy }: SetLeakPolicyInput,
): Promise<void> {
  await leaks.inTransaction(async (transaction) => {
    if ((await transaction.lockRights(actor, businessId)) !== undefined) throw roleMissingError('owner');
    const from = await transaction.lockPolicy(businessId);
    if (from === policy) return;
    await transaction.setPolicy(businessId, policy);
    await transaction.audit({
      actor,
      businessId,
      action: 'business.leak_policy_set',
      subjectId: String(businessId),
      details: { leakPolicy: { from, to: policy } },
    });
  });
}
