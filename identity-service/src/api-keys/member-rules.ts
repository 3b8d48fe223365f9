import { AppError } from '@platform/service-kit/app-error.ts';
import type { Actor } from '../platform/actor.ts';
import { type Role, roleMissingError } from '../platform/role.ts';
import { scopes as knownScopes, type Scope } from '../platform/scope.ts';
import type { KeyType } from './settings.ts';
import type { ApiKeyStore } from './store.ts';

/** Rules of a business for API keys of developers. */
export interface MemberKeyRules {
  /** Whether they may make secret keys, and with them keys of any scope. */
  readonly secretKeys: boolean;
  /** Scopes that they may give to restricted keys, sorted. */
  readonly scopes: readonly Scope[];
}

/** Until an owner chooses: restricted keys that change nothing. */
export const defaultRules: MemberKeyRules = {
  secretKeys: false,
  scopes: knownScopes.filter((scope) => scope.endsWith(':read')),
};

/**
 * Scopes that a person of a business may hold. What a person who has left had made, such as a webhook endpoint, has no more than
 * developers may have.
 * @param role undefined for a person who has left
 */
export function scopesOf(role: Role | undefined, rules: MemberKeyRules): readonly Scope[] {
  if (role === 'viewer') return [];
  return role === 'owner' || rules.secretKeys ? knownScopes : rules.scopes;
}

/** A key whose string a person is about to see, or whose scopes the person adds. */
interface KeyPower {
  readonly keyType: KeyType;
  readonly scopes: readonly Scope[];
}

/**
 * Checks that a person may have a key with these scopes.
 * @param rules undefined for owners and operators, who may have any
 * @throws AppError permission_denied
 */
export function checkMayHold(rules: MemberKeyRules | undefined, { keyType, scopes }: KeyPower): void {
  if (rules === undefined || rules.secretKeys) return;
  if (keyType === 'secret') {
    throw new AppError(
      'permission_denied',
      'secret_keys_not_allowed',
      'developers may create and rotate restricted keys only: an owner can allow secret keys under Settings > Business',
    );
  }
  const beyond = scopes.filter((scope) => !rules.scopes.includes(scope));
  if (beyond.length === 0) return;
  throw new AppError(
    'permission_denied',
    'scopes_beyond_members',
    `developers may not give keys ${beyond.join(', ')}: an owner can allow it under Settings > Business`,
  );
}

/** A change by an owner. Scopes come and go one by one, so that owners who change the rules at once keep each other's. */
export interface MemberKeyRulesChange {
  readonly secretKeys?: boolean | undefined;
  readonly addedScopes: readonly Scope[];
  readonly removedScopes: readonly Scope[];
}

/** The rules after a change. A scope that is both added and removed is removed. */
export function changedRules(before: MemberKeyRules, change: MemberKeyRulesChange): MemberKeyRules {
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

/** Changes the rules. They count for the next key that is created, rotated or given scopes. @throws AppError permission_denied */
export async function updateMemberKeyRules(
  { keys }: { readonly keys: ApiKeyStore },
  { actor, businessId, change }: UpdateMemberKeyRulesInput,
): Promise<MemberKeyRules> {
  return keys.inTransaction(async (transaction) => {
    if ((await transaction.lockRights(actor, businessId)) !== undefined) {
      throw roleMissingError('owner');
    }
    const before = await transaction.lockRules(businessId);
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
function differences(before: MemberKeyRules, after: MemberKeyRules) {
  return {
    ...(before.secretKeys !== after.secretKeys && {
      memberSecretKeys: { from: before.secretKeys, to: after.secretKeys },
    }),
    ...(String(before.scopes) !== String(after.scopes) && {
      memberScopes: { from: before.scopes, to: after.scopes },
    }),
  };
}
