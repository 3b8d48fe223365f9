import { Button, Group, Text } from '@mantine/core';
import { browserSupportsWebAuthn } from '@simplewebauthn/browser';
import { IconKey, IconPencil, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { Panel } from '../../components/panel.tsx';
import { Row, RowMenu, Rows } from '../../components/rows.tsx';
import { Loaded } from '../../components/states.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { AddPasskeyDialog, RemovePasskeyDialog, RenamePasskeyDialog } from './passkey-dialogs.tsx';
import { type Passkey, type Profile, usePasskeys } from './profile.ts';

function PasskeyRow({ passkey, profile }: { readonly passkey: Passkey; readonly profile: Profile }) {
  const { name, isBackedUp, createdAt, lastUsedAt } = passkey;
  const [dialog, setDialog] = useState<'rename' | 'remove'>();
  const dialogProps = (which: typeof dialog) => ({
    passkey,
    opened: dialog === which,
    onClose: () => setDialog(undefined),
  });
  return (
    <Row
      end={
        <RowMenu
          label={`Actions for ${name}`}
          items={[
            { label: 'Rename', icon: IconPencil, onClick: () => setDialog('rename') },
            { label: 'Remove', icon: IconTrash, destructive: true, onClick: () => setDialog('remove') },
          ]}
        />
      }
    >
      <Group gap={6}>
        <Text size="sm" fw={600} lineClamp={2} title={name}>
          {name}
        </Text>
        {isBackedUp && <StatusBadge tone="neutral">Synced</StatusBadge>}
      </Group>
      <Text size="sm" c="dimmed">
        Added <Timestamp at={createdAt} />.{' '}
        {lastUsedAt === null ? (
          'Not used yet.'
        ) : (
          <>
            Last used <Timestamp at={lastUsedAt} />.
          </>
        )}
      </Text>
      <RenamePasskeyDialog {...dialogProps('rename')} />
      <RemovePasskeyDialog profile={profile} {...dialogProps('remove')} />
    </Row>
  );
}

/** Why this page cannot add a passkey; undefined when it can. */
function obstacleOf(origin: string | null): string | undefined {
  if (origin === null)
    return 'Passkeys do not work on an IP address. Open the dashboard under a domain name.';
  if (origin !== location.origin) return `Open the dashboard at ${origin} to add a passkey.`;
  return browserSupportsWebAuthn() ? undefined : 'This browser does not support passkeys.';
}

/** Passkeys of the person: each logs in alone, and is a second factor. */
export function PasskeysPanel({ profile }: { readonly profile: Profile }) {
  const query = usePasskeys();
  const [isAdding, setAdding] = useState(false);
  return (
    <Panel
      title="Passkeys"
      description="Log in with the fingerprint, face or PIN of a device, without your password. A passkey is also a second factor: once you have one, your password alone no longer logs in."
    >
      <Loaded query={query}>
        {({ origin, passkeys }) => {
          const obstacle = obstacleOf(origin);
          return (
            <>
              {passkeys.length > 0 && (
                <Rows label="Passkeys">
                  {passkeys.map((passkey) => (
                    <PasskeyRow key={passkey.id} passkey={passkey} profile={profile} />
                  ))}
                </Rows>
              )}
              {obstacle === undefined ? (
                <div>
                  <Button
                    variant="default"
                    leftSection={<IconKey size={16} aria-hidden />}
                    onClick={() => setAdding(true)}
                  >
                    Add a passkey
                  </Button>
                </div>
              ) : (
                <Text size="sm" c="dimmed">
                  {obstacle}
                </Text>
              )}
            </>
          );
        }}
      </Loaded>
      <AddPasskeyDialog profile={profile} opened={isAdding} onClose={() => setAdding(false)} />
    </Panel>
  );
}
