import type { Api } from '@platform/service-kit/api/api.ts';
import { AppError } from '@platform/service-kit/values/app-error.ts';

/** Scopes of the API (RFC 6749 section 3.3) by name, sorted, each with what a person reads who grants it. */
export type ApiScopes = ReadonlyMap<string, string>;

export function apiScopesOf({ scopes }: Pick<Api, 'scopes'>): ApiScopes {
  return new Map(scopes.map(({ name, text }) => [name, text]));
}

/** Those of `scopes` that the API has now: a credential keeps the others, and they open nothing. */
export function knownScopes(apiScopes: ApiScopes, scopes: readonly string[]): string[] {
  return scopes.filter((scope) => apiScopes.has(scope));
}

/** The note beside such a scope. */
export const notPartOfApi = 'not part of the API now';

/** Scopes that may be chosen: those of the API, and those that the chooser holds already. */
export function choosableScopes(apiScopes: ApiScopes, held: readonly string[] = []): ReadonlySet<string> {
  return new Set([...apiScopes.keys(), ...held]);
}

/**
 * Chosen scopes, sorted.
 * @param chooser subject of the error text, as in `an application needs at least one scope`
 * @throws AppError when there are none, or ones that may not be chosen, or repeated ones
 */
export function chooseScopes(
  choosable: ReadonlySet<string>,
  chosen: readonly string[],
  chooser: string,
): string[] {
  if (chosen.length === 0) throw invalid('scopes_required', `${chooser} needs at least one scope`);
  checkChoosable(choosable, chosen);
  if (new Set(chosen).size < chosen.length) throw invalid('duplicate_scope', 'a scope is given twice');
  return [...chosen].sort();
}

/** @throws AppError for scopes that may not be chosen */
export function checkChoosable(choosable: ReadonlySet<string>, chosen: readonly string[]): void {
  if (chosen.every((scope) => choosable.has(scope))) return;
  throw invalid('unknown_scope', `scopes must be among ${[...choosable].join(', ')}`);
}

const invalid = (reason: string, text: string) => new AppError('invalid_argument', reason, text);
