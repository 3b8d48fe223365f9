import { Badge, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { api, unwrap } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { pluralize } from '../../components/format.ts';
import { IpAddress } from '../../components/ip-address.tsx';
import { Panel } from '../../components/panel.tsx';
import { Loaded } from '../../components/states.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { toast, toastError } from '../../components/toast.tsx';
import { type LoginSession, useAccountChange, useLoginSessions } from './profile.ts';

/** Ends all other sessions. */
function EndOtherSessionsDialog({
  count,
  opened,
  onClose,
}: {
  /** Number of other sessions. */
  readonly count: number;
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  const ending = useAccountChange(() => unwrap(api.DELETE('/profile/sessions')));
  const close = () => {
    onClose();
    ending.reset();
  };
  return (
    <ConfirmDialog
      title="End all other sessions?"
      action="End all others"
      destructive
      opened={opened}
      onClose={close}
      mutation={ending}
      onConfirm={() =>
        ending.mutate(undefined, {
          onSuccess: ({ ended }) => {
            close();
            toast(`${pluralize(ended, 'session has', 'sessions have')} ended.`);
          },
        })
      }
    >
      <Text size="sm">
        {pluralize(count, 'other browser is', 'other browsers are')} logged out at once. You stay logged in
        here.
      </Text>
    </ConfirmDialog>
  );
}

/** Ends one session. */
function EndSession({ session: { ref, browser } }: { readonly session: LoginSession }) {
  const end = useAccountChange(async () => {
    const params = { path: { sessionRef: ref } };
    // A session that has already ended is fine.
    await unwrap(api.DELETE('/profile/sessions/{sessionRef}', { params })).catch(ignoreNotFound);
  });
  return (
    <Button
      variant="default"
      size="xs"
      loading={end.isPending}
      aria-label={`End the session of ${browser}`}
      onClick={() =>
        end.mutate(undefined, {
          onSuccess: () => toast(`Session of ${browser} ended.`),
          onError: toastError,
        })
      }
    >
      End
    </Button>
  );
}

function ignoreNotFound(error: unknown): undefined {
  if (error instanceof ApiError && error.status === 404) return undefined;
  throw error;
}

const columns: readonly Column<LoginSession>[] = [
  { header: 'Browser', cell: (session) => <Browser session={session} /> },
  { header: 'IP address', cell: ({ address }) => <IpAddress ip={address} /> },
  { header: 'Logged in', cell: ({ beganAt }) => <Timestamp at={beganAt} /> },
  { header: 'Last used', cell: ({ lastSeenAt }) => <Timestamp at={lastSeenAt} /> },
  {
    header: 'Actions',
    actions: true,
    cell: (session) => (session.isThisOne ? null : <EndSession session={session} />),
  },
];

export function SessionsPanel() {
  const query = useLoginSessions();
  const [isConfirming, setConfirming] = useState(false);
  const others = query.data?.filter(({ isThisOne }) => !isThisOne).length ?? 0;
  return (
    <Panel
      title="Sessions"
      description="Browsers in which you are logged in. If you do not recognize one, end it and change your password."
      actions={
        others > 0 && (
          <Button variant="outline" color="red" onClick={() => setConfirming(true)}>
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
      <EndOtherSessionsDialog count={others} opened={isConfirming} onClose={() => setConfirming(false)} />
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
          This browser
        </Badge>
      )}
    </Group>
  );
}
