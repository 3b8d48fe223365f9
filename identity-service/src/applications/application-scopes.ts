import { AppError } from '@platform/service-kit/app-error.ts';
import { isScope, scopes as knownScopes, type Scope } from '../authorization/scope.ts';

/** The scopes that an application may ask for, sorted. @throws AppError when there are none, or unknown or repeated ones */
export function checkScopes(candidates: readonly string[]): Scope[] {
  if (candidates.length === 0) {
    throw new AppError('invalid_argument', 'scopes_required', 'an application needs at least one scope');
  }
  const known = candidates.filter(isScope);
  if (known.length < candidates.length) {
    throw new AppError('invalid_argument', 'unknown_scope', `scopes must be among ${knownScopes.join(', ')}`);
  }
  if (new Set(known).size < known.length) {
    throw new AppError('invalid_argument', 'duplicate_scope', 'a scope is given twice');
  }
  return known.sort();
}
