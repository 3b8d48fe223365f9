import { Button, Code, Group, Text } from '@mantine/core';
import type { WhitelistCheck } from './use-whitelist-check.ts';

/** Says where the reader calls from, and offers to add that where it is not covered. */
export function YourAddress({
  check: { yourAddress, allowed },
  onAdd,
}: {
  readonly check: WhitelistCheck;
  readonly onAdd: (address: string) => void;
}) {
  return (
    <Group gap="xs">
      <Text size="sm" c="dimmed">
        Your address now is <Code>{yourAddress}</Code>
        {allowed ? ', which is covered.' : ', which is not covered.'}
      </Text>
      {!allowed && (
        <Button variant="light" size="compact-sm" onClick={() => onAdd(yourAddress)}>
          Add it
        </Button>
      )}
    </Group>
  );
}
