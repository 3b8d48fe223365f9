import { Alert, Stack, Switch, Text } from '@mantine/core';
import { IconSnowflake } from '@tabler/icons-react';
import { useState } from 'react';
import { Loaded } from '../../parts/loaded.tsx';
import { LoadingRows } from '../../parts/loading-rows.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Panel } from '../../parts/panel.tsx';
import { type Propagation, PropagationNotice } from '../../parts/propagation-notice.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { useBusiness } from '../../shell/business-context.ts';
import { type Freeze, useFreeze } from './business.ts';
import { FreezeDialog } from './freeze-dialog.tsx';
import { LiftDialog } from './lift-dialog.tsx';

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
