import { incorrectPassword } from '../../web/dashboard-api/input.ts';
import { type BusinessCall, businessOperation, type Operation } from '../../web/dashboard-api/operation.ts';
import { type ConfirmDeps, confirmPassword, refusedCode } from '../profile/dashboard.ts';
import * as specs from './dashboard-schema.ts';
import { type SetRequirementDeps, setRequirement } from './requirement.ts';

type RequirementOperationsDeps = SetRequirementDeps & ConfirmDeps;

type ConfirmedCall = BusinessCall<'businessId', unknown, Parameters<typeof confirmPassword>[1]['body']>;

/** Operations on the second factor that a business requires of its people. */
export function requirementOperations(deps: RequirementOperationsDeps): Operation[] {
  const current = async (businessId: number) => ({
    requiredAt: await deps.requirements.requiredAt(businessId),
  });
  const set = async (call: ConfirmedCall, isRequired: boolean) => {
    const { actor, businessId } = call;
    const confirmed = await confirmPassword(deps, call);
    const outcome = await setRequirement(deps, { actor, businessId, ...confirmed, isRequired });
    if (outcome === 'wrong_password') throw incorrectPassword();
    if (outcome === 'wrong_code') throw refusedCode();
    return current(businessId);
  };
  return [
    businessOperation(specs.getRequirement, ({ businessId }) => current(businessId)),
    businessOperation(specs.requireFactor, (call) => set(call, true)),
    businessOperation(specs.liftRequirement, (call) => set(call, false)),
  ];
}
