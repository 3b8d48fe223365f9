import { Stack } from '@mantine/core';
import { LoadingRows } from '../../parts/loading-rows.tsx';

/** In the place of an overview that is on its way. */
export function OverviewSkeleton() {
  return (
    <Stack gap="lg">
      <LoadingRows rows={1} height={360} />
      <LoadingRows rows={2} height={120} />
    </Stack>
  );
}
