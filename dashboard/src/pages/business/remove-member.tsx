import { Text } from '@mantine/core';
import { useState } from 'react';
import { toast } from '../../components/toast.tsx';
import { LossDialog } from './loss-dialog.tsx';
import { type TeamMember, useRemoveMember } from './team.ts';

/** Removes a member after confirmation. */
export function RemoveMemberDialog({
  member,
  opened,
  onClose,
}: {
  readonly member: TeamMember;
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  const { personId, name } = member;
  const [kept, setKept] = useState<readonly string[]>([]);
  const removal = useRemoveMember(member);
  const close = () => {
    onClose();
    removal.reset();
    setKept([]);
  };
  return (
    <LossDialog
      title={`Remove ${name}?`}
      action="Remove from the team"
      destructive
      opened={opened}
      onClose={close}
      mutation={removal}
      onConfirm={() =>
        removal.mutate(kept, {
          onSuccess: () => {
            close();
            toast(`${name} removed from the team.`);
          },
        })
      }
      personId={personId}
      kept={kept}
      onKeep={setKept}
    >
      <Text size="sm">
        <strong>This person loses all access to this business at once.</strong> Open invitations they sent are
        withdrawn. You can invite them again at any time.
      </Text>
    </LossDialog>
  );
}
