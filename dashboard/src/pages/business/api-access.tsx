import { Alert, List, Skeleton, Stack, Switch, Text, TextInput } from '@mantine/core';
import { IconSnowflake } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrap } from '../../api/client.ts';
import { fieldErrors } from '../../api/errors.ts';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { formatNumber, pluralize } from '../../components/format.ts';
import { Panel } from '../../components/panel.tsx';
import { Loaded, LoadingRows } from '../../components/states.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { type Propagation, PropagationNotice, toast } from '../../components/toast.tsx';
import { useBusiness } from '../../shell/session-context.ts';
import { type Freeze, useFreeze, useRecentCalls, useRefreshBusiness } from './business.ts';

/** How much traffic a freeze would stop. */
function RecentRequests({ enabled }: { readonly enabled: boolean }) {
  const { data, error } = useRecentCalls(enabled);
  if (error !== null) {
    return (
      <Text size="sm" c="dimmed">
        How many calls came lately is not known right now.
      </Text>
    );
  }
  if (data === undefined) return <Skeleton height={22} />;
  const { lastHour, lastDay } = data;
  return (
    <Text size="sm">
      {lastDay === 0 ? (
        <strong>No calls came in the last 24 hours.</strong>
      ) : (
        <>
          <strong>{pluralize(lastHour, 'call')} came in the last hour</strong>, {formatNumber(lastDay)} in the
          last 24 hours.
        </>
      )}
    </Text>
  );
}

/** Longest reason that is kept. */
const maxReason = 200;

/** Shuts every program out, after saying what that means. */
function FreezeDialog({
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
      unwrap(
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
  const reasonError = freezing.error === null ? undefined : fieldErrors(freezing.error).reason;
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
      <RecentRequests enabled={opened} />
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
        error={reasonError}
        data-autofocus
      />
      <Text size="xs" c="dimmed">
        Everybody of the team sees the freeze, who made it and why.
      </Text>
    </ConfirmDialog>
  );
}

/** Lets programs in again. */
function LiftDialog({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) {
  const { id: businessId } = useBusiness();
  const refresh = useRefreshBusiness();
  const lifting = useMutation({
    mutationFn: () =>
      unwrap(api.DELETE('/businesses/{businessId}/freeze', { params: { path: { businessId } } })),
    onSuccess: async () => {
      await refresh();
      onClose();
      toast('The freeze is lifted. Requests are let in again.');
    },
  });
  return (
    <ConfirmDialog
      title="Lift the freeze?"
      action="Lift the freeze"
      opened={opened}
      onClose={() => {
        onClose();
        lifting.reset();
      }}
      mutation={lifting}
      onConfirm={() => lifting.mutate()}
    >
      <Text size="sm">
        Requests are let in again at once, by the same keys and apps as before. If a key may have been stolen,
        rotate or delete it first.
      </Text>
    </ConfirmDialog>
  );
}

/** Whether programs get in at all, and the switch that shuts them all out. */
export function AccessPanel() {
  const query = useFreeze();
  return (
    <Panel
      title="API access"
      description="Shuts every program out at once when something is wrong, and lets them in again when it is not."
      actions={
        query.data === undefined ? null : query.data === null ? (
          <StatusBadge tone="good">Open</StatusBadge>
        ) : (
          <StatusBadge tone="bad">Frozen</StatusBadge>
        )
      }
    >
      <Loaded query={query} loading={<LoadingRows rows={1} />}>
        {(freeze) => <FreezeSwitch freeze={freeze} />}
      </Loaded>
    </Panel>
  );
}

function FreezeSwitch({ freeze }: { readonly freeze: Freeze | null }) {
  const { role } = useBusiness();
  // Not derived from the freeze: that changes while the question still goes away.
  const [openDialog, setOpenDialog] = useState<'freeze' | 'lift'>();
  const [propagation, setPropagation] = useState<Propagation>();
  const isFrozen = freeze !== null;
  const dialogProps = (name: typeof openDialog) => ({
    opened: openDialog === name,
    onClose: () => setOpenDialog(undefined),
  });
  return (
    <Stack gap="md">
      {isFrozen && <FrozenNotice freeze={freeze} />}
      <PropagationNotice propagation={isFrozen ? propagation : undefined} />
      {role === 'owner' ? (
        <Switch
          size="md"
          color="red"
          label="No API access until I lift it"
          description={
            isFrozen
              ? 'Switch it off to let requests in again.'
              : 'Requests are let in as keys and apps allow. You are asked before anything happens.'
          }
          checked={isFrozen}
          onChange={() => setOpenDialog(isFrozen ? 'lift' : 'freeze')}
        />
      ) : (
        <Text size="sm" c="dimmed">
          {isFrozen
            ? 'Only owners of the business can lift it.'
            : 'Only owners of the business can freeze it.'}
        </Text>
      )}
      <FreezeDialog {...dialogProps('freeze')} onFrozen={setPropagation} />
      <LiftDialog {...dialogProps('lift')} />
    </Stack>
  );
}

function FrozenNotice({ freeze: { frozenAt, frozenBy, reason } }: { readonly freeze: Freeze }) {
  return (
    <Alert color="red" icon={<IconSnowflake />} title="Every API request is refused">
      <Text size="sm">
        Frozen <Timestamp at={frozenAt} /> by{' '}
        {frozenBy.name === '' ? 'an account that is gone' : frozenBy.name}.
      </Text>
      {reason !== '' && (
        <Text size="sm" mt={4}>
          Reason: {reason}
        </Text>
      )}
    </Alert>
  );
}
