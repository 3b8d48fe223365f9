import { AppError } from '@platform/service-kit/values/app-error.ts';
import type { Role } from '../../platform/role.ts';
import { scopes as knownScopes, type Scope } from '../../platform/scope.ts';
import type { KeyType } from './settings.ts';

/** Rules of a business for API keys of developers. */
export interface MemberKeyRules {
  /** Whether they may create secret keys, which have every scope, and restricted keys with any scope. */
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
 * Scopes that a person of a business may hold. A webhook endpoint of a person who has left keeps only the scopes that
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

function mayHold(rules: MemberKeyRules | undefined, { keyType, scopes }: KeyPower): boolean {
  if (rules === undefined || rules.secretKeys) return true;
  return keyType === 'restricted' && scopes.every((scope) => rules.scopes.includes(scope));
}

/**
 * Checks that a person may let a key be used from more addresses.
 * @param rules as in `checkMayHold`
 * @throws AppError permission_denied
 */
export function checkMayOpen(rules: MemberKeyRules | undefined, key: KeyPower): void {
  if (mayHold(rules, key)) return;
  throw new AppError(
    'permission_denied',
    'addresses_beyond_members',
    'only owners may let this key be used from more addresses: developers may not create one like it',
  );
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
