import { Alert, Button, Group, List, Stack, Text } from '@mantine/core';
import { IconMailQuestion } from '@tabler/icons-react';
import { Surface } from '../../parts/surface.tsx';
import { logOut } from '../../shell/log-out.ts';
import { useSession } from '../../shell/session-context.ts';
import { type InvitationPreview, inviterOf } from './invitation.ts';
import classes from './join.module.css';
import { ToDashboard } from './to-dashboard.tsx';

/** For somebody who is logged in with another address than the one that was invited. */
export function ForSomebodyElse({ invitation }: { readonly invitation: InvitationPreview }) {
  const { person } = useSession();
  return (
    <Surface component="section" className={classes.card} aria-label="Invitation">
      <Stack gap="md">
        <Text>
          {inviterOf(invitation)} invites somebody to join <strong>{invitation.businessName}</strong>.
        </Text>
        <Alert
          color="yellow"
          icon={<IconMailQuestion />}
          title="This invitation is for another email address"
          role="status"
        >
          You are logged in as <strong>{person.email}</strong>. Only the address that the invitation was sent
          to can accept it.
        </Alert>
        <Text size="sm" component="div">
          If that address is yours, too:
          <List size="sm" type="ordered" mt={4} spacing={4}>
            <List.Item>Log out here.</List.Item>
            <List.Item>
              Log in with that address. If it has no account yet, choose “Create an account” there and sign up
              with it.
            </List.Item>
            <List.Item>You come back to this invitation, and can accept it.</List.Item>
          </List>
        </Text>
        <Group gap="sm">
          <Button onClick={() => logOut(location.pathname + location.search)}>Log out and go on</Button>
          <ToDashboard />
        </Group>
      </Stack>
    </Surface>
  );
}
