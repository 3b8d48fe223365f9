import { shortenSecret } from '../../components/shorten-secret.ts';
import type { operations } from '../../generated/dashboard-api.d.ts';

type Query = NonNullable<operations['listApiKeys']['parameters']['query']>;

interface Option<Value> {
  readonly value: Value;
  readonly label: string;
}

export const types = [
  { value: 'secret', label: 'Secret' },
  { value: 'restricted', label: 'Restricted' },
] as const satisfies readonly Option<Query['keyType']>[];

export const statuses = [
  { value: 'active', label: 'Active' },
  { value: 'soon', label: 'Expiring soon' },
  { value: 'frozen', label: 'Frozen' },
  { value: 'expired', label: 'Expired' },
] as const satisfies readonly Option<Query['status']>[];

export const sorts = [
  { value: 'newest', label: 'Newest first' },
  { value: 'name', label: 'Name' },
  { value: 'last_used', label: 'Last used' },
  { value: 'expiry', label: 'First to expire' },
] as const satisfies readonly Option<Query['sort']>[];

/** Filter and order of the list; undefined matches everything. */
export interface KeyFilter {
  /** Part of a name or description, or the last four characters. */
  readonly text: string;
  readonly type: (typeof types)[number]['value'] | undefined;
  readonly status: (typeof statuses)[number]['value'] | undefined;
  readonly sort: (typeof sorts)[number]['value'];
}

/** Every key, newest first. */
export const everyKey: KeyFilter = { text: '', type: undefined, status: undefined, sort: 'newest' };

/** The filter in URL parameters; invalid ones are ignored. */
export function parseFilter(parameters: URLSearchParams): KeyFilter {
  const chosen = <Value extends string>(options: readonly Option<Value>[], name: string) =>
    options.find(({ value }) => value === parameters.get(name))?.value;
  return {
    text: parameters.get('search') ?? '',
    type: chosen(types, 'type'),
    status: chosen(statuses, 'status'),
    sort: chosen(sorts, 'sort') ?? everyKey.sort,
  };
}

/** URL parameters for `parseFilter`. */
export function serializeFilter({ text, type, status, sort }: KeyFilter): URLSearchParams {
  const given = {
    search: shortenSecret(text),
    type: type ?? '',
    status: status ?? '',
    sort: sort === 'newest' ? '' : sort,
  };
  return new URLSearchParams(Object.entries(given).filter(([, value]) => value !== ''));
}

/** The query of a request for the list. */
export function toQuery({ text, type, status, sort }: KeyFilter): Query {
  return {
    ...(text !== '' && { search: text }),
    ...(type !== undefined && { keyType: type }),
    ...(status !== undefined && { status }),
    ...(sort !== 'newest' && { sort }),
  };
}
