import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { ApiError } from '../../api/api-error.ts';
import { ActionError } from '../../parts/action-error.tsx';

/** The end of the form: why it did not work, and the buttons. */
export function NewKeyButtons({
  mutation,
}: {
  readonly mutation: {
    readonly isPending: boolean;
    readonly isSuccess: boolean;
    readonly error: Error | null;
  };
}) {
  const { isPending, isSuccess, error } = mutation;
  return (
    <Stack gap="md">
      <ActionError error={error} />
      {error instanceof ApiError && error.isTransient && (
        <Text size="sm" c="dimmed">
          The key may have been made all the same. Look at{' '}
          <Anchor component={Link} href="/developers/keys" inherit underline="always">
            your keys
          </Anchor>{' '}
          before you try again: one whose string nobody has seen can be deleted.
        </Text>
      )}
      <Group gap="sm">
        <Button type="submit" loading={isPending || isSuccess}>
          Create key
        </Button>
        <Button component={Link} href="/developers/keys" variant="default">
          Cancel
        </Button>
      </Group>
    </Stack>
  );
}
