import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { IconAlertCircle, IconRefresh } from '@tabler/icons-react';
import { ApiError } from '../api/api-error.ts';

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
