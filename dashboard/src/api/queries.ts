import { QueryClient, type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import { ApiError } from './errors.ts';

/** Milliseconds for which an answer is shown again without asking. */
const staleTimeMs = 30_000;

/** How often a question is asked again; each time later. */
const maxRetries = 2;

/** Asks again only what changes nothing, and only where that may help. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: staleTimeMs,
      retry: (count, error) => count < maxRetries && error instanceof ApiError && error.isTransient,
      retryDelay: (count) => 500 * 2 ** count,
      refetchOnWindowFocus: false,
      // The browser does not always know whether it is online; an attempt tells.
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

/** Invalidate it when something changes that every page shows: frozen, verified, another business. */
export const sessionKey = ['session'] as const;

/**
 * Key of a query about a business: `businessKey(id, 'api-keys', keyId)`. A change invalidates by the same beginning:
 * `queryClient.invalidateQueries({ queryKey: businessKey(id, 'api-keys') })`.
 */
export function businessKey(businessId: string, ...parts: readonly unknown[]): readonly unknown[] {
  return ['business', businessId, ...parts];
}

/** What a request for a page says of where it begins: nothing for the first. */
interface PageParams {
  readonly cursor?: string;
}

/** The entries of a list that comes page by page, in one array. */
export function usePages<Page extends { readonly nextCursor: string | null }, Item>(
  queryKey: readonly unknown[],
  fetchPage: (page: PageParams, signal: AbortSignal) => Promise<Page>,
  itemsOf: (page: Page) => readonly Item[],
  options: { readonly refetchOnWindowFocus?: boolean } = {},
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
