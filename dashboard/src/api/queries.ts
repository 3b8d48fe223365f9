import {
  MutationCache,
  QueryCache,
  QueryClient,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
} from '@tanstack/react-query';
import { ApiError } from './errors.ts';

/** Milliseconds for which a response is served from the cache. */
const staleTimeMs = 30_000;

/** Retries of a failed query, with growing delays. */
const maxRetries = 2;

/** Reasons of refusals after a person has lost rights. They reload the session, so that the pages show the new state. */
const lostRights = ['second_factor_required', 'not_owner', 'not_developer'];

function onError(error: Error): void {
  if (!(error instanceof ApiError) || !lostRights.includes(error.reason ?? '')) return;
  void queryClient.invalidateQueries({ queryKey: sessionKey });
}

/** Retries queries after transient errors; never retries mutations. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: staleTimeMs,
      retry: (count, error) => count < maxRetries && error instanceof ApiError && error.isTransient,
      retryDelay: (count) => 500 * 2 ** count,
      refetchOnWindowFocus: false,
      // navigator.onLine is unreliable; the request shows whether there is a network.
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

/** Key of the session. Invalidate it after changes that every page shows: freeze, verification, membership. */
export const sessionKey = ['session'] as const;

/**
 * Key of a query about a business: `businessKey(id, 'api-keys', keyId)`. Invalidate by prefix:
 * `queryClient.invalidateQueries({ queryKey: businessKey(id, 'api-keys') })`.
 */
export function businessKey(businessId: string, ...parts: readonly unknown[]): readonly unknown[] {
  return ['business', businessId, ...parts];
}

/** Query parameters of one page; without cursor for the first. */
interface PageParams {
  readonly cursor?: string;
}

/** The loaded items of a paginated list in one array. */
export function usePages<Page extends { readonly nextCursor: string | null }, Item>(
  queryKey: readonly unknown[],
  fetchPage: (page: PageParams, signal: AbortSignal) => Promise<Page>,
  itemsOf: (page: Page) => readonly Item[],
  options: { readonly refetchOnWindowFocus?: boolean; readonly refetchInterval?: number | false } = {},
): UseInfiniteQueryResult<readonly Item[]> {
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => fetchPage(pageParam === '' ? {} : { cursor: pageParam }, signal),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    select: ({ pages }) => pages.flatMap(itemsOf),
    staleTime: 0,
    ...options,
  });
}
