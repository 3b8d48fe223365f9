import { Alert, List, Stack, Switch, Text } from '@mantine/core';
import { IconSnowflake } from '@tabler/icons-react';
import { useState } from 'react';
import { api, unwrap } from '../../api/client.ts';
import { ChangeDialog } from '../../components/change-dialog.tsx';
import { Panel } from '../../components/panel.tsx';
import { Loaded, LoadingRows } from '../../components/states.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { type Propagation, PropagationNotice, toast } from '../../components/toast.tsx';
import { useBusiness } from '../../shell/session-context.ts';
import { ForecastPanel } from '../forecasts/forecast-panel.tsx';
import { type Freeze, useFreeze, useRefreshBusiness } from './business.ts';

/** Freezes API access after confirmation. */
function FreezeDialog({
  opened,
  onClose,
  onFrozen,
}: {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onFrozen: (propagation: Propagation) => void;
}) {
  const { id: businessId } = useBusiness();
  const refresh = useRefreshBusiness();
  return (
    <ChangeDialog
      title="Freeze API access?"
      action="Freeze API access"
      destructive
      opened={opened}
      onClose={onClose}
      reasonHint="Your team can see who froze API access and why, here and in the audit log."
      change={async (reason) => {
        const { propagation } = await unwrap(
          api.PUT('/businesses/{businessId}/freeze', { params: { path: { businessId } }, body: { reason } }),
        );
        onFrozen(propagation);
        await refresh();
        toast('API access frozen.');
        // Shown in the panel, with the freeze.
        return undefined;
      }}
    >
      <List size="sm" spacing={4}>
        <List.Item>
          <strong>Requests of all API keys and connected apps are refused at once</strong> with status 403.
        </List.Item>
        <List.Item>Keys, apps and connections are kept.</List.Item>
        <List.Item>You can lift the freeze at any time. The dashboard keeps working.</List.Item>
      </List>
      <ForecastPanel forecasted={{ businessFrozen: true }} />
    </ChangeDialog>
  );
}

/** Lifts the freeze after confirmation. */
function LiftDialog({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) {
  const { id: businessId } = useBusiness();
  const refresh = useRefreshBusiness();
  return (
    <ChangeDialog
      title="Lift the freeze?"
      action="Lift the freeze"
      opened={opened}
      onClose={onClose}
      change={async () => {
        const path = '/businesses/{businessId}/freeze';
        const { propagation } = await unwrap(api.DELETE(path, { params: { path: { businessId } } }));
        await refresh();
        toast('Freeze lifted.');
        return propagation;
      }}
    >
      <Text size="sm">
        The same keys and apps as before can send requests again. If a key may have been stolen, rotate or
        delete it first.
      </Text>
    </ChangeDialog>
  );
}

/** Shows whether API access is open or frozen, and changes it. */
export function AccessPanel() {
  const query = useFreeze();
  return (
    <Panel
      title="API access"
      description="Freeze API access in an emergency. All API requests are refused until the freeze is lifted."
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
  // Not derived from `freeze`, which changes while the dialog is still closing.
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
          label="Freeze API access"
          description={isFrozen ? 'Turn off to accept requests again.' : 'You are asked to confirm.'}
          checked={isFrozen}
          onChange={() => setOpenDialog(isFrozen ? 'lift' : 'freeze')}
        />
      ) : (
        <Text size="sm" c="dimmed">
          {isFrozen ? 'Only owners can lift the freeze.' : 'Only owners can freeze API access.'}
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
        {frozenBy === null ? 'the platform’s support' : frozenBy.name || 'a deleted account'}.
      </Text>
      {reason !== '' && (
        <Text size="sm" mt={4}>
          Reason: {reason}
        </Text>
      )}
    </Alert>
  );
}
