import { List, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { formFaults } from '../../api/form-faults.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import type { Propagation } from '../../parts/propagation-notice.tsx';
import { toast } from '../../parts/toast.tsx';
import { useBusiness } from '../../shell/business-context.ts';
import { useRefreshBusiness } from './business.ts';
import { CallsNow } from './calls-now.tsx';

/** Longest reason that is kept. */
const maxReason = 200;

/** Shuts every program out, after saying what that means. */
export function FreezeDialog({
  opened,
  onClose,
  onFrozen,
}: {
  readonly opened: boolean;
  readonly onClose: () => void;
  /** Whether every gateway knows. */
  readonly onFrozen: (propagation: Propagation) => void;
}) {
  const { id: businessId } = useBusiness();
  const refresh = useRefreshBusiness();
  const [reason, setReason] = useState('');
  const freezing = useMutation({
    mutationFn: () =>
      answerOf(
        api.PUT('/businesses/{businessId}/freeze', { params: { path: { businessId } }, body: { reason } }),
      ),
    onSuccess: async ({ propagation }) => {
      onFrozen(propagation);
      await refresh();
      onClose();
      setReason('');
      toast('API access is frozen.');
    },
  });
  const fault = freezing.error === null ? undefined : formFaults(freezing.error).reason;
  return (
    <ConfirmDialog
      title="Freeze API access?"
      action="Freeze API access"
      destructive
      opened={opened}
      onClose={() => {
        onClose();
        freezing.reset();
      }}
      mutation={freezing}
      onConfirm={() => freezing.mutate()}
    >
      <CallsNow enabled={opened} />
      <List size="sm" spacing={4}>
        <List.Item>
          <strong>Every API key and every connected app is refused at once</strong>, on every server, with
          status 403.
        </List.Item>
        <List.Item>Nothing is deleted: keys, apps and connections stay as they are.</List.Item>
        <List.Item>You can lift it at any time. This dashboard goes on working.</List.Item>
      </List>
      <TextInput
        label="Reason"
        description="For your team and the audit log. You can leave it empty."
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        maxLength={maxReason}
        autoComplete="off"
        error={fault}
        data-autofocus
      />
      <Text size="xs" c="dimmed">
        Everybody of the team sees the freeze, who made it and why.
      </Text>
    </ConfirmDialog>
  );
}
