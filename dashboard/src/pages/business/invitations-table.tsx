import { Text } from '@mantine/core';
import { useState } from 'react';
import { type Column, DataTable } from '../../parts/data-table/data-table.tsx';
import { Moment } from '../../parts/moment.tsx';
import { useBusiness } from '../../shell/business-context.ts';
import { InvitationMenu } from './invitation-menu.tsx';
import { RoleName } from './role-name.tsx';
import type { Invitation } from './team.ts';
import { WithdrawDialog } from './withdraw-dialog.tsx';

const columns: readonly Column<Invitation>[] = [
  {
    header: 'Address',
    cell: ({ email }) => (
      <Text size="sm" fw={600} lineClamp={2} title={email}>
        {email}
      </Text>
    ),
  },
  { header: 'Role', cell: ({ role }) => <RoleName role={role} /> },
  {
    header: 'Invited by',
    cell: ({ inviterName }) => (inviterName === '' ? 'An account that is gone' : inviterName),
  },
  { header: 'Sent', cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { header: 'Ends', cell: ({ expiresAt }) => <Moment at={expiresAt} /> },
];

/** Who was asked to join and has not done so yet. */
export function InvitationsTable({ invitations }: { readonly invitations: readonly Invitation[] }) {
  const { role } = useBusiness();
  const [asked, setAsked] = useState<Invitation>();
  const [isOpen, setOpen] = useState(false);
  const actions: Column<Invitation> = {
    header: 'Actions',
    actions: true,
    cell: (invitation) => (
      <InvitationMenu
        invitation={invitation}
        onWithdraw={() => {
          setAsked(invitation);
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
      {asked !== undefined && (
        <WithdrawDialog invitation={asked} opened={isOpen} onClose={() => setOpen(false)} />
      )}
    </>
  );
}
