import { Alert, Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle, IconShieldCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { api, unwrap } from '../../api/client.ts';
import { Dialog } from '../../components/dialog.tsx';
import { formatNumber, pluralize } from '../../components/format.ts';
import { Panel } from '../../components/panel.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { toast } from '../../components/toast.tsx';
import { ConfirmCode } from './confirm-code.tsx';
import { confirmed, type Entered } from './confirmation.ts';
import { LostBusinesses } from './lost-businesses.tsx';
import { ConfirmForm } from './password.tsx';
import { type OfferedSecondFactor, type Profile, useAccountChange } from './profile.ts';
import { type ProfileDialogProps, RecoveryCodes, RecoveryCodesDialog } from './recovery-codes.tsx';

/** Turns on the second factor in three steps: password, code from the app, recovery codes. */
function EnableDialog({ profile, opened, onClose }: ProfileDialogProps) {
  const [offered, setOffered] = useState<OfferedSecondFactor>();
  const [codes, setCodes] = useState<readonly string[]>();
  const offer = useAccountChange(async (entered: Entered) =>
    unwrap(api.POST('/profile/second-factor', { body: await confirmed(profile, entered) })),
  );
  const close = () => {
    onClose();
    offer.reset();
    setOffered(undefined);
    setCodes(undefined);
  };
  const isShown = codes !== undefined;
  return (
    <Dialog
      opened={opened}
      onClose={close}
      title={isShown ? 'Your recovery codes' : 'Turn on the second factor'}
      closeOnClickOutside={false}
      closeOnEscape={!isShown}
      withCloseButton={!isShown}
    >
      {codes !== undefined ? (
        <RecoveryCodes
          codes={codes}
          email={profile.email}
          onDone={() => {
            close();
            toast('Second factor turned on.');
          }}
        />
      ) : offered !== undefined ? (
        <ConfirmCode offered={offered} onConfirmed={setCodes} onCancel={close} />
      ) : (
        <ConfirmForm
          profile={profile}
          text="Enter your password to continue. Once the app is on, all your other sessions end, and you log in there again with a code."
          action="Continue"
          mutation={offer}
          onDone={setOffered}
          onCancel={close}
        />
      )}
    </Dialog>
  );
}

function DisableDialog({ profile, opened, onClose }: ProfileDialogProps) {
  const disabling = useAccountChange(async (entered: Entered) =>
    unwrap(api.DELETE('/profile/second-factor', { body: await confirmed(profile, entered) })),
  );
  const close = () => {
    onClose();
    disabling.reset();
  };
  return (
    <Dialog opened={opened} onClose={close} title="Turn off the second factor?" closeOnClickOutside={false}>
      <ConfirmForm
        profile={profile}
        text={
          profile.passkeys > 0 ? (
            'Logging in will take a passkey. Your recovery codes keep working.'
          ) : (
            <>
              Logging in will take your password only. Your recovery codes stop working. <LostBusinesses />
            </>
          )
        }
        action="Turn off"
        destructive
        mutation={disabling}
        onDone={() => {
          close();
          toast('Second factor turned off.');
        }}
        onCancel={close}
      />
    </Dialog>
  );
}

/** Number of recovery codes from which on a warning is shown. */
const lowCodeCount = 3;

/** Authenticator app as second factor. */
export function SecondFactorPanel({ profile }: { readonly profile: Profile }) {
  const { secondFactor: isOn, recoveryCodesLeft } = profile;
  const hasCodes = isOn || profile.passkeys > 0;
  const [dialog, setDialog] = useState<'enable' | 'codes' | 'disable'>();
  const dialogProps = (name: typeof dialog) => ({
    profile,
    opened: dialog === name,
    onClose: () => setDialog(undefined),
  });
  return (
    <Panel
      title="Second factor"
      description="With a second factor, a stolen password is not enough to log in. You can use an authenticator app, whose code you enter after your password, or a passkey, which logs in by itself, or both."
      actions={
        hasCodes ? <StatusBadge tone="good">On</StatusBadge> : <StatusBadge tone="neutral">Off</StatusBadge>
      }
    >
      <Text size="sm">
        Authenticator app: {isOn ? 'on' : 'off'}. Passkeys:{' '}
        {profile.passkeys === 0 ? 'none' : formatNumber(profile.passkeys)}.
      </Text>
      {hasCodes && recoveryCodesLeft <= lowCodeCount && (
        <Alert color="yellow" icon={<IconAlertTriangle />} p="sm" role="status">
          {recoveryCodesLeft === 0
            ? 'No recovery codes are left. If you lose your phone, or your passkeys, you cannot log in.'
            : `Only ${pluralize(recoveryCodesLeft, 'recovery code is', 'recovery codes are')} left.`}{' '}
          Create new ones.
        </Alert>
      )}
      {hasCodes && recoveryCodesLeft > lowCodeCount && (
        <Text size="sm" c="dimmed">
          {pluralize(recoveryCodesLeft, 'recovery code is', 'recovery codes are')} left in case you lose your
          phone or your passkeys.
        </Text>
      )}
      <Group gap="sm">
        {hasCodes && (
          <Button variant="default" onClick={() => setDialog('codes')}>
            Create new recovery codes
          </Button>
        )}
        {isOn ? (
          <Button variant="outline" color="red" onClick={() => setDialog('disable')}>
            Turn off
          </Button>
        ) : (
          <Button leftSection={<IconShieldCheck size={16} aria-hidden />} onClick={() => setDialog('enable')}>
            Turn on
          </Button>
        )}
      </Group>
      <EnableDialog {...dialogProps('enable')} />
      <RecoveryCodesDialog {...dialogProps('codes')} />
      <DisableDialog {...dialogProps('disable')} />
    </Panel>
  );
}
