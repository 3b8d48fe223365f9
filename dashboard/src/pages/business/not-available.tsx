import { Alert, Button, Stack, Text } from '@mantine/core';
import { IconPlugConnectedX, IconRefresh } from '@tabler/icons-react';

/** In the place of what another part of the platform knows, while that does not answer. */
export function NotAvailable({
  isFetching,
  retry,
}: {
  readonly isFetching: boolean;
  readonly retry: () => unknown;
}) {
  return (
    <Alert
      color="yellow"
      icon={<IconPlugConnectedX />}
      title="Record and verification are not available right now"
      role="status"
    >
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          The part of the platform that keeps them does not answer at the moment. Nothing is lost. Team and
          access below work as always.
        </Text>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconRefresh size={14} aria-hidden />}
          loading={isFetching}
          onClick={() => void retry()}
        >
          Try again
        </Button>
      </Stack>
    </Alert>
  );
}
