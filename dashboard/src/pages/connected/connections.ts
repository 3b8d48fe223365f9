import { type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import { businessKey } from '../../api/business-key.ts';
import { answerOf, api } from '../../api/client.ts';
import type { components } from '../../generated/dashboard-api.d.ts';
import { useBusiness } from '../../shell/business-context.ts';

/** An app that may act for the business. */
export type ConnectedApp = components['schemas']['ConnectedApp'];

/** What may act for the business, page by page. */
export function useConnectedApps(): UseInfiniteQueryResult<readonly ConnectedApp[]> {
  const { id: businessId } = useBusiness();
  return useInfiniteQuery({
    queryKey: businessKey(businessId, 'connections'),
    queryFn: ({ pageParam, signal }) =>
      answerOf(
        api.GET('/businesses/{businessId}/connections', {
          params: { path: { businessId }, query: pageParam === undefined ? {} : { cursor: pageParam } },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    select: ({ pages }) => pages.flatMap(({ connections }) => connections),
    refetchOnWindowFocus: true,
  });
}
