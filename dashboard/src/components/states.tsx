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
import { ApiError, alertText, fieldErrors } from '../api/errors.ts';
import classes from './states.module.css';

/** Placeholder of a list that is loading. */
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

/** Replaces content that could not be loaded: message, errors of the input, request id for support, and a retry button. */
export function ErrorState({
  error,
  title = 'This could not be loaded',
  retry,
}: {
  readonly error: Error;
  readonly title?: string;
  /** Without it, no retry is offered. */
  readonly retry?: () => unknown;
}) {
  const isRefusedInput = Object.keys(fieldErrors(error)).length > 0;
  const requestId = error instanceof ApiError && !isRefusedInput ? error.requestId : undefined;
  return (
    <Alert color="red" icon={<IconAlertCircle />} title={title} role="alert">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{alertText(error, [])}</Text>
        {requestId !== undefined && (
          <Text size="sm" c="dimmed">
            Request ID: <Code>{requestId}</Code>
          </Text>
        )}
        {retry !== undefined && !isRefusedInput && (
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

/** Renders the data of a query, or its loading or error state. */
export function Loaded<Data>({
  query,
  loading = <LoadingRows />,
  children,
}: {
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>;
  readonly loading?: ReactNode;
  readonly children: (data: Data) => ReactNode;
}) {
  const { data, error, refetch } = query;
  if (data !== undefined) return children(data);
  return error === null ? loading : <ErrorState error={error} retry={refetch} />;
}

/** Placeholder of a page whose code is loading. */
export function PageSkeleton() {
  return (
    <Stack gap="xl">
      <Skeleton height={30} width="12rem" aria-hidden />
      <LoadingRows />
    </Stack>
  );
}

/** Empty list or page: what belongs here and how to start. */
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
  /** Button or link. */
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

/** A filtered list without matches. */
export function NoResults({ text, onClear }: { readonly text: string; readonly onClear: () => void }) {
  return (
    <Center py="xl">
      <Stack align="center" gap="sm">
        <Text c="dimmed">{text}</Text>
        <Button variant="default" size="xs" onClick={onClear}>
          Clear filters
        </Button>
      </Stack>
    </Center>
  );
}

/** Error of an action, shown beside its button. */
export function ErrorAlert({
  error,
  shown,
}: {
  readonly error: Error | null;
  /** Fields whose errors stand at their controls: the alert leaves them out, and is absent when nothing is left. */
  readonly shown?: readonly string[];
}) {
  const text = error === null ? undefined : alertText(error, shown);
  if (text === undefined) return null;
  const requestId = error instanceof ApiError && error.isTransient ? error.requestId : undefined;
  return (
    <Alert color="red" icon={<IconAlertCircle />} role="alert" p="sm">
      <Text size="sm">{text}</Text>
      {requestId !== undefined && (
        <Text size="xs" c="dimmed">
          Request ID: <Code>{requestId}</Code>
        </Text>
      )}
    </Alert>
  );
}
