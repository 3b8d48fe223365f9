import { isScope, scopes as knownScopes, type Scope } from '@platform/protos/vocabulary';
import { AppError } from '@platform/service-kit/values/app-error.ts';

export { isScope, type Scope, scopes } from '@platform/protos/vocabulary';

/** Description of each scope on the consent page. */
export const scopeWords: Readonly<Record<Scope, string>> = {
  'business:read': 'See the profile of your business: its name, username and logo',
  'events:read': 'See what happens in your business, such as new and paid orders',
  'orders:read': 'See your orders, with what was bought and by whom',
  'orders:write': 'Create orders, change existing ones and erase their customers',
};

/**
 * Chosen scopes, sorted.
 * @param chooser subject of the error text, as in `an application needs at least one scope`
 * @throws AppError when there are none, or unknown or repeated ones
 */
export function chooseScopes(candidates: readonly string[], chooser: string): Scope[] {
  const invalid = (reason: string, text: string) => new AppError('invalid_argument', reason, text);
  if (candidates.length === 0) throw invalid('scopes_required', `${chooser} needs at least one scope`);
  const known = candidates.filter(isScope);
  if (known.length < candidates.length) {
    throw invalid('unknown_scope', `scopes must be among ${knownScopes.join(', ')}`);
  }
  if (new Set(known).size < known.length) throw invalid('duplicate_scope', 'a scope is given twice');
  return known.sort();
}
