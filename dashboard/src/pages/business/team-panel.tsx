import { Button, Stack, Title } from '@mantine/core';
import { IconUserPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Loaded } from '../../parts/loaded.tsx';
import { Panel } from '../../parts/panel.tsx';
import { useBusiness } from '../../shell/business-context.ts';
import classes from './business.module.css';
import { InvitationsTable } from './invitations-table.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { MembersTable } from './members-table.tsx';
import { useTeam } from './team.ts';

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
