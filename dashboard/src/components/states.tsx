import {
  Alert,
  Button,
  Center,
  Code,
  Group,
  Skeleton,
  Stack,
  Text,
  ThemeIcon,
  VisuallyHidden,
} from '@mantine/core';
import { IconAlertCircle, IconRefresh, type TablerIcon } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError } from '../api/errors.ts';
import classes from './states.module.css';

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

/** In the place of what could not be loaded: what happened, the request's id for support, and another try. */
export function ErrorState({
  error,
  title = 'This could not be loaded',
  retry,
}: {
  readonly error: Error;
  readonly title?: string;
  /** Absent where another try would not help. */
  readonly retry?: () => unknown;
}) {
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  const text = error instanceof ApiError ? error.message : 'Something in this page went wrong.';
  return (
    <Alert color="red" icon={<IconAlertCircle />} title={title} role="alert">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{text}</Text>
        {requestId !== undefined && (
          <Text size="sm" c="dimmed">
            Request id: <Code>{requestId}</Code>
          </Text>
        )}
        {retry !== undefined && (
          <Group>
            <Button
              size="xs"
              variant="default"
              leftSection={<IconRefresh size={14} aria-hidden />}
              onClick={() => void retry()}
            >
              Try again
            </Button>
          </Group>
        )}
      </Stack>
    </Alert>
  );
}

/** What a query answers, as `children` shows it; until then something that loads, or what went wrong. */
export function Loaded<Data>({
  query,
  loading = <LoadingRows />,
  children,
}: {
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>;
  readonly loading?: ReactNode;
  readonly children: (answer: Data) => ReactNode;
}) {
  const { data, error, refetch } = query;
  if (data !== undefined) return children(data);
  return error === null ? loading : <ErrorState error={error} retry={refetch} />;
}

/** In the place of a page whose code is on its way. */
export function PageSkeleton() {
  return (
    <Stack gap="xl">
      <Skeleton height={30} width="12rem" aria-hidden />
      <LoadingRows />
    </Stack>
  );
}

/** For a list without entries, or a page without content: what would be here, and how to begin. */
export function EmptyState({
  icon: Icon,
  title,
  children,
  action,
}: {
  readonly icon: TablerIcon;
  /** One sentence. */
  readonly title: string;
  readonly children?: ReactNode;
  /** Button or link that begins it. */
  readonly action?: ReactNode;
}) {
  return (
    <Center className={classes.box}>
      <Stack align="center" gap="md" maw="28rem">
        <ThemeIcon size={52} radius="xl" variant="light" aria-hidden>
          <Icon size={26} stroke={1.6} />
        </ThemeIcon>
        <Stack gap={4} align="center">
          <Text fw={600} ta="center">
            {title}
          </Text>
          {children !== undefined && (
            <Text c="dimmed" size="sm" ta="center">
              {children}
            </Text>
          )}
        </Stack>
        {action}
      </Stack>
    </Center>
  );
}

/** In the place of a list in which nothing is as asked for. */
export function NoResults({ text, onClear }: { readonly text: string; readonly onClear: () => void }) {
  return (
    <Center py="xl">
      <Stack align="center" gap="sm">
        <Text c="dimmed">{text}</Text>
        <Button variant="default" size="xs" onClick={onClear}>
          Clear the filters
        </Button>
      </Stack>
    </Center>
  );
}

/** Why the server did not do what was asked, beside the button that asked. Nothing without an error. */
export function ErrorAlert({ error }: { readonly error: Error | null }) {
  if (error === null) return null;
  const requestId = error instanceof ApiError && error.isTransient ? error.requestId : undefined;
  return (
    <Alert color="red" icon={<IconAlertCircle />} role="alert" p="sm">
      <Text size="sm">
        {error instanceof ApiError ? error.message : 'Something in this page went wrong.'}
      </Text>
      {requestId !== undefined && (
        <Text size="xs" c="dimmed">
          Request id: <Code>{requestId}</Code>
        </Text>
      )}
    </Alert>
  );
}
