import { Button, Group, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { formFaults } from '../../api/form-faults.ts';
import { ActionError } from '../../parts/action-error.tsx';
import { toast } from '../../parts/toast.tsx';
import { useFocusOnFault } from '../../parts/use-focus-on-fault.ts';
import { type Role, roles, useInvite } from './team.ts';

/** Whom to invite, and as what. */
export function InviteForm({ onDone }: { readonly onDone: () => void }) {
  const form = useForm<{ email: string; role: Role }>({ initialValues: { email: '', role: 'member' } });
  const invitation = useInvite(({ email }) => {
    toast(`The invitation is on its way to ${email}.`);
    onDone();
  });
  const element = useFocusOnFault(invitation.error);
  return (
    <form
      ref={element}
      noValidate
      onSubmit={form.onSubmit((values) =>
        invitation.mutate(values, { onError: (error) => form.setErrors(formFaults(error)) }),
      )}
    >
      <Stack gap="md">
        <TextInput
          label="Email address"
          type="email"
          required
          autoComplete="off"
          placeholder="name@example.com"
          data-autofocus
          {...form.getInputProps('email')}
        />
        <Radio.Group label="Role" required {...form.getInputProps('role')}>
          <Stack gap="sm" mt="xs">
            {(['member', 'owner'] as const).map((role) => (
              <Radio key={role} value={role} label={roles[role].name} description={roles[role].text} />
            ))}
          </Stack>
        </Radio.Group>
        <Text size="sm" c="dimmed">
          We mail a link that works once, within 7 days. Only somebody who logs in with this very address can
          use it.
        </Text>
        {Object.keys(form.errors).length === 0 && <ActionError error={invitation.error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onDone} disabled={invitation.isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={invitation.isPending}>
            Send the invitation
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
