import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { businessKey } from '../../api/business-key.ts';
import { answerOf, api } from '../../api/client.ts';
import { sessionKey } from '../../api/session.ts';
import type { components } from '../../generated/dashboard-api.d.ts';
import { useBusiness } from '../../shell/business-context.ts';

type Schemas = components['schemas'];
export type BusinessRecord = Schemas['BusinessRecord'];
export type Verification = Schemas['Verification'];
export type Freeze = Schemas['Freeze'];
export type RecentCalls = Schemas['RecentCalls'];

/** The business as it is registered; without record and verification while those cannot be read. */
export function useBusinessRecord(): UseQueryResult<Schemas['Business']> {
  const { id: businessId } = useBusiness();
  return useQuery({
    queryKey: businessKey(businessId, 'record'),
    queryFn: ({ signal }) =>
      answerOf(api.GET('/businesses/{businessId}', { params: { path: { businessId } }, signal })),
    refetchOnWindowFocus: true,
  });
}

/** Whether requests are let in; null while they are. */
export function useFreeze(): UseQueryResult<Freeze | null> {
  const { id: businessId } = useBusiness();
  return useQuery({
    queryKey: businessKey(businessId, 'freeze'),
    queryFn: async ({ signal }) => {
      const params = { path: { businessId } };
      return (await answerOf(api.GET('/businesses/{businessId}/freeze', { params, signal }))).freeze;
    },
    refetchOnWindowFocus: true,
  });
}

/** How many requests came lately. Always asked anew: a decision hangs on it. */
export function useRecentCalls(enabled: boolean): UseQueryResult<RecentCalls> {
  const { id: businessId } = useBusiness();
  return useQuery({
    queryKey: businessKey(businessId, 'recent-calls'),
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/businesses/{businessId}/recent-calls', { params: { path: { businessId } }, signal }),
      ),
    staleTime: 0,
    enabled,
  });
}

/** Looks the business up again, after a change that every page shows. */
export function useRefreshBusiness(): () => Promise<unknown> {
  const { id: businessId } = useBusiness();
  const client = useQueryClient();
  return () =>
    Promise.all([
      client.invalidateQueries({ queryKey: sessionKey }),
      client.invalidateQueries({ queryKey: businessKey(businessId) }),
    ]);
}
