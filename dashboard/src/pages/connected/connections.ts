import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import { businessKey, usePages } from '../../api/queries.ts';
import type { components } from '../../generated/dashboard-api.d.ts';
import { useBusiness } from '../../shell/session-context.ts';

/** An app that may act for the business. */
export type ConnectedApp = components['schemas']['ConnectedApp'];

/** What may act for the business, page by page. */
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

/** Who is behind an app, in words. */
export function publisherLabel({ publisher }: Pick<ConnectedApp, 'publisher'>): string {
  return publisher === null ? 'Publisher not known now' : `By ${publisher.name} (@${publisher.username})`;
}

/** Milliseconds in which an app may well not have done everything yet. */
const gracePeriodMs = 7 * 86_400_000;

/**
 * What to do about permissions that an app holds and never uses; undefined when there are none, or when it is too early
 * to say. `now` is milliseconds since 1970.
 */
export function unusedAdvice(
  { scopes, approvedAt }: Pick<ConnectedApp, 'scopes' | 'approvedAt'>,
  now: number,
): string | undefined {
  const unused = scopes.filter(({ used }) => !used).length;
  if (unused === 0 || now - Date.parse(approvedAt) < gracePeriodMs) return undefined;
  if (unused === scopes.length) {
    return 'This app has not used any of its permissions. If nobody needs it, disconnect it.';
  }
  return 'Permissions that are never used are only a risk. Ask the publisher to request less.';
}
