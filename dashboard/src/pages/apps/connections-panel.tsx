import { Text } from '@mantine/core';
import { type Column, DataTable } from '../../parts/data-table/data-table.tsx';
import { LoadMore } from '../../parts/load-more.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Panel } from '../../parts/panel.tsx';
import { type Application, type Connection, useConnections } from './applications.ts';
import { ConnectedCount } from './connected-count.tsx';
import { GrantedScopes } from './granted-scopes.tsx';

const columns: readonly Column<Connection>[] = [
  { header: 'Business', cell: ({ business }) => <Business business={business} /> },
  { header: 'Permissions', cell: (connection) => <GrantedScopes connection={connection} /> },
  { header: 'Connected', cell: ({ since }) => <Moment at={since} format="date" /> },
  { header: 'Last used', cell: ({ lastUsedAt }) => <Moment at={lastUsedAt} absent="Never" /> },
];

/** The businesses that have connected an app. */
export function ConnectionsPanel({ application }: { readonly application: Application }) {
  const query = useConnections(application.id);
  return (
    <Panel
      title="Connected businesses"
      description="Each has approved what your app may do for it, and can take that back at any time."
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
              No business has connected this app yet. Under Credentials there is an address to try it with.
            </Text>
          ) : (
            <>
              <DataTable label="Connected businesses" columns={columns} rows={rows} keyOf={({ id }) => id} />
              <LoadMore query={query} />
            </>
          )
        }
      </Loaded>
    </Panel>
  );
}

function Business({ business }: Pick<Connection, 'business'>) {
  if (business === null) {
    return (
      <Text span size="sm" c="dimmed">
        Name not known now
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
    </>
  );
}
