import { AppError } from '@platform/service-kit/app-error.ts';
import { isScope, scopes as knownScopes, type Scope } from '../authorization/scope.ts';
import type { KeyType } from './api-key.ts';

/**
 * The scopes of a key, sorted: one or more for a restricted key, none for a secret key (contract 5.3).
 * @throws AppError for any other combination, for an unknown scope and for one given twice
 */
export function checkScopes(keyType: KeyType, candidates: readonly string[]): Scope[] {
  if (keyType === 'secret') {
    if (candidates.length > 0) throw invalidArgument('scopes_not_allowed', 'a secret key takes no scopes');
    return [];
  }
  if (candidates.length === 0)
    throw invalidArgument('scopes_required', 'a restricted key needs at least one scope');
  const known = candidates.filter(isScope);
  if (known.length < candidates.length) {
    throw invalidArgument('unknown_scope', `scopes must be among ${knownScopes.join(', ')}`);
  }
  if (new Set(known).size < known.length) throw invalidArgument('duplicate_scope', 'a scope is given twice');
  return known.sort();
}

/** What a key may do: a secret key everything, a restricted key its scopes. */
export function grantedScopes(key: {
  readonly keyType: KeyType;
  readonly scopes: readonly Scope[];
}): readonly Scope[] {
  return key.keyType === 'secret' ? knownScopes : key.scopes;
}

export function invalidArgument(reason: string, text: string): AppError {
  return new AppError('invalid_argument', reason, text);
}
