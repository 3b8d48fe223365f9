import { AppError } from '@platform/service-kit/values/app-error.ts';
import type { Role } from '../../platform/role.ts';
import type { ApiScopes } from '../../platform/scope.ts';
import type { KeyType } from './settings.ts';

/** Rules of a business for API keys of developers. */
export interface MemberKeyRules {
  /** Whether they may create secret keys, which have every scope, and restricted keys with any scope. */
  readonly secretKeys: boolean;
  /** Scopes that they may give to restricted keys, sorted; undefined until an owner chooses: those that change nothing. */
  readonly scopes: readonly string[] | undefined;
}

/** Rules with a list of scopes. */
export type ListedRules = MemberKeyRules & { readonly scopes: readonly string[] };

/** Until an owner chooses. */
export const defaultRules: MemberKeyRules = { secretKeys: false, scopes: undefined };

const changesNothing = (scope: string) => scope.endsWith(':read');

/** Rules with the scopes of the API that they mean. */
export function listedRules(apiScopes: ApiScopes, { secretKeys, scopes }: MemberKeyRules): ListedRules {
  return { secretKeys, scopes: scopes ?? [...apiScopes.keys()].filter(changesNothing) };
}

const mayGive = ({ scopes }: MemberKeyRules, scope: string) =>
  scopes?.includes(scope) ?? changesNothing(scope);

/**
 * Whether a person of a business may hold a scope. A webhook endpoint of a person who has left keeps only the scopes that
 * developers may have.
 * @param role undefined for a person who has left
 */
export function holdsScope(role: Role | undefined, rules: MemberKeyRules, scope: string): boolean {
  if (role === 'viewer') return false;
  return role === 'owner' || rules.secretKeys || mayGive(rules, scope);
}

/** A key whose string a person is about to see, or whose scopes the person adds. */
interface KeyPower {
  readonly keyType: KeyType;
  readonly scopes: readonly string[];
}

/** Whether a person may have a key with these scopes. @param rules undefined for owners and operators, who may have any */
export function mayHold(rules: MemberKeyRules | undefined, { keyType, scopes }: KeyPower): boolean {
  if (rules === undefined || rules.secretKeys) return true;
  return keyType === 'restricted' && scopes.every((scope) => mayGive(rules, scope));
}

/**
 * Checks that a person may let a key be used from more addresses.
 * @param rules as in `mayHold`
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

/** Checks `mayHold`. @throws AppError permission_denied */
export function checkMayHold(rules: MemberKeyRules | undefined, key: KeyPower): void {
  if (rules === undefined || mayHold(rules, key)) return;
  if (key.keyType === 'secret') {
    throw new AppError(
      'permission_denied',
      'secret_keys_not_allowed',
      'developers may create and rotate restricted keys only: an owner can allow secret keys under Settings > Business',
    );
  }
  const beyond = key.scopes.filter((scope) => !mayGive(rules, scope));
  throw new AppError(
    'permission_denied',
    'scopes_beyond_members',
    `developers may not give keys ${beyond.join(', ')}: an owner can allow it under Settings > Business`,
  );
}
