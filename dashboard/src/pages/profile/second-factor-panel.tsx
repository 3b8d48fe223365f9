import { Alert, Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle, IconShieldCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { counted } from '../../parts/numbers.ts';
import { Panel } from '../../parts/panel.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { DisableDialog } from './disable-dialog.tsx';
import { EnableDialog } from './enable-dialog.tsx';
import type { Profile } from './profile.ts';
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx';

/** Recovery codes that are few enough to say so. */
const few = 3;

/** The code of an app beside the password. */
export function SecondFactorPanel({ profile }: { readonly profile: Profile }) {
  const { secondFactor: isOn, recoveryCodesLeft, email } = profile;
  const [dialog, setDialog] = useState<'enable' | 'codes' | 'disable'>();
  const dialogOf = (name: typeof dialog) => ({
    email,
    opened: dialog === name,
    onClose: () => setDialog(undefined),
  });
  return (
    <Panel
      title="Second factor"
      description="Logging in takes a code from an app on your phone besides the password. Then a stolen password is not enough."
      actions={
        isOn ? <StatusBadge tone="good">On</StatusBadge> : <StatusBadge tone="neutral">Off</StatusBadge>
      }
    >
      {isOn && recoveryCodesLeft <= few && (
        <Alert color="yellow" icon={<IconAlertTriangle />} p="sm" role="status">
          {recoveryCodesLeft === 0
            ? 'No recovery code is left. Without your phone you could not log in any more.'
            : `Only ${counted(recoveryCodesLeft, 'recovery code is', 'recovery codes are')} left.`}{' '}
          Make new ones.
        </Alert>
      )}
      {isOn && recoveryCodesLeft > few && (
        <Text size="sm" c="dimmed">
          {counted(recoveryCodesLeft, 'recovery code is', 'recovery codes are')} left, for the day on which
          your phone is not at hand.
        </Text>
      )}
      <Group gap="sm">
        {isOn ? (
          <>
            <Button variant="default" onClick={() => setDialog('codes')}>
              Make new recovery codes
            </Button>
            <Button variant="outline" color="red" onClick={() => setDialog('disable')}>
              Turn it off
            </Button>
          </>
        ) : (
          <Button leftSection={<IconShieldCheck size={16} aria-hidden />} onClick={() => setDialog('enable')}>
            Turn it on
          </Button>
        )}
      </Group>
      <EnableDialog {...dialogOf('enable')} />
      <RecoveryCodesDialog {...dialogOf('codes')} />
      <DisableDialog {...dialogOf('disable')} />
    </Panel>
  );
}
