import { Anchor, Button, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { api, suppressLoginRedirect, unwrap } from '../../api/client.ts';
import { Dialog } from '../../components/dialog.tsx';
import { pluralize } from '../../components/format.ts';
import { Panel } from '../../components/panel.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { Loaded } from '../../components/states.tsx';
import { useSession } from '../../shell/session-context.ts';
import { confirmed, type Entered } from './confirmation.ts';
import { ConfirmForm } from './password.tsx';
import { type DeletionObstacle, type Profile, useDeletionObstacles } from './profile.ts';

function DeleteAccountDialog({
  profile,
  opened,
  onClose,
}: {
  readonly profile: Profile;
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  // Refreshes nothing, because a request without a session would replace the session of the login page.
  const deletion = useMutation({
    mutationFn: async (entered: Entered) =>
      unwrap(api.DELETE('/profile', { body: await confirmed(profile, entered) })),
  });
  const close = () => {
    onClose();
    deletion.reset();
  };
  return (
    <Dialog opened={opened} onClose={close} title="Delete your account?" closeOnClickOutside={false}>
      <ConfirmForm
        profile={profile}
        text={
          <>
            <strong>You are logged out everywhere at once, and leave all businesses.</strong> Your name, email
            address, password, passkeys and second factor are removed. API keys that you created keep working.
            This cannot be undone.
          </>
        }
        action="Delete account"
        destructive
        mutation={deletion}
        onDone={() => {
          suppressLoginRedirect();
          location.assign('/login?after=account-deleted');
        }}
        onCancel={close}
      />
    </Dialog>
  );
}

/** Advice: the steps before the account can be deleted. */
function adviceFor({ reason, keys, apps, connections }: DeletionObstacle): string {
  if (reason === 'members') {
    return 'You are its only owner, and it has other members. Make one of them an owner, or remove them.';
  }
  const active = [
    keys > 0 && pluralize(keys, 'API key', 'API keys'),
    apps > 0 && pluralize(apps, 'app', 'apps'),
    connections > 0 && pluralize(connections, 'connected app', 'connected apps'),
  ].filter((part) => part !== false);
  return `You are its only owner, and it has ${active.join(', ')}. Delete and disconnect them, or make another person an owner.`;
}

/** Businesses that the person must hand over or empty first. */
function Obstacles({ obstacles }: { readonly obstacles: readonly DeletionObstacle[] }) {
  const { businesses } = useSession();
  const nameOf = (id: string) => businesses.find((each) => each.id === id)?.name ?? `Business ${id}`;
  return (
    <Stack gap="xs">
      <Text size="sm">Before you can delete your account:</Text>
      <Rows label="Businesses that need an owner" isStacked>
        {obstacles.map((obstacle) => (
          <Row
            key={obstacle.businessId}
            end={
              <Anchor
                component={Link}
                href={`~/dashboard/${obstacle.businessId}/settings/business`}
                size="sm"
              >
                Open its settings
              </Anchor>
            }
          >
            <Text size="sm" fw={600}>
              {nameOf(obstacle.businessId)}
            </Text>
            <Text size="sm" c="dimmed">
              {adviceFor(obstacle)}
            </Text>
          </Row>
        ))}
      </Rows>
    </Stack>
  );
}

/** Deletes the account, unless a business would be left without an owner. */
export function DeleteAccountPanel({ profile }: { readonly profile: Profile }) {
  const query = useDeletionObstacles();
  const [isConfirming, setConfirming] = useState(false);
  return (
    <Panel
      title="Delete account"
      description="Removes your name, email address and password, and ends your part in all businesses."
    >
      <Loaded query={query}>
        {(obstacles) =>
          obstacles.length > 0 ? (
            <Obstacles obstacles={obstacles} />
          ) : (
            <div>
              <Button color="red" variant="light" onClick={() => setConfirming(true)}>
                Delete account
              </Button>
            </div>
          )
        }
      </Loaded>
      <DeleteAccountDialog profile={profile} opened={isConfirming} onClose={() => setConfirming(false)} />
    </Panel>
  );
}
