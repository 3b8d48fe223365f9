import { Text } from '@mantine/core';
import { notifyManager, useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { type Session, sessionKey } from '../../api/session.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { toast } from '../../parts/toast.tsx';
import { useBusiness } from '../../shell/business-context.ts';
import type { TeamMember } from './team.ts';

/** Ends one's own membership. */
export function LeaveDialog({
  member: { personId },
  opened,
  onClose,
}: {
  readonly member: TeamMember;
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  const { id: businessId, name } = useBusiness();
  const [, navigate] = useLocation();
  const client = useQueryClient();
  const leaving = useMutation({
    mutationFn: () =>
      answerOf(
        api.DELETE('/businesses/{businessId}/team/members/{personId}', {
          params: { path: { businessId, personId } },
        }),
      ),
    onSuccess: () => {
      // In one step: this page would say that there is no such business, another one would lead back here.
      notifyManager.batch(() => {
        client.setQueryData<Session>(
          sessionKey,
          (session) =>
            session && { ...session, businesses: session.businesses.filter(({ id }) => id !== businessId) },
        );
        notifyManager.schedule(() => navigate('~/dashboard'));
      });
      void client.invalidateQueries({ queryKey: sessionKey });
      toast(`You do not belong to ${name} any more.`);
    },
  });
  return (
    <ConfirmDialog
      title={`Leave ${name}?`}
      action="Leave the team"
      destructive
      opened={opened}
      onClose={() => {
        onClose();
        leaving.reset();
      }}
      mutation={leaving}
      onConfirm={() => leaving.mutate()}
    >
      <Text size="sm">
        <strong>You lose all access to this business at once.</strong> API keys and apps keep working. Only an
        owner can let you in again, by a new invitation.
      </Text>
    </ConfirmDialog>
  );
}
