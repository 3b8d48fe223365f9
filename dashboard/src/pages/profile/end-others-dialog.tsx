import { Text } from '@mantine/core';
import { answerOf, api } from '../../api/client.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { counted } from '../../parts/numbers.ts';
import { toast } from '../../parts/toast.tsx';
import { useAccountChange } from './profile.ts';

/** Logs every other browser out. */
export function EndOthersDialog({
  count,
  opened,
  onClose,
}: {
  /** Sessions that would end. */
  readonly count: number;
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  const ending = useAccountChange(() => answerOf(api.DELETE('/profile/sessions')));
  const close = () => {
    onClose();
    ending.reset();
  };
  return (
    <ConfirmDialog
      title="End all other sessions?"
      action="End all others"
      destructive
      opened={opened}
      onClose={close}
      mutation={ending}
      onConfirm={() =>
        ending.mutate(undefined, {
          onSuccess: ({ ended }) => {
            close();
            toast(`${counted(ended, 'session has', 'sessions have')} ended.`);
          },
        })
      }
    >
      <Text size="sm">
        {counted(count, 'other browser is', 'other browsers are')} logged out at once. You stay logged in
        here.
      </Text>
    </ConfirmDialog>
  );
}
