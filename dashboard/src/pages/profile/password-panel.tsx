import { Button, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { answerOf, api } from '../../api/client.ts';
import { formFaults } from '../../api/form-faults.ts';
import { ActionError } from '../../parts/action-error.tsx';
import { LoginName } from '../../parts/login-name.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Panel } from '../../parts/panel.tsx';
import { PasswordField } from '../../parts/password-field.tsx';
import { toast } from '../../parts/toast.tsx';
import { useFocusOnFault } from '../../parts/use-focus-on-fault.ts';
import classes from './profile.module.css';
import { type Profile, useAccountChange } from './profile.ts';

const nothing = { current: '', next: '' };

/** The password, and another one in its place. */
export function PasswordPanel({ profile: { email, passwordSetAt } }: { readonly profile: Profile }) {
  const form = useForm({ initialValues: nothing });
  const change = useAccountChange((body: typeof nothing) =>
    answerOf(api.POST('/profile/password', { body })),
  );
  const element = useFocusOnFault(change.error);
  const submit = (values: typeof nothing) =>
    change.mutate(values, {
      onSuccess: () => {
        form.reset();
        toast('Your password is changed. You are logged out everywhere else.');
      },
      onError: (error) => form.setErrors(formFaults(error)),
    });
  return (
    <Panel
      title="Password"
      description={
        <>
          Set <Moment at={passwordSetAt} />. A new one logs you out everywhere but here.
        </>
      }
    >
      <form
        ref={element}
        onSubmit={form.onSubmit(submit)}
        noValidate
        className={classes.form}
        aria-label="Password"
      >
        <LoginName email={email} />
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
          {Object.keys(form.errors).length === 0 && <ActionError error={change.error} />}
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
