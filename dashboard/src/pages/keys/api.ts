import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrap } from '../../api/client.ts';
import { businessKey } from '../../api/queries.ts';
import type { Scope } from '../../api/session.ts';
import type { components } from '../../generated/dashboard-api.d.ts';
import { useBusiness } from '../../shell/session-context.ts';
import { type KeyFilter, toQuery } from './key-filter.ts';

type Schemas = components['schemas'];

/** An API key in the list. */
export type ApiKey = Schemas['ApiKey'];

/** An API key with the details of its page. */
export type ApiKeyDetail = Schemas['ApiKeyDetail'];

export type ApiKeyType = Schemas['ApiKeyType'];

export type BlastRadius = Schemas['BlastRadius'];

/** Milliseconds between polls of an open key page. */
const pollIntervalMs = 10_000;

/** Milliseconds after the last letter until a search is sent. */
const searchAfterMs = 250;

interface ApiKeyList {
  readonly apiKeys: readonly ApiKey[];
  /** False when there are more. */
  readonly complete: boolean;
  /** Whether these are some of the keys only, chosen by a filter. */
  readonly isFiltered: boolean;
}

/** The keys of the business that match a filter. Keeps those of the previous filter while the person types and they load. */
export function useApiKeys(
  filter: KeyFilter,
  { enabled = true } = {},
): { readonly query: UseQueryResult<ApiKeyList>; readonly isSearching: boolean } {
  const { id: businessId } = useBusiness();
  const text = filter.text.trim();
  const [search] = useDebouncedValue(text, searchAfterMs);
  const wanted = { ...filter, text: search };
  const query = useQuery({
    queryKey: businessKey(businessId, 'api-keys', 'list', wanted),
    queryFn: ({ signal }) => fetchApiKeys(businessId, wanted, signal),
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: true,
    enabled,
  });
  return { query, isSearching: query.isPlaceholderData || search !== text };
}

async function fetchApiKeys(businessId: string, filter: KeyFilter, signal: AbortSignal): Promise<ApiKeyList> {
  const params = { path: { businessId }, query: toQuery(filter) };
  const list = await unwrap(api.GET('/businesses/{businessId}/api-keys', { params, signal }));
  const { sort, ...conditions } = filter;
  return { ...list, isFiltered: Object.values(conditions).some((value) => value) };
}

/** One key. @param poll reloads it periodically, so that its first request appears */
export function useApiKey(apiKeyId: string, { poll = false } = {}): UseQueryResult<ApiKeyDetail> {
  const { id: businessId } = useBusiness();
  return useQuery({
    queryKey: businessKey(businessId, 'api-keys', apiKeyId),
    queryFn: ({ signal }) => fetchApiKey(businessId, apiKeyId, signal),
    refetchOnWindowFocus: true,
    refetchInterval: poll && pollIntervalMs,
  });
}

/** Fetches one key, bypassing the cache. */
export function fetchApiKey(
  businessId: string,
  apiKeyId: string,
  signal?: AbortSignal,
): Promise<ApiKeyDetail> {
  const path = { businessId, apiKeyId };
  return unwrap(
    api.GET('/businesses/{businessId}/api-keys/{apiKeyId}', {
      params: { path },
      ...(signal !== undefined && { signal }),
    }),
  );
}

/** Recent use of a key: what would break without it. Never served from the cache, since a decision depends on it. */
export function useBlastRadius(
  apiKeyId: string,
  { enabled = true, poll = false } = {},
): UseQueryResult<BlastRadius> {
  const { id: businessId } = useBusiness();
  return useQuery({
    queryKey: businessKey(businessId, 'api-keys', apiKeyId, 'blast-radius'),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/businesses/{businessId}/api-keys/{apiKeyId}/blast-radius', {
          params: { path: { businessId, apiKeyId } },
          signal,
        }),
      ),
    staleTime: 0,
    enabled,
    refetchOnWindowFocus: poll,
    refetchInterval: poll && pollIntervalMs,
  });
}

/** The same in a dialog: absent until it is fetched after opening, then kept while the page behind the dialog polls. */
export function useBlastRadiusInDialog(
  apiKeyId: string,
  { opened }: { readonly opened: boolean },
): Pick<UseQueryResult<BlastRadius>, 'data' | 'error' | 'refetch'> {
  const { data, error, isFetching, refetch } = useBlastRadius(apiKeyId, { enabled: opened });
  const [wasFetched, setFetched] = useState(false);
  const isFetched = opened && (wasFetched || !isFetching);
  if (isFetched !== wasFetched) setFetched(isFetched);
  return isFetched ? { data, error, refetch } : { data: undefined, error: null, refetch };
}

/** Reloads all keys after a change. */
export function useRefreshApiKeys(): () => Promise<void> {
  const { id } = useBusiness();
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: businessKey(id, 'api-keys') });
}

/** Reloads the lists of keys alone. */
export function useRefreshKeyList(): () => Promise<void> {
  const { id } = useBusiness();
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: businessKey(id, 'api-keys', 'list') });
}

/** Scopes in a sentence: "orders:read or orders:write". */
export const listFormat = new Intl.ListFormat('en', { type: 'disjunction' });

/** Effect of removing scopes: "Requests that need orders:write will be refused (403)." */
export function scopeRemovalWarning(scopes: readonly string[]): string {
  return `Requests that need ${listFormat.format(scopes)} will be refused (403).`;
}

/** Name of an endpoint: "GET /v2/order/{id}". */
export function endpointName({
  method,
  route,
}: Pick<BlastRadius['endpoints'][number], 'method' | 'route'>): string {
  if (route === null) return 'other endpoints';
  if (route === 'none') return 'unknown paths';
  return method === null ? `${route} with an unsupported method` : `${method} ${route}`;
}

/** Scopes that requests of the key have used. */
export function usedScopes({ scopeUses }: Pick<ApiKeyDetail, 'scopeUses'>): readonly Scope[] {
  return scopeUses.filter(({ lastUsedAt }) => lastUsedAt !== null).map(({ scope }) => scope);
}

/** Scopes the key has not used; none before its first use. */
export function unusedScopes(key: Pick<ApiKeyDetail, 'scopeUses'>): readonly Scope[] {
  const unused = key.scopeUses.filter(({ lastUsedAt }) => lastUsedAt === null).map(({ scope }) => scope);
  return unused.length === key.scopeUses.length ? [] : unused;
}
