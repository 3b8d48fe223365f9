import { Alert, Button, Group, Text, TextInput } from '@mantine/core';
import { IconMail } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { api, unwrap } from '../../api/client.ts';
import { fieldErrors } from '../../api/errors.ts';
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx';
import { Panel } from '../../components/panel.tsx';
import { DescriptionList } from '../../components/rows.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { toast, toastError } from '../../components/toast.tsx';
import { confirmed, type Entered } from './confirmation.ts';
import { ConfirmForm } from './password.tsx';
import { type PendingEmail, type Profile, useAccountChange, usePendingEmail } from './profile.ts';

interface ChangeDialogProps {
  readonly profile: Profile;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Asks for a new email address. */
function ChangeEmailDialog({ profile, opened, onClose }: ChangeDialogProps) {
  const [email, setEmail] = useState('');
  const request = useAccountChange(async (entered: Entered) =>
    unwrap(api.POST('/profile/email', { body: { email, ...(await confirmed(profile, entered)) } })),
  );
  const close = () => {
    onClose();
    setEmail('');
    request.reset();
  };
  return (
    <Dialog opened={opened} onClose={close} title="Change your email address" closeOnClickOutside={false}>
      <ConfirmForm
        profile={profile}
        text="We email a link to the new address. Nothing changes until you follow it."
        action="Send the link"
        fields={['email']}
        mutation={request}
        onDone={() => {
          close();
          toast('Check the mailbox of your new address.');
        }}
        onCancel={close}
      >
        <TextInput
          label="New email address"
          type="email"
          name="email"
          autoComplete="email"
          required
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={request.error === null ? undefined : fieldErrors(request.error).email}
          data-autofocus
        />
      </ConfirmForm>
    </Dialog>
  );
}

/** Changes the name of the person. */
function ChangeNameDialog({ profile, opened, onClose }: ChangeDialogProps) {
  const [name, setName] = useState(profile.name);
  const renaming = useAccountChange(() => unwrap(api.PATCH('/profile', { body: { name } })));
  const error = renaming.error === null ? undefined : fieldErrors(renaming.error).name;
  const close = () => {
    onClose();
    renaming.reset();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: each opening begins with the present name
  useEffect(() => setName(profile.name), [opened]);
  return (
    <ConfirmDialog
      title="Change your name"
      action="Save"
      opened={opened}
      onClose={close}
      mutation={error === undefined ? renaming : { ...renaming, error: null }}
      onConfirm={() =>
        renaming.mutate(undefined, {
          onSuccess: () => {
            close();
            toast('Name changed.');
          },
        })
      }
    >
      <TextInput
        label="Name"
        name="name"
        autoComplete="name"
        required
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={error}
        data-autofocus
      />
    </ConfirmDialog>
  );
}

/** A new address whose link was not followed yet. */
function PendingAlert({ pending: { email, expiresAt } }: { readonly pending: PendingEmail }) {
  const withdrawal = useAccountChange(() => unwrap(api.DELETE('/profile/email')));
  return (
    <Alert color="blue" icon={<IconMail />} p="sm" role="status">
      <Text size="sm">
        We sent a link to <strong>{email}</strong>. Follow it in a browser in which you are logged in. It
        expires <Timestamp at={expiresAt} />.
      </Text>
      <Button
        mt="xs"
        size="xs"
        variant="default"
        loading={withdrawal.isPending}
        onClick={() =>
          withdrawal.mutate(undefined, {
            onSuccess: () => toast('Your email address stays as it is.'),
            onError: toastError,
          })
        }
      >
        Keep the current address
      </Button>
    </Alert>
  );
}

/** Name and email address. */
export function PersonPanel({ profile }: { readonly profile: Profile }) {
  const { data: pending } = usePendingEmail();
  const [dialog, setDialog] = useState<'name' | 'email'>();
  const dialogProps = (name: typeof dialog) => ({
    profile,
    opened: dialog === name,
    onClose: () => setDialog(undefined),
  });
  return (
    <Panel title="Account" description="Visible to other members of your teams.">
      <DescriptionList
        items={[
          ['Name', profile.name],
          ['Email address', profile.email],
        ]}
      />
      {pending && <PendingAlert pending={pending} />}
      <Group gap="sm">
        <Button variant="default" onClick={() => setDialog('name')}>
          Change name
        </Button>
        <Button variant="default" onClick={() => setDialog('email')}>
          Change email address
        </Button>
      </Group>
      <ChangeNameDialog {...dialogProps('name')} />
      <ChangeEmailDialog {...dialogProps('email')} />
    </Panel>
  );
}
