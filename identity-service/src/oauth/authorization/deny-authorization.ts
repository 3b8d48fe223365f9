import type { AuthorizationStore } from './authorization-store.ts';

/** Notes that a consent was denied. False when it had been answered before. */
export function denyAuthorization(
  { store }: { readonly store: AuthorizationStore },
  consentId: string,
): Promise<boolean> {
  return store.inTransaction((transaction) => transaction.answerConsent(consentId));
}
