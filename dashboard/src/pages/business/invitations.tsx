import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconMailForward, IconMailOff } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrap } from '../../api/client.ts';
import { fieldErrors } from '../../api/errors.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx';
import { useFocusOnError } from '../../components/hooks.ts';
import { RowMenu } from '../../components/rows.tsx';
import { ErrorAlert } from '../../components/states.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { toast, toastError } from '../../components/toast.tsx';
import { useBusiness } from '../../shell/session-context.ts';
import { RoleField, RoleName } from './role-field.tsx';
import { type Invitation, type Role, useInvite, useRefreshTeam } from './team.ts';

function InvitationMenu({
  invitation: { email, role },
  onWithdraw,
}: {
  readonly invitation: Invitation;
  readonly onWithdraw: () => void;
}) {
  const again = useInvite(() =>
    toast(`Invitation sent to ${email} again. The previous link no longer works.`),
  );
  const sendAgain = () => again.mutate({ email, role }, { onError: toastError });
  return (
    <RowMenu
      label={`Actions for the invitation of ${email}`}
      loading={again.isPending}
      items={[
        { label: 'Resend', icon: IconMailForward, onClick: sendAgain },
        { label: 'Withdraw', icon: IconMailOff, destructive: true, onClick: onWithdraw },
      ]}
    />
  );
}

/** Withdraws an invitation after confirmation. */
function WithdrawDialog({
  invitation: { id: invitationId, email },
  opened,
  onClose,
}: {
  readonly invitation: Invitation;
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  const { id: businessId } = useBusiness();
  const refresh = useRefreshTeam();
  const withdrawal = useMutation({
    mutationFn: () =>
      unwrap(
        api.DELETE('/businesses/{businessId}/team/invitations/{invitationId}', {
          params: { path: { businessId, invitationId } },
        }),
      ),
    onSuccess: async () => {
      onClose();
      toast(`Invitation of ${email} withdrawn.`);
      await refresh();
    },
  });
  return (
    <ConfirmDialog
      title="Withdraw this invitation?"
      action="Withdraw"
      destructive
      opened={opened}
      onClose={() => {
        onClose();
        withdrawal.reset();
      }}
      mutation={withdrawal}
      onConfirm={() => withdrawal.mutate()}
    >
      <Text size="sm">
        The link that was sent to <strong>{email}</strong> stops working at once. You can invite this address
        again.
      </Text>
    </ConfirmDialog>
  );
}

const columns: readonly Column<Invitation>[] = [
  {
    header: 'Email',
    cell: ({ email }) => (
      <Text size="sm" fw={600} lineClamp={2} title={email}>
        {email}
      </Text>
    ),
  },
  { header: 'Role', cell: ({ role }) => <RoleName role={role} /> },
  {
    header: 'Invited by',
    cell: ({ inviterName }) => (inviterName === '' ? 'Deleted account' : inviterName),
  },
  { header: 'Sent', cell: ({ createdAt }) => <Timestamp at={createdAt} /> },
  { header: 'Expires', cell: ({ expiresAt }) => <Timestamp at={expiresAt} /> },
];

/** Invitations that are not accepted yet. */
export function InvitationsTable({ invitations }: { readonly invitations: readonly Invitation[] }) {
  const { role } = useBusiness();
  const [selected, setSelected] = useState<Invitation>();
  const [isOpen, setOpen] = useState(false);
  const actions: Column<Invitation> = {
    header: 'Actions',
    actions: true,
    cell: (invitation) => (
      <InvitationMenu
        invitation={invitation}
        onWithdraw={() => {
          setSelected(invitation);
          setOpen(true);
        }}
      />
    ),
  };
  return (
    <>
      <DataTable
        label="Open invitations"
        columns={role === 'owner' ? [...columns, actions] : columns}
        rows={invitations}
        keyOf={({ id }) => id}
      />
      {selected !== undefined && (
        <WithdrawDialog invitation={selected} opened={isOpen} onClose={() => setOpen(false)} />
      )}
    </>
  );
}

function InviteForm({ onDone }: { readonly onDone: () => void }) {
  const form = useForm<{ email: string; role: Role }>({ initialValues: { email: '', role: 'developer' } });
  const invitation = useInvite(({ email }) => {
    toast(`Invitation sent to ${email}.`);
    onDone();
  });
  const formRef = useFocusOnError(invitation.error);
  return (
    <form
      ref={formRef}
      noValidate
      onSubmit={form.onSubmit((values) =>
        invitation.mutate(values, { onError: (error) => form.setErrors(fieldErrors(error)) }),
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
        <RoleField {...form.getInputProps('role')} />
        <Text size="sm" c="dimmed">
          We send an email with a link that works once, within 7 days. Accepting it requires an account with
          this email address.
        </Text>
        <ErrorAlert error={invitation.error} shown={Object.keys(form.values)} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onDone} disabled={invitation.isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={invitation.isPending}>
            Send invitation
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

export function InviteDialog({
  opened,
  onClose,
}: {
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Invite a person" closeOnClickOutside={false}>
      <InviteForm onDone={onClose} />
    </Dialog>
  );
}
