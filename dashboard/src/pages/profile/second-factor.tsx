import { Alert, Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle, IconShieldCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { api, unwrap } from '../../api/client.ts';
import { Dialog } from '../../components/dialog.tsx';
import { pluralize } from '../../components/format.ts';
import { Panel } from '../../components/panel.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { toast } from '../../components/toast.tsx';
import { ConfirmCode } from './confirm-code.tsx';
import { PasswordForm } from './password.tsx';
import { type OfferedSecondFactor, type Profile, useAccountChange } from './profile.ts';
import { RecoveryCodes, RecoveryCodesDialog } from './recovery-codes.tsx';

/** Turns the second factor on in three steps: password, code of the app, recovery codes. */
function EnableDialog({
  email,
  opened,
  onClose,
}: {
  readonly email: string;
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  const [offered, setOffered] = useState<OfferedSecondFactor>();
  const [codes, setCodes] = useState<readonly string[]>();
  const offer = useAccountChange((password: string) =>
    unwrap(api.POST('/profile/second-factor', { body: { password } })),
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
      title={isShown ? 'Your recovery codes' : 'Turn the second factor on'}
      closeOnClickOutside={false}
      closeOnEscape={!isShown}
      withCloseButton={!isShown}
    >
      {codes !== undefined ? (
        <RecoveryCodes
          codes={codes}
          email={email}
          onDone={() => {
            close();
            toast('The second factor is on.');
          }}
        />
      ) : offered !== undefined ? (
        <ConfirmCode offered={offered} onConfirmed={setCodes} onCancel={close} />
      ) : (
        <PasswordForm
          email={email}
          text="First show that it is you."
          action="Continue"
          mutation={offer}
          onSubmit={(password) => offer.mutate(password, { onSuccess: setOffered })}
          onCancel={close}
        />
      )}
    </Dialog>
  );
}

/** Turns the second factor off. */
function DisableDialog({
  email,
  opened,
  onClose,
}: {
  readonly email: string;
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  const disabling = useAccountChange((password: string) =>
    unwrap(api.DELETE('/profile/second-factor', { body: { password } })),
  );
  const close = () => {
    onClose();
    disabling.reset();
  };
  return (
    <Dialog opened={opened} onClose={close} title="Turn the second factor off?" closeOnClickOutside={false}>
      <PasswordForm
        email={email}
        text="Your password alone is enough to log in then, also for whoever finds it out. Your recovery codes end."
        action="Turn it off"
        destructive
        mutation={disabling}
        onSubmit={(password) =>
          disabling.mutate(password, {
            onSuccess: () => {
              close();
              toast('The second factor is off.');
            },
          })
        }
        onCancel={close}
      />
    </Dialog>
  );
}

/** Recovery codes that are few enough to say so. */
const lowCodeCount = 3;

/** The code of an app beside the password. */
export function SecondFactorPanel({ profile }: { readonly profile: Profile }) {
  const { secondFactor: isOn, recoveryCodesLeft, email } = profile;
  const [dialog, setDialog] = useState<'enable' | 'codes' | 'disable'>();
  const dialogProps = (name: typeof dialog) => ({
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
      {isOn && recoveryCodesLeft <= lowCodeCount && (
        <Alert color="yellow" icon={<IconAlertTriangle />} p="sm" role="status">
          {recoveryCodesLeft === 0
            ? 'No recovery code is left. Without your phone you could not log in any more.'
            : `Only ${pluralize(recoveryCodesLeft, 'recovery code is', 'recovery codes are')} left.`}{' '}
          Make new ones.
        </Alert>
      )}
      {isOn && recoveryCodesLeft > lowCodeCount && (
        <Text size="sm" c="dimmed">
          {pluralize(recoveryCodesLeft, 'recovery code is', 'recovery codes are')} left, for the day on which
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
      <EnableDialog {...dialogProps('enable')} />
      <RecoveryCodesDialog {...dialogProps('codes')} />
      <DisableDialog {...dialogProps('disable')} />
    </Panel>
  );
}
