import { Anchor, Button, Group, Space, Stack, Text, Title } from '@mantine/core';
import { IconPlugConnected, IconPlugConnectedX } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { Link } from 'wouter';
import { formatNumber } from '../../components/format.ts';
import { IpAddress } from '../../components/ip-address.tsx';
import { OldStringsPanel } from '../../components/old-strings.tsx';
import { Surface, SurfaceList } from '../../components/panel.tsx';
import { DescriptionList, LoadMore } from '../../components/rows.tsx';
import { ScopeList } from '../../components/scopes.tsx';
import { EmptyState, Loaded, LoadingRows } from '../../components/states.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { PageHeader } from '../../shell/page-header.tsx';
import { useBusiness } from '../../shell/session-context.ts';
import { requestsPath } from '../requests/filter.ts';
import classes from './connected.module.css';
import { type ConnectedApp, publisherLabel, unusedAdvice, useConnectedApps } from './connections.ts';
import { DisconnectDialog } from './disconnect-dialog.tsx';
import { SuspensionDialog, SuspensionNotice } from './suspension.tsx';

/** Permissions of an app with their last use. */
function ApprovedScopes({ app }: { readonly app: ConnectedApp }) {
  const advice = unusedAdvice(app, Date.now());
  return (
    <div className={classes.permissions}>
      <ScopeList
        label="Permissions"
        scopes={app.scopes.map((use) => ({
          scope: use.scope,
          status: <UseBadge use={use} isSettled={advice !== undefined} />,
        }))}
      />
      {advice !== undefined && (
        <Text size="sm" c="dimmed" mt="sm">
          {advice}
        </Text>
      )}
    </div>
  );
}

function UseBadge({
  use: { used, lastUsedAt },
  isSettled,
}: {
  readonly use: ConnectedApp['scopes'][number];
  /** Whether the app had enough time to use it. */
  readonly isSettled: boolean;
}) {
  if (!used) {
    return isSettled ? (
      <StatusBadge tone="warning">Never used</StatusBadge>
    ) : (
      <StatusBadge tone="neutral">Not used yet</StatusBadge>
    );
  }
  return (
    <StatusBadge tone="good">
      Used
      {lastUsedAt !== null && (
        <>
          {' '}
          <Timestamp at={lastUsedAt} />
        </>
      )}
    </StatusBadge>
  );
}

/** A connected app with its permissions and usage. */
function ConnectedAppCard({
  app,
  actions,
}: {
  readonly app: ConnectedApp;
  /** Undefined for people who are no owners: they may change nothing. */
  readonly actions: { readonly onDisconnect: () => void; readonly onSuspend: () => void } | undefined;
}) {
  const heading = useId();
  return (
    <Surface component="li" className={classes.card} aria-labelledby={heading}>
      <div className={classes.head}>
        <div>
          <Title order={2} id={heading}>
            {app.application.name}
          </Title>
          <Text size="sm" c="dimmed">
            {publisherLabel(app)}
          </Text>
        </div>
        {actions !== undefined && (
          <Group gap="sm">
            <Button variant="default" size="sm" aria-describedby={heading} onClick={actions.onSuspend}>
              {app.suspension === null ? 'Suspend' : 'Resume'}
            </Button>
            <Button
              variant="default"
              c="var(--mantine-color-error)"
              size="sm"
              leftSection={<IconPlugConnectedX size={16} aria-hidden />}
              aria-describedby={heading}
              onClick={actions.onDisconnect}
            >
              Disconnect
            </Button>
          </Group>
        )}
      </div>
      <SuspensionNotice app={app} />
      <Text size="sm" className={classes.description ?? ''}>
        {app.application.description}
      </Text>
      <ApprovedScopes app={app} />
      <AppFacts app={app} />
    </Surface>
  );
}

function AppFacts({ app }: { readonly app: ConnectedApp }) {
  const { lastUsedAt, lastUsedIp, requestsLastDay, approvedBy, approvedAt, connectedAt } = app;
  const lastUse = (
    <>
      <Timestamp at={lastUsedAt} absent="Never" />
      {lastUsedIp !== null && (
        <>
          {' from '}
          <IpAddress ip={lastUsedIp} />
        </>
      )}
    </>
  );
  const approval = (
    <>
      <Timestamp at={approvedAt} format="date" /> by {approvedBy ?? 'a former member'}
      {connectedAt.slice(0, 10) !== approvedAt.slice(0, 10) && (
        <Text size="xs" c="dimmed">
          First connected <Timestamp at={connectedAt} format="date" />
        </Text>
      )}
    </>
  );
  return (
    <DescriptionList
      items={[
        ['Last used', lastUse],
        [
          'Requests in the last 24 hours',
          <Anchor key="requests" component={Link} href={requestsPath({ credential: app.id, span: '24h' })}>
            {formatNumber(requestsLastDay)}
          </Anchor>,
        ],
        ['Approved', approval],
      ]}
    />
  );
}

export default function ConnectedPage() {
  const query = useConnectedApps();
  const { role } = useBusiness();
  const [chosen, setChosen] = useState<ConnectedApp>();
  const [openDialog, setOpenDialog] = useState<'disconnect' | 'suspension'>();
  const open = (dialog: typeof openDialog, app: ConnectedApp) => {
    setChosen(app);
    setOpenDialog(dialog);
  };
  const dialogProps = (dialog: typeof openDialog) => ({
    opened: openDialog === dialog,
    onClose: () => setOpenDialog(undefined),
  });
  return (
    <>
      <PageHeader
        title="Connected apps"
        description="Apps of other businesses that can act for this business, and what they use."
      />
      <Loaded query={query} loading={<LoadingRows rows={2} height={220} />}>
        {(apps) =>
          apps.length === 0 ? (
            <NoConnectedApps />
          ) : (
            <Stack gap="md">
              {role !== 'owner' && (
                <Text size="sm" c="dimmed">
                  Only owners of the business can suspend or disconnect an app.
                </Text>
              )}
              <SurfaceList label="Connected apps">
                {apps.map((app) => (
                  <ConnectedAppCard
                    key={app.id}
                    app={app}
                    actions={
                      role === 'owner'
                        ? {
                            onDisconnect: () => open('disconnect', app),
                            onSuspend: () => open('suspension', app),
                          }
                        : undefined
                    }
                  />
                ))}
              </SurfaceList>
              <LoadMore query={query} />
            </Stack>
          )
        }
      </Loaded>
      <Space h="lg" />
      <OldStringsPanel
        title="Apps that call with ended tokens"
        description="They still send tokens that were revoked, or whose connection ended. They get no access."
        includes={({ caller }) => caller.kind === 'application'}
        named
      />
      {chosen !== undefined && (
        <>
          <DisconnectDialog app={chosen} {...dialogProps('disconnect')} />
          <SuspensionDialog key={chosen.id} app={chosen} {...dialogProps('suspension')} />
        </>
      )}
    </>
  );
}

function NoConnectedApps() {
  return (
    <EmptyState icon={IconPlugConnected} title="No connected apps">
      Software of other businesses can ask for access to this business. Apps you approve are listed here, and
      you can disconnect them at any time. Your own apps are under{' '}
      <Anchor component={Link} href="/settings/developers/apps">
        Apps
      </Anchor>
      .
    </EmptyState>
  );
}
