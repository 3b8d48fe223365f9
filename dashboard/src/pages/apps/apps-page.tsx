import { Alert, Anchor, Badge, Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconApps, IconInfoCircle, IconPlus } from '@tabler/icons-react';
import { Link } from 'wouter';
import { Surface, SurfaceList } from '../../components/panel.tsx';
import { DescriptionList } from '../../components/rows.tsx';
import { EmptyState, Loaded, LoadingRows } from '../../components/states.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { ViewerNote } from '../../components/viewer-note.tsx';
import { PageHeader } from '../../shell/page-header.tsx';
import { useMayChange } from '../../shell/session-context.ts';
import { type Application, type Applications, type RegistrationObstacle, useApplications } from './api.ts';
import classes from './apps.module.css';
import { ConnectedCount } from './connections.tsx';

function AppCard({ application }: { readonly application: Application }) {
  const { id, name, description, scopes, secrets, suspensions, createdAt } = application;
  const lastUse = secrets
    .flatMap(({ lastUsedAt }) => lastUsedAt ?? [])
    .sort()
    .at(-1);
  return (
    <Surface component="li" className={classes.card}>
      <div>
        <Anchor
          component={Link}
          href={`/settings/developers/apps/${id}`}
          className={classes.open ?? ''}
          fw={600}
          c="var(--mantine-color-text)"
          lineClamp={2}
        >
          {name}
        </Anchor>
        {suspensions.length > 0 && (
          <div>
            <StatusBadge tone="bad">Suspended</StatusBadge>
          </div>
        )}
        <Text size="sm" c="dimmed" mt={2} lineClamp={2}>
          {description}
        </Text>
      </div>
      <Group gap={6}>
        {scopes.map((scope) => (
          <Badge key={scope} variant="light" color="gray" tt="none" fw={500} radius="sm" ff="monospace">
            {scope}
          </Badge>
        ))}
      </Group>
      <DescriptionList
        items={[
          ['Connected businesses', <ConnectedCount key="connected" application={application} />],
          ['Last token request', <Timestamp key="request" at={lastUse} absent="Never" />],
          ['Registered', <Timestamp key="registered" at={createdAt} format="date" />],
        ]}
      />
    </Surface>
  );
}

/** Empty state: explains apps and how to register the first one. */
export function NoApps({ obstacle }: { readonly obstacle: RegistrationObstacle | null }) {
  const mayChange = useMayChange();
  return (
    <EmptyState
      icon={IconApps}
      title="No apps yet"
      action={
        obstacle === null ? (
          mayChange && (
            <Button component={Link} href="/settings/developers/apps/new">
              Register your first app
            </Button>
          )
        ) : (
          <Button component={Link} href="/settings/business" variant="default">
            Go to verification
          </Button>
        )
      }
    >
      An app is your software acting for other businesses. Each of them connects it and approves its
      permissions. For your own business,{' '}
      <Anchor component={Link} href="/settings/developers/keys" inherit>
        an API key
      </Anchor>{' '}
      is enough.{' '}
      <Anchor href="/docs/oauth" target="_blank" rel="noopener" inherit>
        How connecting works
      </Anchor>
      {obstacle !== null && (
        <Text span inherit c="var(--mantine-color-text)" display="block" mt="sm">
          {obstacle.text} Once it is verified, you can register apps here.
        </Text>
      )}
    </EmptyState>
  );
}

export default function AppsPage() {
  const query = useApplications();
  const { data } = query;
  const mayRegister =
    useMayChange() && data !== undefined && data.obstacle === null && data.applications.length > 0;
  return (
    <>
      <PageHeader
        title="Apps"
        description="Apps let other businesses connect your software to their account, with permissions they approve."
        actions={
          mayRegister && (
            <Button
              component={Link}
              href="/settings/developers/apps/new"
              leftSection={<IconPlus size={16} aria-hidden />}
            >
              Register an app
            </Button>
          )
        }
      />
      <ViewerNote>register or change apps</ViewerNote>
      <Loaded query={query} loading={<LoadingRows rows={2} height={170} />}>
        {(data) => <AppList {...data} />}
      </Loaded>
    </>
  );
}

function AppList({ applications, limit, obstacle }: Applications) {
  return (
    <Stack gap="md">
      {applications.length === 0 ? (
        <NoApps obstacle={obstacle} />
      ) : (
        <>
          {obstacle !== null && <ObstacleNotice obstacle={obstacle} />}
          <Text size="sm" c="dimmed">
            {applications.length} of {limit} apps
          </Text>
          <SurfaceList label="Apps">
            {applications.map((application) => (
              <AppCard key={application.id} application={application} />
            ))}
          </SurfaceList>
        </>
      )}
    </Stack>
  );
}

/** Explains why no app can be registered now. */
export function ObstacleNotice({ obstacle: { reason, text } }: { readonly obstacle: RegistrationObstacle }) {
  if (reason === 'application_limit_reached') {
    return (
      <Alert color="gray" icon={<IconInfoCircle />} role="status">
        {text} Delete an app you no longer need to register another.
      </Alert>
    );
  }
  return (
    <Alert
      color="yellow"
      icon={<IconAlertTriangle />}
      role="status"
      title="Apps can be registered once the business is verified"
    >
      {text}{' '}
      <Anchor component={Link} href="/settings/business" inherit underline="always">
        Go to verification
      </Anchor>
    </Alert>
  );
}
