import { Button, Group, PasswordInput, type PasswordInputProps, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { UseMutationResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, unwrap } from '../../api/client.ts';
import { fieldErrors } from '../../api/errors.ts';
import { useFocusOnError } from '../../components/hooks.ts';
import { Panel } from '../../components/panel.tsx';
import { ErrorAlert } from '../../components/states.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { toast } from '../../components/toast.tsx';
import { type Entered, type SecondFactorOf, secondFactorOf } from './confirmation.ts';
import classes from './profile.module.css';
import { type Profile, useAccountChange } from './profile.ts';

/** Hidden username field, by which password managers assign the password to the account. */
function UsernameField({ email }: { readonly email: string }) {
  return <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />;
}

const toggleProps = { 'aria-label': 'Show the password' };

/** A password input with a visibility toggle. Sets aria-invalid, which Mantine's PasswordInput does not. */
function PasswordField(props: PasswordInputProps) {
  return (
    <PasswordInput
      required
      visibilityToggleFocusable
      visibilityToggleButtonProps={toggleProps}
      aria-invalid={Boolean(props.error)}
      {...props}
    />
  );
}

const emptyValues = { current: '', next: '' };

/** Changes the password. */
export function PasswordPanel({ profile: { email, passwordSetAt } }: { readonly profile: Profile }) {
  const form = useForm({ initialValues: emptyValues });
  const change = useAccountChange((body: typeof emptyValues) =>
    unwrap(api.POST('/profile/password', { body })),
  );
  const formRef = useFocusOnError(change.error);
  const submit = (values: typeof emptyValues) =>
    change.mutate(values, {
      onSuccess: () => {
        form.reset();
        toast('Password changed. All other sessions have ended.');
      },
      onError: (error) => form.setErrors(fieldErrors(error)),
    });
  return (
    <Panel
      title="Password"
      description={
        <>
          Last changed <Timestamp at={passwordSetAt} />. Changing it ends all your other sessions.
        </>
      }
    >
      <form
        ref={formRef}
        onSubmit={form.onSubmit(submit)}
        noValidate
        className={classes.form}
        aria-label="Password"
      >
        <UsernameField email={email} />
        <Stack gap="md">
          <PasswordField
            label="Current password"
            name="current"
            autoComplete="current-password"
            {...form.getInputProps('current')}
          />
          <PasswordField
            label="New password"
            description="At least 12 characters. A few words in a row are fine."
            name="next"
            autoComplete="new-password"
            {...form.getInputProps('next')}
          />
          <ErrorAlert error={change.error} shown={Object.keys(form.values)} />
          <div>
            <Button type="submit" loading={change.isPending}>
              Change password
            </Button>
          </div>
        </Stack>
      </form>
    </Panel>
  );
}

const codeField = {
  app: {
    label: 'Code from the app',
    description: 'Six digits from your authenticator app, or a recovery code.',
    required: true,
  },
  passkey: {
    label: 'Recovery code',
    description: 'Leave it empty: your browser then asks for your passkey.',
    required: false,
  },
  either: {
    label: 'Code from the app',
    description:
      'Six digits from your authenticator app, or a recovery code. Leave it empty: your browser then asks for your passkey.',
    required: false,
  },
} as const;

interface PasswordFormProps {
  readonly email: string;
  readonly text: ReactNode;
  /** Label of the submit button, a verb. */
  readonly action: string;
  readonly destructive?: boolean;
  /** Second factor besides the password. Unless it is `app`, the browser asks for a passkey if no code is entered. */
  readonly asks?: SecondFactorOf | undefined;
  /** Fields before the password; one of them gets the focus. */
  readonly children?: ReactNode;
  /** Names of the fields whose errors `children` show. */
  readonly fields?: readonly string[];
  readonly mutation: { readonly isPending: boolean; readonly error: Error | null };
  /** @param code empty where none is asked for */
  readonly onSubmit: (password: string, code: string) => void;
  readonly onCancel: () => void;
}

/** Fields whose errors stand at the controls of a PasswordForm. */
const fieldsOf = (asks: SecondFactorOf | undefined): readonly string[] =>
  asks === undefined ? ['password'] : ['password', 'code', 'passkey'];

/** Asks for the password before a sensitive action, so that an open session is not enough. */
export function PasswordForm({
  email,
  text,
  action,
  destructive = false,
  asks,
  children,
  fields = [],
  mutation,
  onSubmit,
  onCancel,
}: PasswordFormProps) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const form = useFocusOnError(mutation.error);
  const errors = mutation.error === null ? {} : fieldErrors(mutation.error);
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(password, code);
      }}
    >
      <UsernameField email={email} />
      <Stack gap="md">
        <Text size="sm">{text}</Text>
        {children}
        <PasswordField
          label="Your password"
          name="password"
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={errors.password}
          data-autofocus={children === undefined || undefined}
        />
        {asks !== undefined && (
          <TextInput
            {...codeField[asks]}
            name="code"
            autoComplete="one-time-code"
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
            error={errors.code ?? errors.passkey}
          />
        )}
        <ErrorAlert error={mutation.error} shown={[...fieldsOf(asks), ...fields]} />
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

/** A PasswordForm that also asks for the second factor of a person who has one. */
export function ConfirmForm<Result>({
  profile,
  mutation,
  onDone,
  ...form
}: Omit<PasswordFormProps, 'email' | 'asks' | 'mutation' | 'onSubmit'> & {
  readonly profile: Profile;
  readonly mutation: UseMutationResult<Result, Error, Entered>;
  readonly onDone: (result: Result) => void;
}) {
  return (
    <PasswordForm
      {...form}
      email={profile.email}
      asks={secondFactorOf(profile)}
      mutation={mutation}
      onSubmit={(password, code) => mutation.mutate({ password, code }, { onSuccess: onDone })}
    />
  );
}
