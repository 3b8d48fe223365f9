import { Alert, Code, Text } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { ApiError } from '../api/api-error.ts';

/** Why the server did not do what was asked, beside the button that asked. Nothing without an error. */
export function ActionError({ error }: { readonly error: Error | null }) {
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
