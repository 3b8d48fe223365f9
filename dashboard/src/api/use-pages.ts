import { type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';

/** What a request for a page says of where it begins: nothing for the first. */
export interface PageQuery {
  readonly cursor?: string;
}

/** The entries of a list that comes page by page, in one array. */
export function usePages<Page extends { readonly nextCursor: string | null }, Entry>(
  queryKey: readonly unknown[],
  ask: (page: PageQuery, signal: AbortSignal) => Promise<Page>,
  entriesOf: (page: Page) => readonly Entry[],
  options: { readonly refetchOnWindowFocus?: boolean } = {},
): UseInfiniteQueryResult<readonly Entry[]> {
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => ask(pageParam === '' ? {} : { cursor: pageParam }, signal),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    select: ({ pages }) => pages.flatMap(entriesOf),
    staleTime: 0,
    ...options,
  });
}
