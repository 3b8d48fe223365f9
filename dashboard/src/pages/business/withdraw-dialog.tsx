import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { toast } from '../../parts/toast.tsx';
import { useBusiness } from '../../shell/business-context.ts';
import { type Invitation, useRefreshTeam } from './team.ts';

/** Takes an invitation back. */
export function WithdrawDialog({
  invitation: { id: invitationId, email },
  opened,
  onClose,
}: {
  readonly invitation: Invitation;
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  const { id: businessId } = useBusiness();
  const refresh = useRefreshTeam();
  const withdrawal = useMutation({
    mutationFn: () =>
      answerOf(
        api.DELETE('/businesses/{businessId}/team/invitations/{invitationId}', {
          params: { path: { businessId, invitationId } },
        }),
      ),
    onSuccess: async () => {
      onClose();
      toast(`The invitation of ${email} is taken back.`);
      await refresh();
    },
  });
  return (
    <ConfirmDialog
      title="Take this invitation back?"
      action="Take back"
      destructive
      opened={opened}
      onClose={() => {
        onClose();
        withdrawal.reset();
      }}
      mutation={withdrawal}
      onConfirm={() => withdrawal.mutate()}
    >
      <Text size="sm">
        The link that was sent to <strong>{email}</strong> stops working at once. You can invite this address
        again.
      </Text>
    </ConfirmDialog>
  );
}
