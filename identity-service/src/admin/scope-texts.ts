import type { Acts } from '../acts.ts';
import { notPartOfApi } from '../platform/scope.ts';

/** Scopes of a credential for people, who see which of them open nothing. */
export function scopeTexts({ apiScopes }: Pick<Acts, 'apiScopes'>, scopes: readonly string[]): string[] {
  return scopes.map((scope) => (apiScopes.has(scope) ? scope : `${scope} (${notPartOfApi})`));
}
