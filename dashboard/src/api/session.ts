import { notifyManager, type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import type { components } from '../generated/dashboard-api.d.ts';
import { api, setCsrfToken, unwrap } from './client.ts';
import { sessionKey } from './queries.ts';

/** The logged-in person and their businesses. */
export type Session = components['schemas']['Session'];

/** A business of the logged-in person. */
export type OwnBusiness = Session['businesses'][number];

let personId: string | undefined;

/**
 * Reloads the page when another person has logged in in this browser, because its content belongs to the first person.
 * @throws Error so that the page adopts neither the session nor its CSRF token, even if the reload is cancelled
 */
function checkSamePerson({ person: { id } }: Session): void {
  personId ??= id;
  if (id === personId) return;
  location.reload();
  throw new Error('another person has logged in');
}

/** The session, reloaded on window focus: it may have ended, or belong to another login by then. */
export function useSessionQuery(): UseQueryResult<Session> {
  return useQuery({
    queryKey: sessionKey,
    queryFn: async ({ signal }) => {
      const session = await unwrap(api.GET('/session', { signal }));
      checkSamePerson(session);
      setCsrfToken(session.csrfToken);
      return { ...session, businesses: session.businesses.map(withName) };
    },
    staleTime: 5_000,
    refetchOnWindowFocus: true,
  });
}

/** Substitutes the name, which is empty while business-service is unavailable. */
function withName(business: OwnBusiness): OwnBusiness {
  return business.name === '' ? { ...business, name: `Business ${business.id}` } : business;
}

export type Scope = components['schemas']['Scope'];

/** A permission with its description. */
type ScopeWords = components['schemas']['ScopeWords'];

/** All permissions of the API. They change only with a deployment. */
export function useScopes(): UseQueryResult<readonly ScopeWords[]> {
  return useQuery({
    queryKey: ['scopes'],
    queryFn: async ({ signal }) => (await unwrap(api.GET('/scopes', { signal }))).scopes,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** A type of event of a service of the operator's. */
export type OwnEvent = components['schemas']['OwnEvent'];

const noEvents: readonly OwnEvent[] = [];

/** All types of events of the operator's services. They change only with a deployment. */
export function useOwnEventsQuery(): UseQueryResult<readonly OwnEvent[]> {
  return useQuery({
    queryKey: ['own-events'],
    queryFn: async ({ signal }) => (await unwrap(api.GET('/own-events', { signal }))).events,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The same; none until they are known. */
export const useOwnEvents = (): readonly OwnEvent[] => useOwnEventsQuery().data ?? noEvents;

/** Those of these permissions that the API has no longer; none until it is known. */
export function useGoneScopes(scopes: readonly Scope[]): readonly Scope[] {
  const { data } = useScopes();
  if (data === undefined) return [];
  return scopes.filter((scope) => data.every((known) => known.scope !== scope));
}

/** Leads to the start page after the person has lost access to a business. */
export function useForgetBusiness(): (businessId: string) => void {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  return (businessId) => {
    // In one batch: in between, this page would show "Business not found", or the start page redirect back here.
    notifyManager.batch(() => {
      client.setQueryData<Session>(
        sessionKey,
        (session) =>
          session && { ...session, businesses: session.businesses.filter(({ id }) => id !== businessId) },
      );
      notifyManager.schedule(() => navigate('~/dashboard'));
    });
    void client.invalidateQueries({ queryKey: sessionKey });
  };
}
