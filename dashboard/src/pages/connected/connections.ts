import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import { businessKey, usePages } from '../../api/queries.ts';
import type { components } from '../../generated/dashboard-api.d.ts';
import { useBusiness } from '../../shell/session-context.ts';

export type ConnectedApp = components['schemas']['ConnectedApp'];

/** Apps connected to the business, paginated. */
export function useConnectedApps(): UseInfiniteQueryResult<readonly ConnectedApp[]> {
  const { id: businessId } = useBusiness();
  return usePages(
    businessKey(businessId, 'connections'),
    (query, signal) =>
      unwrap(
        api.GET('/businesses/{businessId}/connections', { params: { path: { businessId }, query }, signal }),
      ),
    ({ connections }) => connections,
    { refetchOnWindowFocus: true },
  );
}

/** Publisher of an app: "By Shop (@shop)". */
export function publisherLabel({ publisher }: Pick<ConnectedApp, 'publisher'>): string {
  return publisher === null ? 'Publisher unavailable' : `By ${publisher.name} (@${publisher.username})`;
}

/** Milliseconds after approval in which unused permissions are normal. */
const gracePeriodMs = 7 * 86_400_000;

/**
 * Advice about permissions that an app does not use; undefined without any, or shortly after approval. `now` in ms since
 * 1970.
 */
export function unusedAdvice(
  { scopes, approvedAt }: Pick<ConnectedApp, 'scopes' | 'approvedAt'>,
  now: number,
): string | undefined {
  const unused = scopes.filter(({ used }) => !used).length;
  if (unused === 0 || now - Date.parse(approvedAt) < gracePeriodMs) return undefined;
  if (unused === scopes.length) {
    return 'This app has not used any of its permissions. Disconnect it if you do not need it.';
  }
  return 'Unused permissions are an unnecessary risk. Ask the publisher to request fewer.';
}
