import type { ApiKey, ApiKeyType } from './api.ts';

/** Milliseconds before expiration in which a key counts as expiring soon. */
const expiringSoonMs = 14 * 86_400_000;

/** Whether an active key expires within 14 days. `now` in ms since 1970. */
export function expiresSoon(
  key: { readonly status: 'active' | 'expired'; readonly expiresAt: string | null },
  now: number,
): boolean {
  return (
    key.status === 'active' && key.expiresAt !== null && Date.parse(key.expiresAt) - now < expiringSoonMs
  );
}

/** Filter of the list; undefined matches everything. */
export interface KeyFilter {
  /** Part of a name or description, or the last four characters. */
  readonly text: string;
  readonly type: ApiKeyType | undefined;
  readonly status: 'active' | 'soon' | 'expired' | undefined;
}

/** The keys that match a filter, in their order. */
export function filterKeys(keys: readonly ApiKey[], filter: KeyFilter, now: number): readonly ApiKey[] {
  const { type, status } = filter;
  const text = filter.text.trim().toLowerCase();
  return keys.filter(
    (key) =>
      (type === undefined || key.keyType === type) &&
      (status === undefined || (status === 'soon' ? expiresSoon(key, now) : key.status === status)) &&
      [key.name, key.description, key.lastFour].some((part) => part.toLowerCase().includes(text)),
  );
}

/** The filter in URL parameters; invalid ones are ignored. */
export function parseFilter(parameters: URLSearchParams): KeyFilter {
  const type = parameters.get('type');
  const status = parameters.get('status');
  return {
    text: parameters.get('search') ?? '',
    type: type === 'secret' || type === 'restricted' ? type : undefined,
    status: status === 'active' || status === 'soon' || status === 'expired' ? status : undefined,
  };
}

/** URL parameters for `parseFilter`. */
export function serializeFilter({ text, type, status }: KeyFilter): URLSearchParams {
  const given = { search: text, type: type ?? '', status: status ?? '' };
  return new URLSearchParams(Object.entries(given).filter(([, value]) => value !== ''));
}
