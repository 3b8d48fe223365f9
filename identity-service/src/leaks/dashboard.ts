import { businessOperation, type Operation } from '../web/dashboard-api/operation.ts';
import * as specs from './dashboard-schema.ts';
import { setLeakPolicy } from './set-policy.ts';
import type { LeakStore } from './store.ts';

/** Operations on what happens to API keys that leak. */
export function leakOperations(deps: { readonly leaks: LeakStore }): Operation[] {
  const current = async (businessId: number) => ({ policy: await deps.leaks.policy(businessId) });
  return [
    businessOperation(specs.getLeakPolicy, ({ businessId }) => current(businessId)),
    businessOperation(specs.setLeakPolicy, async ({ actor, businessId, body: { policy } }) => {
      await setLeakPolicy(deps, { actor, businessId, policy });
      return current(businessId);
    }),
  ];
}
