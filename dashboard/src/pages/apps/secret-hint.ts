import type { ClientSecret } from './applications.ts';

/** A client secret as far as it may be shown. */
export const secretHint = ({ lastFour }: ClientSecret): string => `cs_…${lastFour}`;

/** Milliseconds within which a secret counts as in use. */
const latelyMs = 7 * 86_400_000;

/** Whether a secret was used lately. `now` is milliseconds since 1970. */
export function wasUsedLately({ lastUsedAt }: ClientSecret, now: number): boolean {
  return lastUsedAt !== null && now - Date.parse(lastUsedAt) < latelyMs;
}
