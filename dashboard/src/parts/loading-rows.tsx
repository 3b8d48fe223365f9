import { Skeleton, Stack, VisuallyHidden } from '@mantine/core';

/** In the place of a list that is on its way. */
export function LoadingRows({ rows = 4, height = 52 }: { readonly rows?: number; readonly height?: number }) {
  return (
    <Stack gap="xs" role="status">
      <VisuallyHidden>Loading</VisuallyHidden>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all the same
        <Skeleton key={row} height={height} radius="md" aria-hidden />
      ))}
    </Stack>
  );
}
