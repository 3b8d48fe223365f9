import { Alert, List, Skeleton, Stack, Switch, Text, TextInput } from '@mantine/core';
import { IconSnowflake } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { formFaults } from '../../api/errors.ts';
import { StatusBadge } from '../../components/badges.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { count, counted } from '../../components/format.ts';
import { Panel } from '../../components/panel.tsx';
import { Loaded, LoadingRows } from '../../components/states.tsx';
import { Moment } from '../../components/timestamp.tsx';
import { type Propagation, PropagationNotice, toast } from '../../components/toast.tsx';
import { useBusiness } from '../../shell/session-context.ts';
import { type Freeze, useFreeze, useRecentCalls, useRefreshBusiness } from './business.ts';

/** How much traffic a freeze would stop. */
function CallsNow({ enabled }: { readonly enabled: boolean }) {
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
          <strong>{counted(lastHour, 'call')} came in the last hour</strong>, {count(lastDay)} in the last 24
          hours.
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

/** Lets programs in again. */
function LiftDialog({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) {
  const { id: businessId } = useBusiness();
  const refresh = useRefreshBusiness();
  const lifting = useMutation({
    mutationFn: () =>
      answerOf(api.DELETE('/businesses/{businessId}/freeze', { params: { path: { businessId } } })),
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
  const [question, setQuestion] = useState<'freeze' | 'lift'>();
  const [propagation, setPropagation] = useState<Propagation>();
  const isFrozen = freeze !== null;
  const dialogOf = (name: typeof question) => ({
    opened: question === name,
    onClose: () => setQuestion(undefined),
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
          onChange={() => setQuestion(isFrozen ? 'lift' : 'freeze')}
        />
      ) : (
        <Text size="sm" c="dimmed">
          {isFrozen
            ? 'Only owners of the business can lift it.'
            : 'Only owners of the business can freeze it.'}
        </Text>
      )}
      <FreezeDialog {...dialogOf('freeze')} onFrozen={setPropagation} />
      <LiftDialog {...dialogOf('lift')} />
    </Stack>
  );
}

function FrozenNotice({ freeze: { frozenAt, frozenBy, reason } }: { readonly freeze: Freeze }) {
  return (
    <Alert color="red" icon={<IconSnowflake />} title="Every API request is refused">
      <Text size="sm">
        Frozen <Moment at={frozenAt} /> by {frozenBy.name === '' ? 'an account that is gone' : frozenBy.name}.
      </Text>
      {reason !== '' && (
        <Text size="sm" mt={4}>
          Reason: {reason}
        </Text>
      )}
    </Alert>
  );
}
