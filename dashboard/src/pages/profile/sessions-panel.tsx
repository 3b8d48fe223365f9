import { Badge, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { Address } from '../../parts/address.tsx';
import { type Column, DataTable } from '../../parts/data-table/data-table.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Panel } from '../../parts/panel.tsx';
import { EndOthersDialog } from './end-others-dialog.tsx';
import { EndSession } from './end-session.tsx';
import { type LoginSession, useLoginSessions } from './profile.ts';

const columns: readonly Column<LoginSession>[] = [
  { header: 'Browser', cell: (session) => <Browser session={session} /> },
  { header: 'Address', cell: ({ address }) => <Address ip={address} /> },
  { header: 'Logged in', cell: ({ beganAt }) => <Moment at={beganAt} /> },
  { header: 'Last used', cell: ({ lastSeenAt }) => <Moment at={lastSeenAt} /> },
  {
    header: 'Actions',
    actions: true,
    cell: (session) => (session.isThisOne ? null : <EndSession session={session} />),
  },
];

/** Where the person is logged in. */
export function SessionsPanel() {
  const query = useLoginSessions();
  const [isAsked, setAsked] = useState(false);
  const others = query.data?.filter(({ isThisOne }) => !isThisOne).length ?? 0;
  return (
    <Panel
      title="Sessions"
      description="Where you are logged in. End what you do not recognise, then change your password."
      actions={
        others > 0 && (
          <Button variant="outline" color="red" onClick={() => setAsked(true)}>
            End all others
          </Button>
        )
      }
    >
      <Loaded query={query}>
        {(sessions) => (
          <DataTable label="Sessions" columns={columns} rows={sessions} keyOf={({ ref }) => ref} />
        )}
      </Loaded>
      <EndOthersDialog count={others} opened={isAsked} onClose={() => setAsked(false)} />
    </Panel>
  );
}

function Browser({ session: { browser, isThisOne } }: { readonly session: LoginSession }) {
  return (
    <Group gap={6}>
      <Text size="sm" fw={600} lineClamp={2} title={browser}>
        {browser}
      </Text>
      {isThisOne && (
        <Badge variant="light" color="green" size="sm" radius="sm" tt="none" flex="none">
          This one
        </Badge>
      )}
    </Group>
  );
}
