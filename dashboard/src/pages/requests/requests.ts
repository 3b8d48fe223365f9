import { type UseInfiniteQueryResult, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { businessKey } from '../../api/business-key.ts';
import { answerOf, api } from '../../api/client.ts';
import { usePages } from '../../api/use-pages.ts';
import type { components } from '../../generated/dashboard-api.d.ts';
import { useBusiness } from '../../shell/business-context.ts';
import { queryOf, type RequestFilter } from './request-filter.ts';

type Schemas = components['schemas'];
export type ApiRequest = Schemas['ApiRequest'];
export type ApiRequestDetail = Schemas['ApiRequestDetail'];
export type RequestCheck = Schemas['RequestCheck'];

/** Refused and failed requests, newest first, page by page. */
export function useRequests(filter: RequestFilter): UseInfiniteQueryResult<readonly ApiRequest[]> {
  const { id: businessId } = useBusiness();
  return usePages(
    businessKey(businessId, 'requests', filter),
    (page, signal) => {
      const params = { path: { businessId }, query: { ...queryOf(filter), ...page } };
      return answerOf(api.GET('/businesses/{businessId}/requests', { params, signal }));
    },
    ({ requests }) => requests,
  );
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
