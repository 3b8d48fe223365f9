import type { Scope } from '../../api/scopes.ts';
import type { ApiKeyDetail } from './api-keys.ts';

/** Scopes of a key that requests really used. */
export function usedScopes({ scopeUses }: Pick<ApiKeyDetail, 'scopeUses'>): readonly Scope[] {
  return scopeUses.filter(({ lastUsedAt }) => lastUsedAt !== null).map(({ scope }) => scope);
}

/** Scopes that a key could do without. None before it was used at all, since nothing is known then. */
export function spareScopes(key: Pick<ApiKeyDetail, 'scopeUses'>): readonly Scope[] {
  const spare = key.scopeUses.filter(({ lastUsedAt }) => lastUsedAt === null).map(({ scope }) => scope);
  return spare.length === key.scopeUses.length ? [] : spare;
}
