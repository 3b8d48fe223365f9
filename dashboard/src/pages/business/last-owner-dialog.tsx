import { Button, Group, Stack, Text } from '@mantine/core';
import { Dialog } from '../../parts/dialog.tsx';

/** Why the only owner can neither leave nor become a member. */
export function LastOwnerDialog({
  opened,
  onClose,
}: {
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  return (
    <Dialog opened={opened} onClose={onClose} title="You are the only owner">
      <Stack gap="md">
        <Text size="sm">
          A business always has an owner: without one, nobody could verify it, lift a freeze or invite people.
          Make somebody else an owner first. Then you can step down or leave.
        </Text>
        <Group justify="flex-end">
          <Button onClick={onClose}>Understood</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
