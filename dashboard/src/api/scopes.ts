import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { components } from '../generated/dashboard-api.d.ts';
import { answerOf, api } from './client.ts';

/** A permission. */
export type Scope = components['schemas']['Scope'];
/** A permission and what it allows, in plain words. */
export type ScopeWords = components['schemas']['ScopeWords'];

/** Every scope there is. They change with a new version of the server only. */
export function useScopes(): UseQueryResult<readonly ScopeWords[]> {
  return useQuery({
    queryKey: ['scopes'],
    queryFn: async ({ signal }) => (await answerOf(api.GET('/scopes', { signal }))).scopes,
    staleTime: Number.POSITIVE_INFINITY,
  });
}
