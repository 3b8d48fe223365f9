import {
  type InfiniteData,
  type UseInfiniteQueryResult,
  type UseQueryResult,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query';
import { businessKey } from '../../api/business-key.ts';
import { answerOf, api } from '../../api/client.ts';
import type { components, operations } from '../../generated/dashboard-api.d.ts';
import { useBusiness } from '../../shell/business-context.ts';
import { queryOf, type RequestFilter } from './request-filter.ts';

type Schemas = components['schemas'];
export type ApiRequest = Schemas['ApiRequest'];
export type ApiRequestDetail = Schemas['ApiRequestDetail'];
export type RequestCheck = Schemas['RequestCheck'];
export type RequestPage = operations['listRequests']['responses']['200']['content']['application/json'];

/** Refused and failed requests, newest first, page by page. */
export function useRequests(filter: RequestFilter): UseInfiniteQueryResult<InfiniteData<RequestPage>> {
  const { id: businessId } = useBusiness();
  return useInfiniteQuery({
    queryKey: businessKey(businessId, 'requests', filter),
    queryFn: ({ signal, pageParam }) => {
      const query = { ...queryOf(filter), ...(pageParam !== '' && { cursor: pageParam }) };
      return answerOf(
        api.GET('/businesses/{businessId}/requests', { params: { path: { businessId }, query }, signal }),
      );
    },
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    staleTime: 0,
  });
}

/** One request by its X-Request-Id. */
export function useRequest(requestId: string): UseQueryResult<ApiRequestDetail> {
  const { id: businessId } = useBusiness();
  return useQuery({
    queryKey: businessKey(businessId, 'requests', 'one', requestId),
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/businesses/{businessId}/requests/{requestId}', {
          params: { path: { businessId, requestId } },
          signal,
        }),
      ),
  });
}
