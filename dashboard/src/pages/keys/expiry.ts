/** Milliseconds before its end in which a key stands out. */
export const soonMs = 14 * 86_400_000;

/** Whether an active key ends soon. `now` is milliseconds since 1970. */
export function expiresSoon(
  key: { readonly status: 'active' | 'expired'; readonly expiresAt: string | null },
  now: number,
): boolean {
  return key.status === 'active' && key.expiresAt !== null && Date.parse(key.expiresAt) - now < soonMs;
}
