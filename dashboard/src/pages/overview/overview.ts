import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { businessKey } from '../../api/business-key.ts';
import { answerOf, api } from '../../api/client.ts';
import type { components, operations } from '../../generated/dashboard-api.d.ts';
import { useBusiness } from '../../shell/business-context.ts';

/** A business at a glance. */
export type Overview = operations['getOverview']['responses']['200']['content']['application/json'];
export type Start = components['schemas']['Start'];
export type CallerUse = components['schemas']['CallerUse'];
export type LimitUse = components['schemas']['LimitUse'];
export type EndingKey = components['schemas']['EndingKey'];

/** Milliseconds between two looks while the business is just beginning: its first call should be seen to arrive. */
const watchEveryMs = 5_000;
/** Looks, then the page waits to be turned to: a page left open must not keep its session alive. */
const maxLooks = 60;

/** @param from milliseconds since 1970, as is `to` */
export function useOverview(from: number, to: number): UseQueryResult<Overview> {
  const { id: businessId } = useBusiness();
  const query = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  return useQuery({
    queryKey: businessKey(businessId, 'overview', query),
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/businesses/{businessId}/overview', { params: { path: { businessId }, query }, signal }),
      ),
    // The last range stays until the next one is there.
    placeholderData: (previous) => previous,
    refetchOnWindowFocus: true,
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data?.start.firstCall === false && dataUpdateCount < maxLooks ? watchEveryMs : false,
  });
}
