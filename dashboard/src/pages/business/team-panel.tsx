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
import { type MemberAction, MemberDialogs, RoleName } from './member-dialogs.tsx';
import { otherRole, roles, type TeamMember, useTeam } from './team.ts';

/** What may be done about a member, by whoever looks at it. */
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
    label: `Change to ${roles[otherRole(member)].name.toLowerCase()}`,
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
      label={isYou ? 'You in the team' : `Change ${name}`}
      items={role === 'owner' ? [changeRole, remove] : [remove]}
    />
  );
}

const columns: readonly Column<TeamMember>[] = [
  { header: 'Person', cell: (member) => <Person member={member} /> },
  { header: 'Role', cell: ({ role }) => <RoleName role={role} /> },
  { header: 'Second factor', cell: ({ hasSecondFactor }) => <SecondFactor isOn={hasSecondFactor} /> },
  {
    header: 'Last seen',
    cell: ({ lastSeenAt }) => (
      <span className={classes.word}>
        <Timestamp at={lastSeenAt} absent="Not lately" />
      </span>
    ),
  },
  { header: 'Since', cell: ({ joinedAt }) => <Timestamp at={joinedAt} format="date" /> },
];

/** Everybody who belongs to the business, with what may be done about them. */
function MembersTable({ members }: { readonly members: readonly TeamMember[] }) {
  const { role } = useBusiness();
  const [asked, setAsked] = useState<MemberAction>();
  const [isOpen, setOpen] = useState(false);
  const owners = members.filter((member) => member.role === 'owner').length;
  const ask = (act: MemberAction['action'], member: TeamMember) => {
    setAsked({ action: act, member, isLastOwner: member.role === 'owner' && owners === 1 });
    setOpen(true);
  };
  const actions: Column<TeamMember> = {
    header: 'Actions',
    actions: true,
    cell: (member) =>
      role === 'owner' || member.isYou ? (
        <MemberMenu
          member={member}
          onRole={() => ask('role', member)}
          onRemove={() => ask('remove', member)}
        />
      ) : null,
  };
  return (
    <>
      <DataTable
        label="Members of the team"
        columns={[...columns, actions]}
        rows={members}
        keyOf={({ personId }) => personId}
      />
      {asked !== undefined && (
        <MemberDialogs request={asked} opened={isOpen} onClose={() => setOpen(false)} />
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
  return isOn ? <StatusBadge tone="good">On</StatusBadge> : <StatusBadge tone="neutral">Off</StatusBadge>;
}

/** Who looks after the business. */
export function TeamPanel() {
  const { role } = useBusiness();
  const query = useTeam();
  const [isInviting, setInviting] = useState(false);
  return (
    <Panel
      title="Team"
      description={
        role === 'owner'
          ? 'The people who can see this business and act for it here.'
          : 'The people who can see this business and act for it here. Only owners can invite, remove and change roles.'
      }
      actions={
        role === 'owner' && (
          <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={() => setInviting(true)}>
            Invite somebody
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
