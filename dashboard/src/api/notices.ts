import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { api, unwrap } from './client.ts';

/** Key of everything about notices. */
export const noticesKey = ['notices'] as const;

/** Key of the number of unread ones. */
export const unreadKey = [...noticesKey, 'unread'] as const;

/** Milliseconds between requests for new notices. */
const everyMs = 60_000;

/** Number of unread notices of the logged-in person. */
export function useUnreadNotices(): UseQueryResult<number> {
  return useQuery({
    queryKey: unreadKey,
    queryFn: async ({ signal }) => (await unwrap(api.GET('/notices', { signal }))).unread,
    refetchInterval: everyMs,
    refetchOnWindowFocus: true,
    retry: false,
  });
}
