import { AppError } from '@platform/service-kit/values/app-error.ts';
import type { Actor } from '../../platform/actor.ts';
import { hasSecondFactor, type PersonWithSecrets } from '../person.ts';
import { type CheckSecondFactorDeps, checkConfirmed, type Refusal } from '../second-factor.ts';
import { checkOwner } from '../team/team.ts';
import type { RequirementStore } from './store.ts';

export interface SetRequirementDeps extends Omit<CheckSecondFactorDeps, 'people'> {
  readonly requirements: RequirementStore;
}

interface SetRequirementInput {
  readonly actor: Actor;
  readonly businessId: number;
  /** The owner, whose password was right. */
  readonly person: PersonWithSecrets;
  /** Of the second factor; undefined when none is needed. */
  readonly code: string | undefined;
  readonly isRequired: boolean;
}

/**
 * Sets whether all people of a business need a second factor to act for it. Takes effect with the next request, because
 * every request reads the requirement with the membership. API keys and Grants are not affected.
 * @throws AppError permission_denied; failed_precondition for an owner without a second factor, who would be locked out
 */
export async function setRequirement(
  deps: SetRequirementDeps,
  { actor, businessId, person, code, isRequired }: SetRequirementInput,
): Promise<'set' | Refusal> {
  if (isRequired && !hasSecondFactor(person)) {
    throw new AppError(
      'failed_precondition',
      'second_factor_off',
      'you have no second factor yourself: turn on the authenticator app or add a passkey in your profile first',
    );
  }
  return deps.requirements.inTransaction(async (transaction) => {
    // Locks teams before the person, in the same order as changes of a team.
    checkOwner(await transaction.team.lockMembers(businessId), person.id);
    const refusal = await checkConfirmed(deps, transaction.person, { person, code, actor });
    if (refusal !== undefined) return refusal;
    const isChanged = isRequired
      ? await transaction.require(businessId, person.id)
      : await transaction.lift(businessId);
    if (!isChanged) return 'set';
    const action = isRequired ? 'business.second_factor_required' : 'business.second_factor_optional';
    await transaction.team.audit({ actor, businessId, action, subjectId: String(businessId), details: {} });
    return 'set';
  });
}
