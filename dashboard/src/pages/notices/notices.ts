import {
  type UseInfiniteQueryResult,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect } from 'react';
import { api, unwrap } from '../../api/client.ts';
import { noticesKey } from '../../api/notices.ts';
import { usePages } from '../../api/queries.ts';
import type { components } from '../../generated/dashboard-api.d.ts';

type Schemas = components['schemas'];

export type Notice = Schemas['Notice'];

export type NoticeTopic = Schemas['NoticeTopic'];

/** Notices of the logged-in person, newest first, paginated. */
export function useNotices(): UseInfiniteQueryResult<readonly Notice[]> {
  return usePages(
    [...noticesKey, 'list'],
    (page, signal) => unwrap(api.GET('/notices', { params: { query: page }, signal })),
    ({ notices }) => notices,
  );
}

/** Marks all notices as read once they are shown; the list keeps showing which were new. */
export function useMarkRead(isShown: boolean): void {
  const client = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: () => unwrap(api.POST('/notices/read')),
    onSuccess: () => client.setQueryData([...noticesKey, 'unread'], 0),
  });
  useEffect(() => {
    if (isShown) mutate();
  }, [isShown, mutate]);
}

const topicsKey = [...noticesKey, 'topics'] as const;

/** Topics of notices, and which are emailed. */
export function useNoticeTopics(): UseQueryResult<readonly NoticeTopic[]> {
  return useQuery({
    queryKey: topicsKey,
    queryFn: async ({ signal }) => (await unwrap(api.GET('/notices/topics', { signal }))).topics,
  });
}

/** Chooses the topics to get by email. */
export function useChooseTopics(): UseMutationResult<readonly NoticeTopic[], Error, readonly string[]> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (byEmail) =>
      (await unwrap(api.PUT('/notices/topics', { body: { byEmail: [...byEmail] } }))).topics,
    onSuccess: (topics) => client.setQueryData(topicsKey, topics),
  });
}
