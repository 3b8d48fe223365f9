import { type UseInfiniteQueryResult, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { businessKey } from '../../api/business-key.ts';
import { answerOf, api } from '../../api/client.ts';
import { usePages } from '../../api/use-pages.ts';
import type { components } from '../../generated/dashboard-api.d.ts';
import { useBusiness } from '../../shell/business-context.ts';
import { type AuditFilter, queryOf } from './audit-filter.ts';

type Schemas = components['schemas'];
export type AuditEvent = Schemas['AuditEvent'];
export type AuditActor = Schemas['AuditActor'];

/** What was done in the business, newest first, page by page. */
export function useAuditLog(filter: AuditFilter): UseInfiniteQueryResult<readonly AuditEvent[]> {
  const { id: businessId } = useBusiness();
  return usePages(
    businessKey(businessId, 'audit', filter),
    (page, signal) => {
      const params = { path: { businessId }, query: { ...queryOf(filter), ...page } };
      return answerOf(api.GET('/businesses/{businessId}/audit-events', { params, signal }));
    },
    ({ events }) => events,
  );
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
