import type { KeyType } from './settings.ts';

/**
 * Statuses that a list can be filtered by; `soon` for active keys that expire within `expiringSoonDays`, `frozen` for active
 * keys whose requests are refused.
 */
export const filteredStatuses = ['active', 'soon', 'frozen', 'expired'] as const;

/** Ways to sort a list. */
export const keySorts = ['newest', 'name', 'last_used', 'expiry'] as const;

/** Keys of a list, and their order; undefined matches everything. */
export interface KeyFilter {
  /** Part of the name, the description or the last four characters, in any case. */
  readonly text: string;
  readonly keyType?: KeyType | undefined;
  readonly status?: (typeof filteredStatuses)[number] | undefined;
  readonly sort?: (typeof keySorts)[number] | undefined;
}

/** Days before its expiration in which a key counts as expiring soon. */
export const expiringSoonDays = 14;

/** Most keys in one list. */
export const maxListed = 1_000;
