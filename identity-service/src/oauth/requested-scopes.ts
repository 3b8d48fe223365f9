import type { Scope } from '../authorization/scope.ts';
import { OAuthError } from './oauth-error.ts';

/**
 * The scopes that a `scope` parameter asks for, sorted; everything on offer when it is absent (RFC 6749 section 3.3).
 * @throws OAuthError invalid_scope when it asks for something that is not on offer, or for nothing
 */
export function requestedScopes(scope: string | undefined, offered: readonly Scope[]): Scope[] {
  if (scope === undefined) return [...offered];
  const names = scope.split(' ').filter((name) => name !== '');
  const chosen = offered.filter((candidate) => names.includes(candidate));
  if (chosen.length === 0 || names.some((name) => !chosen.some((candidate) => candidate === name))) {
    throw new OAuthError('invalid_scope', `scope must be among: ${offered.join(' ')}`);
  }
  return chosen;
}
