import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import { useOldStrings } from '../../api/old-strings.ts';
import { businessKey } from '../../api/queries.ts';
import type { components } from '../../generated/dashboard-api.d.ts';
import { useBusiness } from '../../shell/session-context.ts';
import { type ApiKey, fetchApiKey, useApiKeys } from '../keys/api.ts';
import { everyKey } from '../keys/key-filter.ts';

type Schemas = components['schemas'];

/** Connections of a business from a page on. */
async function fetchConnections(
  businessId: string,
  signal: AbortSignal,
  cursor?: string,
): Promise<readonly Schemas['ConnectedApp'][]> {
  const params = { path: { businessId }, query: cursor === undefined ? {} : { cursor } };
  const page = await unwrap(api.GET('/businesses/{businessId}/connections', { params, signal }));
  if (page.nextCursor === null) return page.connections;
  return [...page.connections, ...(await fetchConnections(businessId, signal, page.nextCursor))];
}

interface Option {
  readonly value: string;
  readonly label: string;
}

const keyOption = ({ id, name, lastFour }: Pick<ApiKey, 'id' | 'name' | 'lastFour'>): Option => ({
  value: id,
  label: `${name} (…${lastFour})`,
});

/**
 * API keys (those that a search finds if there are many), connected apps and own apps, and those that are gone: a selected one,
 * and any that are still called.
 */
export function useCredentialOptions(
  selected: string | undefined,
  search: string,
): readonly { readonly group: string; readonly items: Option[] }[] {
  const { id: businessId } = useBusiness();
  const { data } = useQuery({
    queryKey: businessKey(businessId, 'requests', 'credentials'),
    queryFn: async ({ signal }) => {
      const params = { path: { businessId } };
      const [{ apiKeys, complete }, connections, { applications }] = await Promise.all([
        unwrap(api.GET('/businesses/{businessId}/api-keys', { params, signal })),
        fetchConnections(businessId, signal),
        unwrap(api.GET('/businesses/{businessId}/applications', { params, signal })),
      ]);
      return {
        complete,
        own: applications.map(({ id, name }) => ({ value: id, label: name })),
        keys: apiKeys.map(keyOption),
        apps: connections.map(({ id, application }) => ({ value: id, label: application.name })),
      };
    },
  });
  const { keys: newest = [], complete = true, apps = [], own = [] } = data ?? {};
  const isSearched = !complete && search.trim() !== '';
  const { query } = useApiKeys({ ...everyKey, text: search }, { enabled: isSearched });
  const found = query.data?.apiKeys.map(keyOption) ?? [];
  const keys = [...new Map([...newest, ...found].map((option) => [option.value, option])).values()];
  const ended = useOldStrings().data?.filter(({ caller }) => !caller.exists) ?? [];
  const names = ended.map(({ limitId, caller }) => ({ value: limitId, label: caller.name ?? limitId }));
  const gone = [...new Map(names.map((option) => [option.value, option])).values()];
  const isListed = [...keys, ...apps, ...own, ...gone].some(({ value }) => value === selected);
  const older = useOlderKey(selected, { enabled: data !== undefined && !complete && !isListed });
  if (older.data !== undefined) keys.push(keyOption(older.data));
  const isGone = data !== undefined && !isListed && older.data === undefined && !older.isFetching;
  const removed = selected === undefined || !isGone ? gone : [...gone, { value: selected, label: selected }];
  return [
    { group: 'API keys', items: bestFirst(keys, search.trim().toLowerCase()) },
    { group: 'Connected apps', items: apps },
    { group: 'OAuth requests of your apps', items: own },
    { group: 'No longer exists', items: removed },
  ].filter(({ items }) => items.length > 0);
}

/** Names that are the search, then those that begin with it: the list that a person sees ends at some number. */
function bestFirst(options: readonly Option[], search: string): Option[] {
  const rankOf = ({ label }: Option) => {
    const name = label.toLowerCase();
    return name.startsWith(`${search} (…`) ? 0 : name.startsWith(search) ? 1 : 2;
  };
  return search === '' ? [...options] : options.toSorted((a, b) => rankOf(a) - rankOf(b));
}

/** A selected key that is not among the newest. */
function useOlderKey(selected: string | undefined, { enabled }: { readonly enabled: boolean }) {
  const { id: businessId } = useBusiness();
  const isKey = selected?.startsWith('key_') ?? false;
  return useQuery({
    queryKey: businessKey(businessId, 'api-keys', selected),
    queryFn: ({ signal }) => fetchApiKey(businessId, selected ?? '', signal),
    enabled: enabled && isKey,
  });
}
