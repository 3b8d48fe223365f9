import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrap } from '../../api/client.ts';
import { businessKey } from '../../api/queries.ts';
import type { Scope } from '../../api/session.ts';
import type { components } from '../../generated/dashboard-api.d.ts';
import { useBusiness } from '../../shell/session-context.ts';

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
}

/** The newest keys of the business. */
export function useApiKeys(): UseQueryResult<ApiKeyList> {
  const { id: businessId } = useBusiness();
  return useQuery({
    queryKey: businessKey(businessId, 'api-keys'),
    queryFn: ({ signal }) => fetchApiKeys(businessId, '', signal),
    refetchOnWindowFocus: true,
  });
}

/** The newest keys that a search finds, among those that the list has no place for, too. */
export function useFoundApiKeys(text: string, { enabled }: { readonly enabled: boolean }) {
  const { id: businessId } = useBusiness();
  const [search] = useDebouncedValue(text.trim(), searchAfterMs);
  return useQuery({
    queryKey: businessKey(businessId, 'api-keys', 'search', search),
    queryFn: ({ signal }) => fetchApiKeys(businessId, search, signal),
    enabled: enabled && search !== '',
    placeholderData: keepPreviousData,
    // A key may have been deleted since.
    staleTime: 0,
    gcTime: 0,
  });
}

function fetchApiKeys(businessId: string, search: string, signal: AbortSignal): Promise<ApiKeyList> {
  const params = { path: { businessId }, ...(search !== '' && { query: { search } }) };
  return unwrap(api.GET('/businesses/{businessId}/api-keys', { params, signal }));
}

/** One key. @param poll reloads it again and again, so that its first request appears */
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

/** The same in a dialog: absent until it is fetched after the opening, and kept while the page behind it polls. */
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

/** Scopes in a sentence: "orders:read or orders:write". */
export const listFormat = new Intl.ListFormat('en', { type: 'disjunction' });

/** Effect of removing scopes: "Requests that need orders:write will be refused (403)." */
export function scopeRemovalWarning(scopes: readonly string[]): string {
  return `Requests that need ${listFormat.format(scopes)} will be refused (403).`;
}

/** Name of an endpoint: "GET /v2/order/{id}". */
export function endpointName({ method, route }: BlastRadius['endpoints'][number]): string {
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
