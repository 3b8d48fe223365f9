import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import { businessKey } from '../../api/queries.ts';
import type { Scope } from '../../api/session.ts';
import type { components } from '../../generated/dashboard-api.d.ts';
import { useBusiness } from '../../shell/session-context.ts';

type Schemas = components['schemas'];

/** A key as the list has it. */
export type ApiKey = Schemas['ApiKey'];

/** A key as its page has it. */
export type ApiKeyDetail = Schemas['ApiKeyDetail'];

export type ApiKeyType = Schemas['ApiKeyType'];

export type BlastRadius = Schemas['BlastRadius'];

/** Milliseconds between two looks at a key whose page is open. */
const pollIntervalMs = 10_000;

/** Looks, then the page waits to be turned to: a page left open must not keep its session alive. */
const maxPolls = 30;

/** The keys of the business. */
export function useApiKeys(): UseQueryResult<{
  readonly apiKeys: readonly ApiKey[];
  readonly complete: boolean;
}> {
  const { id: businessId } = useBusiness();
  return useQuery({
    queryKey: businessKey(businessId, 'api-keys'),
    queryFn: ({ signal }) =>
      unwrap(api.GET('/businesses/{businessId}/api-keys', { params: { path: { businessId } }, signal })),
    refetchOnWindowFocus: true,
  });
}

/** One key; `watch` looks again for a while, since its first request should be seen to arrive. */
export function useApiKey(apiKeyId: string, { watch: poll = false } = {}): UseQueryResult<ApiKeyDetail> {
  const { id: businessId } = useBusiness();
  return useQuery({
    queryKey: businessKey(businessId, 'api-keys', apiKeyId),
    queryFn: ({ signal }) => fetchApiKey(businessId, apiKeyId, signal),
    refetchOnWindowFocus: true,
    refetchInterval: ({ state }) => (poll && state.dataUpdateCount < maxPolls ? pollIntervalMs : false),
  });
}

/** One key as it is now. */
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

/** Who would notice when a key stopped working. Always asked anew: a decision hangs on it. `watch` as in `useApiKey`. */
export function useBlastRadius(
  apiKeyId: string,
  { enabled = true, watch = false } = {},
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
    refetchInterval: ({ state }) => (watch && state.dataUpdateCount < maxPolls ? pollIntervalMs : false),
  });
}

/** Looks everything about keys up again, after a change. */
export function useRefreshApiKeys(): () => Promise<void> {
  const { id } = useBusiness();
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: businessKey(id, 'api-keys') });
}

const listFormat = new Intl.ListFormat('en', { type: 'disjunction' });

/** What taking scopes away does: "Requests that need orders:write will be refused (403)." */
export function scopeRemovalWarning(scopes: readonly string[]): string {
  return `Requests that need ${listFormat.format(scopes)} will be refused (403).`;
}

/** An endpoint in words: "GET /v2/order/{id}". */
export function endpointName({ method, route }: BlastRadius['endpoints'][number]): string {
  if (route === null) return 'other endpoints';
  if (route === 'none') return 'paths that do not exist';
  return method === null ? `${route}, by a method that it does not have` : `${method} ${route}`;
}

/** Scopes of a key that requests really used. */
export function usedScopes({ scopeUses }: Pick<ApiKeyDetail, 'scopeUses'>): readonly Scope[] {
  return scopeUses.filter(({ lastUsedAt }) => lastUsedAt !== null).map(({ scope }) => scope);
}

/** Scopes that a key could do without. None before it was used at all, since nothing is known then. */
export function unusedScopes(key: Pick<ApiKeyDetail, 'scopeUses'>): readonly Scope[] {
  const unused = key.scopeUses.filter(({ lastUsedAt }) => lastUsedAt === null).map(({ scope }) => scope);
  return unused.length === key.scopeUses.length ? [] : unused;
}
