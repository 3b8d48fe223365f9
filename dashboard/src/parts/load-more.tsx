import { Button, Center } from '@mantine/core';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { ActionError } from './action-error.tsx';

/** The way to the next page of a list, by its cursor. Nothing at the end. */
export function LoadMore({
  query,
}: {
  readonly query: Pick<
    UseInfiniteQueryResult,
    'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage' | 'isFetchNextPageError' | 'error'
  >;
}) {
  const { hasNextPage, isFetchingNextPage, fetchNextPage, isFetchNextPageError, error } = query;
  if (!hasNextPage) return null;
  return (
    <>
      {isFetchNextPageError && <ActionError error={error} />}
      <Center mt="md">
        <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {isFetchNextPageError ? 'Try again' : 'Show more'}
        </Button>
      </Center>
    </>
  );
}
