import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, unwrap } from '../../api/client.ts';
import { ApiError, fieldErrors } from '../../api/errors.ts';
import { Dialog } from '../../components/dialog.tsx';
import { useFocusOnError } from '../../components/hooks.ts';
import { ErrorAlert } from '../../components/states.tsx';
import { useSession } from '../../shell/session-context.ts';
import { askPasskey } from './confirmation.ts';
import { useProfile } from './profile.ts';

/** Whether a change was refused because the person has to confirm their identity first. */
export const needsIdentity = (error: Error | null): boolean =>
  error instanceof ApiError && error.reason === 'confirmation_required';

/** Asks for the password or a passkey if a change requires it, then repeats the change. */
export function IdentityDialog({
  error,
  onConfirmed,
  onCancel,
}: {
  /** Of the change. */
  readonly error: Error | null;
  readonly onConfirmed: () => void;
  readonly onCancel: () => void;
}) {
  const opened = needsIdentity(error);
  const { email } = useSession().person;
  const { data: profile } = useProfile();
  const [password, setPassword] = useState('');
  const confirming = useMutation({
    mutationFn: async (way: 'password' | 'passkey') =>
      unwrap(
        api.POST('/profile/confirmation', {
          body: way === 'password' ? { password } : { passkey: await askPasskey() },
        }),
      ),
    onSuccess: onConfirmed,
  });
  const form = useFocusOnError(confirming.error);
  const { reset } = confirming;
  useEffect(() => {
    if (opened) return;
    setPassword('');
    reset();
  }, [opened, reset]);
  return (
    <Dialog opened={opened} onClose={onCancel} title="Is it you?" closeOnClickOutside={false}>
      <form
        ref={form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          confirming.mutate('password');
        }}
      >
        <Stack gap="md">
          <Text size="sm">A secret key can do everything, so we ask you to confirm it every 10 minutes.</Text>
          <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
          <PasswordInput
            label="Your password"
            name="password"
            autoComplete="current-password"
            required
            data-autofocus
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={confirming.error === null ? undefined : fieldErrors(confirming.error).password}
            visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
          />
          <ErrorAlert error={confirming.error} shown={['password']} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onCancel} disabled={confirming.isPending}>
              Cancel
            </Button>
            {profile !== undefined && profile.passkeys > 0 && (
              <Button
                variant="default"
                disabled={confirming.isPending}
                onClick={() => confirming.mutate('passkey')}
              >
                Use a passkey
              </Button>
            )}
            <Button type="submit" loading={confirming.isPending} disabled={password === ''}>
              Continue
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
