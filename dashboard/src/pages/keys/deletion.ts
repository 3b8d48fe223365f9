import type { ApiKey } from './api.ts';

/** Keys that one request deletes at most. */
export const maxDeleted = 100;

const dayMs = 86_400_000;

/** Whether a request came with the key in the last 24 hours. `now` in ms since 1970. */
export function usedLately({ lastUsedAt }: Pick<ApiKey, 'lastUsedAt'>, now: number): boolean {
  return lastUsedAt !== null && now - Date.parse(lastUsedAt) < dayMs;
}

/** Keys that a dialog names. */
const maxNamed = 10;

/** The keys that a dialog names, those in use first, and the number of other keys. */
export function namedKeys<Key extends Pick<ApiKey, 'lastUsedAt'>>(
  keys: readonly Key[],
  now: number,
): { readonly named: readonly Key[]; readonly more: number } {
  const named = [...keys]
    .sort((a, b) => Number(usedLately(b, now)) - Number(usedLately(a, now)))
    .slice(0, maxNamed);
  return { named, more: keys.length - named.length };
}

/** Toast after a deletion: "3 keys deleted. 1 was gone already." */
export function deletedText(deleted: number, asked: number): string {
  const gone = asked - deleted;
  const rest = gone === 0 ? '' : ` ${gone} ${gone === 1 ? 'was' : 'were'} gone already.`;
  return `${deleted} ${deleted === 1 ? 'key' : 'keys'} deleted.${rest}`;
}
