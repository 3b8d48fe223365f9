import type { Actor } from '../../platform/actor.ts';
import { roleMissingError } from '../../platform/role.ts';
import { type ApiScopes, checkChoosable, choosableScopes } from '../../platform/scope.ts';
import { type ListedRules, listedRules } from './member-rules.ts';
import type { ApiKeyStore } from './store.ts';

/** A change by an owner. Scopes are added and removed one by one, so that concurrent changes by owners do not collide. */
export interface MemberKeyRulesChange {
  readonly secretKeys?: boolean | undefined;
  readonly addedScopes: readonly string[];
  readonly removedScopes: readonly string[];
}

/** The rules after a change. A scope that is both added and removed is removed. */
export function changedRules(before: ListedRules, change: MemberKeyRulesChange): ListedRules {
  const scopes = new Set([...before.scopes, ...change.addedScopes]);
  for (const scope of change.removedScopes) scopes.delete(scope);
  return { secretKeys: change.secretKeys ?? before.secretKeys, scopes: [...scopes].sort() };
}

interface UpdateMemberKeyRulesInput {
  /** An owner of the business. */
  readonly actor: Actor;
  readonly businessId: number;
  readonly change: MemberKeyRulesChange;
}

export interface MemberKeyRulesDeps {
  readonly keys: ApiKeyStore;
  readonly apiScopes: ApiScopes;
}

/** Changes the rules. They apply whenever a key is created, rotated or given scopes. @throws AppError permission_denied */
export async function updateMemberKeyRules(
  { keys, apiScopes }: MemberKeyRulesDeps,
  { actor, businessId, change }: UpdateMemberKeyRulesInput,
): Promise<ListedRules> {
  checkChoosable(choosableScopes(apiScopes), change.addedScopes);
  return keys.inTransaction(async (transaction) => {
    if ((await transaction.lockRights(actor, businessId)) !== undefined) {
      throw roleMissingError('owner');
    }
    const before = listedRules(apiScopes, await transaction.lockRules(businessId));
    const rules = changedRules(before, change);
    const details = differences(before, rules);
    if (Object.keys(details).length === 0) return rules;
    await transaction.setRules(businessId, rules);
    const event = { actor, businessId, action: 'business.member_keys_set', subjectId: String(businessId) };
    await transaction.audit({ ...event, details });
    return rules;
  });
}

/** The difference as the audit log has it; empty without one. */
function differences(before: ListedRules, after: ListedRules) {
  return {
    ...(before.secretKeys !== after.secretKeys && {
      memberSecretKeys: { from: before.secretKeys, to: after.secretKeys },
    }),
    ...(String(before.scopes) !== String(after.scopes) && {
      memberScopes: { from: before.scopes, to: after.scopes },
    }),
  };
}
