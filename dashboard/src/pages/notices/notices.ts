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
import { noticesKey, unreadKey, useUnreadNotices } from '../../api/notices.ts';
import { usePages } from '../../api/queries.ts';
import { toastError } from '../../components/toast.tsx';
import type { components } from '../../generated/dashboard-api.d.ts';

type Schemas = components['schemas'];

export type Notice = Schemas['Notice'];

export type NoticeTopic = Schemas['NoticeTopic'];

export type EmailChoice = Schemas['EmailChoice'];

/** Notices of the logged-in person, newest first, paginated. */
export function useNotices(): UseInfiniteQueryResult<readonly Notice[]> {
  return usePages(
    [...noticesKey, 'list'],
    (page, signal) => unwrap(api.GET('/notices', { params: { query: page }, signal })),
    ({ notices }) => notices,
  );
}

/** Marks notices as read when they are shown, including later ones. The list still shows which ones were new. */
export function useMarkRead(list: UseInfiniteQueryResult<readonly Notice[]>): void {
  const client = useQueryClient();
  const { data: unread = 0, dataUpdatedAt } = useUnreadNotices();
  const { mutate } = useMutation({
    mutationFn: () => unwrap(api.POST('/notices/read')),
    // An earlier request for the count that finishes later would overwrite the new count at the bell.
    onMutate: () => client.cancelQueries({ queryKey: unreadKey }),
    onSuccess: () => client.setQueryData(unreadKey, 0),
  });
  const isShown = list.isSuccess && list.isFetchedAfterMount;
  useEffect(() => {
    if (isShown) mutate();
  }, [isShown, mutate]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each number that the bell gets while the list is shown
  useEffect(() => {
    if (!isShown || unread === 0) return;
    void list.refetch().then(({ isSuccess }) => isSuccess && mutate());
  }, [dataUpdatedAt]);
}

const topicsKey = [...noticesKey, 'topics'] as const;

/** Topics of notices, and when they are emailed. */
export function useNoticeTopics(): UseQueryResult<readonly NoticeTopic[]> {
  return useQuery({
    queryKey: topicsKey,
    queryFn: async ({ signal }) => (await unwrap(api.GET('/notices/topics', { signal }))).topics,
  });
}

interface Choice {
  readonly topic: string;
  readonly email: EmailChoice;
}

/** Chooses when a topic is emailed. Shown at once and saved one by one, since arrow keys are faster than requests. */
export function useChooseEmail(): UseMutationResult<unknown, Error, Choice> {
  const client = useQueryClient();
  return useMutation({
    mutationKey: topicsKey,
    scope: { id: 'notice-topics' },
    mutationFn: ({ topic, email }: Choice) =>
      unwrap(api.PATCH('/notices/topics', { body: { emails: { [topic]: email } } })),
    onMutate: async ({ topic, email }) => {
      await client.cancelQueries({ queryKey: topicsKey });
      client.setQueryData<readonly NoticeTopic[]>(topicsKey, (topics) =>
        topics?.map((each) => (each.topic === topic ? { ...each, email } : each)),
      );
    },
    onError: toastError,
    onSettled: (saved) => {
      // Keeps choices that the server has not received yet.
      if (client.isMutating({ mutationKey: topicsKey }) > 1) return;
      if (saved === undefined) void client.invalidateQueries({ queryKey: topicsKey });
      else client.setQueryData(topicsKey, saved.topics);
    },
  });
}
