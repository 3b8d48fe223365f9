import {
  type InfiniteData,
  type UseInfiniteQueryResult,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
} from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import { businessKey, usePages } from '../../api/queries.ts';
import type { Propagation } from '../../components/toast.tsx';
import type { components } from '../../generated/dashboard-api.d.ts';
import { useBusiness } from '../../shell/session-context.ts';
import { useApplicationCache } from '../apps/api.ts';
import { useRefreshApiKeys } from '../keys/api.ts';
import { type RequestFilter, toQuery } from './filter.ts';
import { addNewest, type RequestPage } from './log.ts';
import { toClosedRange } from './time-filter.ts';

type Schemas = components['schemas'];

export type ApiRequestDetail = Schemas['ApiRequestDetail'];

export type RequestCheck = Schemas['RequestCheck'];

export type RequestGroup = Schemas['RequestGroup'];

export type RouteDurations = Schemas['RouteDurations'];

const listKey = (businessId: string, filter: RequestFilter) =>
  businessKey(businessId, 'requests', 'list', filter);

function fetchPage(
  businessId: string,
  filter: RequestFilter,
  page: { readonly cursor?: string },
  signal: AbortSignal,
): Promise<RequestPage> {
  const params = { path: { businessId }, query: { ...toQuery(filter, Date.now()), ...page } };
  return unwrap(api.GET('/businesses/{businessId}/requests', { params, signal }));
}

/** The loaded pages of the list, newest first. */
export function useRequests(filter: RequestFilter): UseInfiniteQueryResult<readonly RequestPage[]> {
  const { id: businessId } = useBusiness();
  return usePages(
    listKey(businessId, filter),
    (page, signal) => fetchPage(businessId, filter, page, signal),
    (page) => [page],
  );
}

/** Milliseconds between requests for the newest while the list is live. */
const liveMs = 2_000;

/** Adds the newest requests to the loaded list, by `refetch` or while it is live. Its data are the ids of the last that were added. */
export function useNewest(
  filter: RequestFilter,
  { isLive }: { readonly isLive: boolean },
): UseQueryResult<readonly string[]> {
  const { id: businessId } = useBusiness();
  return useQuery({
    queryKey: businessKey(businessId, 'requests', 'newest', filter),
    queryFn: async ({ client, queryKey, signal }): Promise<readonly string[]> => {
      const newest = await fetchPage(businessId, filter, {}, signal);
      const key = listKey(businessId, filter);
      const known = client.getQueryData<InfiniteData<RequestPage, string>>(key);
      const { pages, added } = addNewest(known?.pages ?? [], newest);
      client.setQueryData(key, {
        pages,
        pageParams: ['', ...(known?.pageParams ?? [])].slice(0, pages.length),
      });
      return added.length > 0 ? added : (client.getQueryData<readonly string[]>(queryKey) ?? []);
    },
    enabled: isLive,
    refetchInterval: liveMs,
    staleTime: 0,
    gcTime: 0,
  });
}

/** Failed requests by reason, endpoint and credential. */
export function useRequestGroups(filter: RequestFilter): UseQueryResult<readonly RequestGroup[]> {
  const { id: businessId } = useBusiness();
  return useQuery({
    queryKey: businessKey(businessId, 'requests', 'groups', filter),
    queryFn: async ({ signal }) => {
      const params = { path: { businessId }, query: closedQuery(filter) };
      return (await unwrap(api.GET('/businesses/{businessId}/request-groups', { params, signal }))).groups;
    },
  });
}

/** Reasons of the filter. They change only with a deployment. */
export function useReasons(): UseQueryResult<readonly Schemas['ReasonWords'][]> {
  return useQuery({
    queryKey: ['request-reasons'],
    queryFn: async ({ signal }) => (await unwrap(api.GET('/request-reasons', { signal }))).reasons,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Durations by endpoint. */
export function useDurations(filter: RequestFilter): UseQueryResult<readonly RouteDurations[]> {
  const { id: businessId } = useBusiness();
  return useQuery({
    queryKey: businessKey(businessId, 'requests', 'durations', filter),
    queryFn: async ({ signal }) => {
      const params = { path: { businessId }, query: closedQuery(filter) };
      const { durations } = await unwrap(
        api.GET('/businesses/{businessId}/request-durations', { params, signal }),
      );
      return durations;
    },
  });
}

/** Query parameters of what is summed over a time. */
export function closedQuery(filter: RequestFilter) {
  const now = Date.now();
  return { ...toQuery(filter, now), ...toClosedRange(filter, now) };
}

/** One request by its X-Request-Id. @param isAwaited asks until it is recorded */
export function useRequest(requestId: string, { isAwaited = false } = {}): UseQueryResult<ApiRequestDetail> {
  const { id: businessId } = useBusiness();
  return useQuery({
    queryKey: businessKey(businessId, 'requests', 'one', requestId),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/businesses/{businessId}/requests/{requestId}', {
          params: { path: { businessId, requestId } },
          signal,
        }),
      ),
    enabled: requestId !== '',
    refetchInterval: ({ state: { data, errorUpdateCount } }) =>
      isAwaited && data === undefined && errorUpdateCount < maxAsked && askedMs,
  });
}

/** Milliseconds between questions for a request that is not recorded yet, and their number. */
const askedMs = 1_000;
const maxAsked = 20;

/** Adds an address that was refused to the whitelist of an API key or an own app. */
export function useAllowAddress({
  kind,
  id,
  address,
}: NonNullable<Schemas['MissingAddress']>): UseMutationResult<Propagation, Error, void> {
  const { id: businessId } = useBusiness();
  const { store } = useApplicationCache(id);
  const refreshKeys = useRefreshApiKeys();
  return useMutation({
    mutationFn: async () => {
      const body = { address };
      if (kind === 'api_key') {
        const params = { path: { businessId, apiKeyId: id } };
        const path = '/businesses/{businessId}/api-keys/{apiKeyId}/whitelist';
        const { propagation } = await unwrap(api.POST(path, { params, body }));
        void refreshKeys();
        return propagation;
      }
      const params = { path: { businessId, applicationId: id } };
      const { application, propagation } = await unwrap(
        api.POST('/businesses/{businessId}/applications/{applicationId}/whitelist', { params, body }),
      );
      store(application);
      return propagation;
    },
  });
}
