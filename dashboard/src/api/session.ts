import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { components } from '../generated/dashboard-api.d.ts';
import { api, setCsrfToken, unwrap } from './client.ts';
import { sessionKey } from './queries.ts';

/** Who is logged in, and the businesses they belong to. */
export type Session = components['schemas']['Session'];

/** A business of the person who is logged in. */
export type OwnBusiness = Session['businesses'][number];

/** The session, looked up again whenever the window is turned to: it may have ended, or be another's. */
export function useSessionQuery(): UseQueryResult<Session> {
  return useQuery({
    queryKey: sessionKey,
    queryFn: async ({ signal }) => {
      const session = await unwrap(api.GET('/session', { signal }));
      setCsrfToken(session.csrfToken);
      return { ...session, businesses: session.businesses.map(withName) };
    },
    staleTime: 5_000,
    refetchOnWindowFocus: true,
  });
}

/** Its name is not known while business-service does not answer. */
function withName(business: OwnBusiness): OwnBusiness {
  return business.name === '' ? { ...business, name: `Business ${business.id}` } : business;
}

/** A permission. */
export type Scope = components['schemas']['Scope'];

/** A permission and what it allows, in plain words. */
type ScopeWords = components['schemas']['ScopeWords'];

/** Every scope there is. They change with a new version of the server only. */
export function useScopes(): UseQueryResult<readonly ScopeWords[]> {
  return useQuery({
    queryKey: ['scopes'],
    queryFn: async ({ signal }) => (await unwrap(api.GET('/scopes', { signal }))).scopes,
    staleTime: Number.POSITIVE_INFINITY,
  });
}
