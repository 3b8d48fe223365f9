import { Badge, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { type Column, DataTable } from '../../parts/data-table/data-table.tsx';
import { Moment } from '../../parts/moment.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { useBusiness } from '../../shell/business-context.ts';
import classes from './business.module.css';
import { type MemberAct, MemberDialogs } from './member-dialogs.tsx';
import { MemberMenu } from './member-menu.tsx';
import { RoleName } from './role-name.tsx';
import type { TeamMember } from './team.ts';

const columns: readonly Column<TeamMember>[] = [
  { header: 'Person', cell: (member) => <Person member={member} /> },
  { header: 'Role', cell: ({ role }) => <RoleName role={role} /> },
  { header: 'Second factor', cell: ({ hasSecondFactor }) => <SecondFactor isOn={hasSecondFactor} /> },
  {
    header: 'Last seen',
    cell: ({ lastSeenAt }) => (
      <span className={classes.word}>
        <Moment at={lastSeenAt} absent="Not lately" />
      </span>
    ),
  },
  { header: 'Since', cell: ({ joinedAt }) => <Moment at={joinedAt} format="date" /> },
];

/** Everybody who belongs to the business, with what may be done about them. */
export function MembersTable({ members }: { readonly members: readonly TeamMember[] }) {
  const { role } = useBusiness();
  const [asked, setAsked] = useState<MemberAct>();
  const [isOpen, setOpen] = useState(false);
  const owners = members.filter((member) => member.role === 'owner').length;
  const ask = (act: MemberAct['act'], member: TeamMember) => {
    setAsked({ act, member, isLastOwner: member.role === 'owner' && owners === 1 });
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
      {asked !== undefined && <MemberDialogs asked={asked} opened={isOpen} onClose={() => setOpen(false)} />}
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
