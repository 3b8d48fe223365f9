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
import { type AuditFilter, queryOf } from './audit-filter.ts';

type Schemas = components['schemas'];
export type AuditEvent = Schemas['AuditEvent'];
export type AuditActor = Schemas['AuditActor'];
export type AuditPage = operations['listAuditEvents']['responses']['200']['content']['application/json'];

/** What was done in the business, newest first, page by page. */
export function useAuditLog(filter: AuditFilter): UseInfiniteQueryResult<InfiniteData<AuditPage>> {
  const { id: businessId } = useBusiness();
  return useInfiniteQuery({
    queryKey: businessKey(businessId, 'audit', filter),
    queryFn: ({ signal, pageParam }) => {
      const query = { ...queryOf(filter), ...(pageParam !== '' && { cursor: pageParam }) };
      return answerOf(
        api.GET('/businesses/{businessId}/audit-events', { params: { path: { businessId }, query }, signal }),
      );
    },
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    staleTime: 0,
  });
}

/** Who did something of late. */
export function useAuditActors(): UseQueryResult<readonly AuditActor[]> {
  const { id: businessId } = useBusiness();
  return useQuery({
    queryKey: businessKey(businessId, 'audit-actors'),
    queryFn: async ({ signal }) => {
      const params = { path: { businessId } };
      return (await answerOf(api.GET('/businesses/{businessId}/audit-events/actors', { params, signal })))
        .actors;
    },
  });
}
