import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, unwrap } from '../../api/client.ts';
import { ApiError, fieldErrors } from '../../api/errors.ts';
import { Dialog } from '../../components/dialog.tsx';
import { useFocusOnError } from '../../components/hooks.ts';
import { ErrorAlert } from '../../components/states.tsx';
import { useStayDuring } from '../../components/stay.ts';
import { toast } from '../../components/toast.tsx';
import { confirmed, type Entered, makePasskey } from './confirmation.ts';
import { LostBusinesses } from './lost-businesses.tsx';
import { ConfirmForm } from './password.tsx';
import { type Passkey, type Profile, useAccountChange } from './profile.ts';
import { RecoveryCodes } from './recovery-codes.tsx';

/** A field for the name of a passkey. */
function NameField({
  value,
  error,
  onChange,
}: {
  readonly value: string;
  readonly error: Error | null;
  readonly onChange: (name: string) => void;
}) {
  return (
    <TextInput
      label="Name"
      description="To tell your passkeys apart."
      name="name"
      autoComplete="off"
      required
      maxLength={50}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error === null ? undefined : fieldErrors(error).name}
      data-autofocus
    />
  );
}

/** Effect of the first second factor of an account. */
const endsOthers =
  'This is your first second factor: all your other sessions end, and you log in there again with it.';

/** Adds a passkey in two steps: confirmation and browser; then recovery codes, with the first second factor. */
export function AddPasskeyDialog({
  profile,
  opened,
  onClose,
}: {
  readonly profile: Profile;
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState('');
  const [codes, setCodes] = useState<readonly string[]>();
  const adding = useAccountChange(async (entered: Entered) => {
    // Checked early: later the code would be used up, and the authenticator would keep a passkey without an account.
    if (name.trim() === '')
      throw new ApiError(400, 'Check the highlighted fields.', { fields: { name: 'Enter a name.' } });
    const { options } = await unwrap(
      api.POST('/profile/passkeys/options', { body: await confirmed(profile, entered) }),
    );
    const body = { name, credential: await makePasskey(options) };
    return unwrap(api.POST('/profile/passkeys', { body }));
  });
  useStayDuring(adding.isPending);
  const close = () => {
    onClose();
    adding.reset();
    setName('');
    setCodes(undefined);
  };
  const done = () => {
    close();
    toast('Passkey added.');
  };
  const isShown = codes !== undefined;
  const hasFactor = profile.secondFactor || profile.passkeys > 0;
  return (
    <Dialog
      opened={opened}
      onClose={close}
      title={isShown ? 'Your recovery codes' : 'Add a passkey'}
      closeOnClickOutside={false}
      closeOnEscape={!isShown}
      withCloseButton={!isShown}
    >
      {codes !== undefined ? (
        <RecoveryCodes codes={codes} email={profile.email} onDone={done} />
      ) : (
        <ConfirmForm
          profile={profile}
          text={`Your browser asks where to store the passkey. ${hasFactor ? 'Your other sessions stay logged in.' : endsOthers}`}
          action="Continue"
          fields={['name']}
          mutation={adding}
          onDone={({ recoveryCodes }) => (recoveryCodes.length > 0 ? setCodes(recoveryCodes) : done())}
          onCancel={close}
        >
          <NameField value={name} error={adding.error} onChange={setName} />
        </ConfirmForm>
      )}
    </Dialog>
  );
}

interface PasskeyDialogProps {
  readonly passkey: Passkey;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Gives a passkey another name. */
export function RenamePasskeyDialog({ passkey, opened, onClose }: PasskeyDialogProps) {
  const [name, setName] = useState(passkey.name);
  const renaming = useAccountChange(() => {
    const params = { path: { passkeyId: passkey.id } };
    return unwrap(api.PATCH('/profile/passkeys/{passkeyId}', { params, body: { name } }));
  });
  const form = useFocusOnError(renaming.error);
  const close = () => {
    onClose();
    renaming.reset();
  };
  return (
    <Dialog opened={opened} onClose={close} title="Rename the passkey">
      <form
        ref={form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          renaming.mutate(undefined, { onSuccess: close });
        }}
      >
        <Stack gap="md">
          <NameField value={name} error={renaming.error} onChange={setName} />
          <ErrorAlert error={renaming.error} shown={['name']} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close} disabled={renaming.isPending}>
              Cancel
            </Button>
            <Button type="submit" loading={renaming.isPending}>
              Rename
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** Removes a passkey. */
export function RemovePasskeyDialog({
  passkey,
  profile,
  opened,
  onClose,
}: PasskeyDialogProps & { readonly profile: Profile }) {
  const removal = useAccountChange(async (entered: Entered) => {
    const params = { path: { passkeyId: passkey.id } };
    const body = await confirmed(profile, entered);
    await unwrap(api.DELETE('/profile/passkeys/{passkeyId}', { params, body }));
  });
  const close = () => {
    onClose();
    removal.reset();
  };
  const isLastFactor = !profile.secondFactor && profile.passkeys === 1;
  return (
    <Dialog opened={opened} onClose={close} title="Remove the passkey?" closeOnClickOutside={false}>
      <ConfirmForm
        profile={profile}
        text={
          <>
            <strong>{passkey.name}</strong> no longer logs in, and sessions that began with it end.{' '}
            {isLastFactor && (
              <>
                It is your only second factor: logging in will take your password only, and your recovery
                codes stop working. <LostBusinesses />
              </>
            )}
            Your device keeps its part until you delete it there.
          </>
        }
        action="Remove"
        destructive
        mutation={removal}
        onDone={() => {
          close();
          toast('Passkey removed.');
        }}
        onCancel={close}
      />
    </Dialog>
  );
}
