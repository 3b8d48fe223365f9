import { Anchor, Code, Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { useGoneScopes } from '../../api/session.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { formatNumber } from '../../components/format.ts';
import { LimitRequest } from '../../components/limit-request.tsx';
import { Panel } from '../../components/panel.tsx';
import { LoadMore } from '../../components/rows.tsx';
import { Loaded } from '../../components/states.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { type Application, type Connection, useConnections } from './api.ts';

/** Connected businesses and their limit: "3 of 50". Highlighted at the limit. */
export function ConnectedCount({
  application: { connectedUsers, connectedUserLimit },
}: {
  readonly application: Pick<Application, 'connectedUsers' | 'connectedUserLimit'>;
}) {
  const isFull = connectedUsers >= connectedUserLimit;
  return (
    <>
      {formatNumber(connectedUsers)} of {formatNumber(connectedUserLimit)}
      {isFull && (
        <Text span inherit c="var(--mantine-color-error)" fw={600}>
          {' '}
          – limit reached
        </Text>
      )}
    </>
  );
}

/** Permissions a business approved, and those among them the app has not used. */
function GrantedScopes({ connection }: { readonly connection: Connection }) {
  const { scopes, scopesUsed } = connection;
  const gone = useGoneScopes(scopes);
  const unused = scopes.filter((scope) => !scopesUsed.includes(scope) && !gone.includes(scope));
  return (
    <>
      <Group gap={6}>
        {scopes.map((scope) => (
          <Code key={scope} fz="xs">
            {scope}
          </Code>
        ))}
      </Group>
      {gone.length > 0 && (
        <Text size="xs" c="dimmed" mt={4}>
          Not part of the API now: {gone.join(', ')}
        </Text>
      )}
      {unused.length > 0 && (
        <Text size="xs" c="dimmed" mt={4}>
          {unused.length === scopes.length ? 'Not used yet' : `Not used yet: ${unused.join(', ')}`}
        </Text>
      )}
    </>
  );
}

const connectionColumns: readonly Column<Connection>[] = [
  { header: 'Business', cell: (connection) => <Business {...connection} /> },
  { header: 'Permissions', cell: (connection) => <GrantedScopes connection={connection} /> },
  { header: 'Connected', cell: ({ since }) => <Timestamp at={since} format="date" /> },
  { header: 'Last used', cell: ({ lastUsedAt }) => <Timestamp at={lastUsedAt} absent="Never" /> },
];

/** Businesses connected to an app. */
export function ConnectionsPanel({ application }: { readonly application: Application }) {
  const query = useConnections(application.id);
  return (
    <Panel
      title="Connected businesses"
      description="Each of them approved the permissions of your app and can disconnect it at any time."
      actions={
        <Text size="sm" c="dimmed">
          <ConnectedCount application={application} />
        </Text>
      }
    >
      <Loaded query={query}>
        {(rows) =>
          rows.length === 0 ? (
            <Text size="sm" c="dimmed">
              No business has connected this app yet. Next step:{' '}
              <Anchor component={Link} href={`/settings/developers/apps/${application.id}?tab=credentials`}>
                connect your own business with the authorization URL
              </Anchor>
              .
            </Text>
          ) : (
            <>
              <DataTable
                label="Connected businesses"
                columns={connectionColumns}
                rows={rows}
                keyOf={({ id }) => id}
              />
              <LoadMore query={query} />
            </>
          )
        }
      </Loaded>
      <LimitRequest
        kind="connected_users"
        subjectId={application.id}
        currentLimit={application.connectedUserLimit}
      />
    </Panel>
  );
}

function Business({ business, suspendedAt }: Pick<Connection, 'business' | 'suspendedAt'>) {
  if (business === null) {
    return (
      <Text span size="sm" c="dimmed">
        Name unavailable
      </Text>
    );
  }
  return (
    <>
      <Text size="sm" fw={600} lineClamp={2}>
        {business.name}
      </Text>
      <Text size="xs" c="dimmed" fw={400}>
        @{business.username}
      </Text>
      {suspendedAt !== null && <StatusBadge tone="warning">Suspended by the business</StatusBadge>}
    </>
  );
}
