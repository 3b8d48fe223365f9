import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { toast } from '../../parts/toast.tsx';
import { useBusiness } from '../../shell/business-context.ts';
import { type TeamMember, useRefreshTeam } from './team.ts';

/** Ends somebody's membership, after saying what that means. */
export function RemoveMemberDialog({
  member: { personId, name },
  opened,
  onClose,
}: {
  readonly member: TeamMember;
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  const { id: businessId } = useBusiness();
  const refresh = useRefreshTeam();
  const removal = useMutation({
    mutationFn: () =>
      answerOf(
        api.DELETE('/businesses/{businessId}/team/members/{personId}', {
          params: { path: { businessId, personId } },
        }),
      ),
    onSuccess: async () => {
      await refresh();
      onClose();
      toast(`${name} does not belong to the team any more.`);
    },
  });
  return (
    <ConfirmDialog
      title={`Remove ${name}?`}
      action="Remove from the team"
      destructive
      opened={opened}
      onClose={() => {
        onClose();
        removal.reset();
      }}
      mutation={removal}
      onConfirm={() => removal.mutate()}
    >
      <Text size="sm">
        <strong>This person loses all access to this business at once.</strong> Keys that they made keep
        working: rotate those that they may still know. Open invitations that they have sent are taken back.
        You can invite them again at any time.
      </Text>
    </ConfirmDialog>
  );
}
