import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import { toast } from '../../components/toast.tsx';
import { useBusiness } from '../../shell/session-context.ts';
import { KeyLossDialog } from './key-loss-dialog.tsx';
import { type TeamMember, useRefreshTeam } from './team.ts';

/** Removes a member after confirmation. */
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
      unwrap(
        api.DELETE('/businesses/{businessId}/team/members/{personId}', {
          params: { path: { businessId, personId } },
        }),
      ),
    onSuccess: async () => {
      await refresh();
      onClose();
      toast(`${name} removed from the team.`);
    },
  });
  return (
    <KeyLossDialog
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
      personId={personId}
    >
      <Text size="sm">
        <strong>This person loses all access to this business at once.</strong> Open invitations they sent are
        withdrawn. You can invite them again at any time.
      </Text>
    </KeyLossDialog>
  );
}
