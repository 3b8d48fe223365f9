import { Button, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { formFaults } from '../../api/form-faults.ts';
import { ActionError } from '../../parts/action-error.tsx';
import { LoginName } from '../../parts/login-name.tsx';
import { PasswordField } from '../../parts/password-field.tsx';
import { useFocusOnFault } from '../../parts/use-focus-on-fault.ts';

/** Asks for the password once more, before something that a session that was left open must not be enough for. */
export function PasswordForm({
  email,
  text,
  action,
  destructive = false,
  mutation,
  onSubmit,
  onCancel,
}: {
  readonly email: string;
  readonly text: ReactNode;
  /** The act, as a verb. */
  readonly action: string;
  readonly destructive?: boolean;
  readonly mutation: { readonly isPending: boolean; readonly error: Error | null };
  readonly onSubmit: (password: string) => void;
  readonly onCancel: () => void;
}) {
  const [password, setPassword] = useState('');
  const form = useFocusOnFault(mutation.error);
  const fault = mutation.error === null ? undefined : formFaults(mutation.error).password;
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(password);
      }}
    >
      <LoginName email={email} />
      <Stack gap="md">
        <Text size="sm">{text}</Text>
        <PasswordField
          label="Your password"
          name="password"
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={fault}
          data-autofocus
        />
        {fault === undefined && <ActionError error={mutation.error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onCancel} disabled={mutation.isPending}>
            Cancel
          </Button>
          <Button type="submit" color={destructive ? 'red' : 'accent'} loading={mutation.isPending}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
