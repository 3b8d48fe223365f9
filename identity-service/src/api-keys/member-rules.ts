import { AppError } from '@platform/service-kit/app-error.ts';
import type { Actor } from '../platform/actor.ts';
import { roleMissingError } from '../platform/role.ts';
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

interface SetMemberKeyRulesInput {
  /** An owner of the business. */
  readonly actor: Actor;
  readonly businessId: number;
  readonly rules: MemberKeyRules;
}

/** Sets the rules. They count for the next key that is created, rotated or given scopes. @throws AppError permission_denied */
export async function setMemberKeyRules(
  { keys }: { readonly keys: ApiKeyStore },
  { actor, businessId, rules: chosen }: SetMemberKeyRulesInput,
): Promise<MemberKeyRules> {
  const rules = { secretKeys: chosen.secretKeys, scopes: [...new Set(chosen.scopes)].sort() };
  await keys.inTransaction(async (transaction) => {
    if ((await transaction.lockRights(actor, businessId)) !== undefined) {
      throw roleMissingError('owner');
    }
    const before = (await transaction.replaceRules(businessId, rules)) ?? defaultRules;
    const changes = {
      ...(before.secretKeys !== rules.secretKeys && {
        memberSecretKeys: { from: before.secretKeys, to: rules.secretKeys },
      }),
      ...(String(before.scopes) !== String(rules.scopes) && {
        memberScopes: { from: before.scopes, to: rules.scopes },
      }),
    };
    if (Object.keys(changes).length === 0) return;
    const event = { actor, businessId, action: 'business.member_keys_set', subjectId: String(businessId) };
    await transaction.audit({ ...event, details: changes });
  });
  return rules;
}
