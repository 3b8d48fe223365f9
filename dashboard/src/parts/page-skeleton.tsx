import { Skeleton, Stack } from '@mantine/core';
import { LoadingRows } from './loading-rows.tsx';

/** In the place of a page whose code is on its way. */
export function PageSkeleton() {
  return (
    <Stack gap="xl">
      <Skeleton height={30} width="12rem" aria-hidden />
      <LoadingRows />
    </Stack>
  );
}
