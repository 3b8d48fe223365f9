import { Badge, Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconLogout2, IconUserMinus, IconUserPlus, IconUserShield } from '@tabler/icons-react';
import { useState } from 'react';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Panel } from '../../components/panel.tsx';
import { RowMenu } from '../../components/rows.tsx';
import { Loaded } from '../../components/states.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { useBusiness } from '../../shell/session-context.ts';
import classes from './business.module.css';
import { InvitationsTable, InviteDialog } from './invitations.tsx';
import { type MemberAction, MemberDialogs } from './member-dialogs.tsx';
import { RoleName } from './role-field.tsx';
import { type TeamMember, useTeam } from './team.ts';

/** Actions on a member, as the role of the person at the screen allows. */
function MemberMenu({
  member,
  onRole,
  onRemove,
}: {
  readonly member: TeamMember;
  readonly onRole: () => void;
  readonly onRemove: () => void;
}) {
  const { role } = useBusiness();
  const { name, isYou } = member;
  const changeRole = {
    label: isYou ? 'Change your role' : 'Change the role',
    icon: IconUserShield,
    onClick: onRole,
  };
  const remove = {
    label: isYou ? 'Leave the team' : 'Remove from the team',
    icon: isYou ? IconLogout2 : IconUserMinus,
    destructive: true,
    onClick: onRemove,
  };
  return (
    <RowMenu
      label={isYou ? 'Actions for you' : `Actions for ${name}`}
      items={role === 'owner' ? [changeRole, remove] : [remove]}
    />
  );
}

const firstColumns: readonly Column<TeamMember>[] = [
  { header: 'Person', cell: (member) => <Person member={member} /> },
  { header: 'Role', cell: ({ role }) => <RoleName role={role} /> },
];

/** Second factor of a member. Shown to owners only. */
const factorColumn: Column<TeamMember> = {
  header: 'Second factor',
  cell: ({ hasSecondFactor }) => <SecondFactor isOn={hasSecondFactor === true} />,
};

const lastColumns: readonly Column<TeamMember>[] = [
  {
    header: 'Last seen',
    cell: ({ lastSeenAt }) => (
      <span className={classes.nowrap}>
        <Timestamp at={lastSeenAt} absent="Not recently" />
      </span>
    ),
  },
  { header: 'Since', cell: ({ joinedAt }) => <Timestamp at={joinedAt} format="date" /> },
];

/** Members of the business with their actions. */
function MembersTable({ members }: { readonly members: readonly TeamMember[] }) {
  const { role } = useBusiness();
  const [request, setRequest] = useState<MemberAction>();
  const [isOpen, setOpen] = useState(false);
  const owners = members.filter((member) => member.role === 'owner').length;
  const requestAction = (act: MemberAction['action'], member: TeamMember) => {
    setRequest({ action: act, member, isLastOwner: member.role === 'owner' && owners === 1 });
    setOpen(true);
  };
  const actions: Column<TeamMember> = {
    header: 'Actions',
    actions: true,
    cell: (member) =>
      role === 'owner' || member.isYou ? (
        <MemberMenu
          member={member}
          onRole={() => requestAction('role', member)}
          onRemove={() => requestAction('remove', member)}
        />
      ) : null,
  };
  return (
    <>
      <DataTable
        label="Team members"
        columns={[...firstColumns, ...(role === 'owner' ? [factorColumn] : []), ...lastColumns, actions]}
        rows={members}
        keyOf={({ personId }) => personId}
      />
      {request !== undefined && (
        <MemberDialogs request={request} opened={isOpen} onClose={() => setOpen(false)} />
      )}
    </>
  );
}

function Person({ member: { name, email, isYou } }: { readonly member: TeamMember }) {
  return (
    <div className={classes.person}>
      <Group gap={6} wrap="nowrap" align="flex-start">
        <Text size="sm" fw={600} lineClamp={2} title={name}>
          {name}
        </Text>
        {isYou && (
          <Badge variant="light" color="accent" size="sm" radius="sm" tt="none" flex="none">
            You
          </Badge>
        )}
      </Group>
      <Text size="xs" c="dimmed" fw={400}>
        {email}
      </Text>
    </div>
  );
}

function SecondFactor({ isOn }: { readonly isOn: boolean }) {
  const { requiresSecondFactor } = useBusiness();
  if (isOn) return <StatusBadge tone="good">On</StatusBadge>;
  return requiresSecondFactor ? (
    <StatusBadge tone="warning">Off: no access</StatusBadge>
  ) : (
    <StatusBadge tone="neutral">Off</StatusBadge>
  );
}

export function TeamPanel() {
  const { role } = useBusiness();
  const query = useTeam();
  const [isInviting, setInviting] = useState(false);
  return (
    <Panel
      title="Team"
      description={
        role === 'owner'
          ? 'People with access to this business in the dashboard.'
          : 'People with access to this business in the dashboard. Only owners can invite and remove members and change roles.'
      }
      actions={
        role === 'owner' && (
          <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={() => setInviting(true)}>
            Invite a person
          </Button>
        )
      }
    >
      <Loaded query={query}>
        {({ members, invitations }) => (
          <Stack gap="lg">
            <MembersTable members={members} />
            {invitations.length > 0 && (
              <div>
                <Title order={3} className={classes.subtitle ?? ''}>
                  Open invitations
                </Title>
                <InvitationsTable invitations={invitations} />
              </div>
            )}
          </Stack>
        )}
      </Loaded>
      <InviteDialog opened={isInviting} onClose={() => setInviting(false)} />
    </Panel>
  );
}
