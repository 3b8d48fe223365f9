import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { businessKey } from '../../api/business-key.ts';
import { answerOf, api } from '../../api/client.ts';
import { usePages } from '../../api/use-pages.ts';
import type { components } from '../../generated/dashboard-api.d.ts';
import { useBusiness } from '../../shell/business-context.ts';

/** An app that may act for the business. */
export type ConnectedApp = components['schemas']['ConnectedApp'];

/** What may act for the business, page by page. */
export function useConnectedApps(): UseInfiniteQueryResult<readonly ConnectedApp[]> {
  const { id: businessId } = useBusiness();
  return usePages(
    businessKey(businessId, 'connections'),
    (query, signal) =>
      answerOf(
        api.GET('/businesses/{businessId}/connections', { params: { path: { businessId }, query }, signal }),
      ),
    ({ connections }) => connections,
    { refetchOnWindowFocus: true },
  );
}
