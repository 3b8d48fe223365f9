import type { ConnectedApp } from './connections.ts';

/** Milliseconds in which an app may well not have done everything yet. */
const newMs = 7 * 86_400_000;

/**
 * What to do about permissions that an app holds and never uses; undefined when there are none, or when it is too early
 * to say. `now` is milliseconds since 1970.
 */
export function unusedAdvice(
  { scopes, approvedAt }: Pick<ConnectedApp, 'scopes' | 'approvedAt'>,
  now: number,
): string | undefined {
  const unused = scopes.filter(({ used }) => !used).length;
  if (unused === 0 || now - Date.parse(approvedAt) < newMs) return undefined;
  if (unused === scopes.length) {
    return 'This app has not used any of its permissions. If nobody needs it, disconnect it.';
  }
  return 'Permissions that are never used are only a risk. Ask the publisher to request less.';
}
