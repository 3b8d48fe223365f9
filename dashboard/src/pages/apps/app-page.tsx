import { Button, Center, Group, Stack, Tabs, Text } from '@mantine/core';
import { IconAppsOff } from '@tabler/icons-react';
import { useState } from 'react';
import { useParams, useSearchParams } from 'wouter';
import { api, unwrap } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { businessKey } from '../../api/queries.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { formatNumber } from '../../components/format.ts';
import { IpAddress } from '../../components/ip-address.tsx';
import { Panel } from '../../components/panel.tsx';
import { EmptyState, ErrorAlert, Loaded } from '../../components/states.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { UsagePanel } from '../../components/usage-chart/usage-panel.tsx';
import { BackLink, PageHeader } from '../../shell/page-header.tsx';
import { useBusiness } from '../../shell/session-context.ts';
import { type AddressUse, type Application, useApplication, useRecentAddresses } from './api.ts';
import { AppFields } from './app-fields.tsx';
import { useSaveApp } from './app-form.ts';
import { ConnectionsPanel } from './connections.tsx';
import { AppCredentials } from './credentials.tsx';
import { DeleteAppPanel } from './delete-app-panel.tsx';
import { BlockedAddressesDialog } from './whitelist.tsx';

/** Rows that are shown at first. */
const initialRows = 10;

const addressColumns: readonly Column<AddressUse>[] = [
  { header: 'Address', cell: ({ address }) => <IpAddress ip={address} absent="Other addresses" /> },
  { header: 'Requests', numeric: true, cell: ({ requests }) => formatNumber(requests) },
  { header: 'Successful', numeric: true, cell: ({ successes }) => formatNumber(successes) },
  { header: 'Last success', cell: ({ lastSuccessAt }) => <Timestamp at={lastSuccessAt} absent="None" /> },
];

/** From where an app called the API lately. */
function AddressesPanel({ application }: { readonly application: Application }) {
  const query = useRecentAddresses(application.id);
  return (
    <Panel
      title="Where it calls from"
      description="Addresses that called the API with this app’s tokens in the last 7 days."
    >
      <Loaded query={query}>
        {({ callers }) =>
          callers.length === 0 ? (
            <Text size="sm" c="dimmed">
              No calls in the last 7 days.
            </Text>
          ) : (
            <AddressList addresses={callers} />
          )
        }
      </Loaded>
    </Panel>
  );
}

function AddressList({ addresses }: { readonly addresses: readonly AddressUse[] }) {
  const [isWhole, setWhole] = useState(false);
  return (
    <>
      <DataTable
        label="Addresses"
        columns={addressColumns}
        rows={isWhole ? addresses : addresses.slice(0, initialRows)}
        keyOf={({ address }) => address ?? 'others'}
      />
      {!isWhole && addresses.length > initialRows && (
        <Center>
          <Button variant="default" onClick={() => setWhole(true)}>
            Show all {formatNumber(addresses.length)}
          </Button>
        </Center>
      )}
    </>
  );
}

/** Who uses an app, how much, and from where it calls. */
function AppOverview({ application }: { readonly application: Application }) {
  const { id: businessId } = useBusiness();
  const { id: applicationId } = application;
  return (
    <Stack gap="lg">
      <UsagePanel
        queryKey={businessKey(businessId, 'applications', applicationId, 'usage')}
        read={async (query, signal) => {
          const path = { businessId, applicationId };
          const usage = '/businesses/{businessId}/applications/{applicationId}/usage';
          return (await unwrap(api.GET(usage, { params: { path, query }, signal }))).hours;
        }}
      />
      <ConnectionsPanel application={application} />
      <AddressesPanel application={application} />
    </Stack>
  );
}

/** Changes what is decided about an app, and deletes it. */
function AppSettingsForm({ application }: { readonly application: Application }) {
  const { form, save, isPending, error, doubt } = useSaveApp(application);
  return (
    <Stack gap="xl" maw="46rem">
      <form ref={form.element} onSubmit={form.submit(save)} noValidate>
        <Stack gap="xl">
          <AppFields
            form={form}
            applicationId={application.id}
            scopesHint="In the words in which businesses are asked. What is taken away here ends for every connected business at once; what is added has to be approved by each of them."
          />
          <ErrorAlert error={error} />
          <Group gap="sm">
            <Button type="submit" loading={isPending}>
              Save changes
            </Button>
            {form.fields.isDirty() && (
              <>
                <Button variant="default" disabled={isPending} onClick={form.discard}>
                  Discard changes
                </Button>
                <Text size="sm" c="dimmed">
                  There are unsaved changes.
                </Text>
              </>
            )}
          </Group>
        </Stack>
      </form>
      <DeleteAppPanel application={application} />
      <BlockedAddressesDialog doubt={doubt} />
    </Stack>
  );
}

export default function AppPage() {
  const { id = '' } = useParams();
  const query = useApplication(id);
  if (query.error instanceof ApiError && query.error.status === 404) return <AppNotFound />;
  return query.data === undefined ? (
    <>
      <PageHeader title="App" back={<BackLink href="/developers/apps">Apps</BackLink>} />
      <Loaded query={query}>{() => null}</Loaded>
    </>
  ) : (
    <AppView key={id} application={query.data} />
  );
}

export const tabs = [
  { value: 'overview', label: 'Overview', View: AppOverview },
  { value: 'credentials', label: 'Credentials', View: AppCredentials },
  { value: 'settings', label: 'Settings', View: AppSettingsForm },
] as const;

export function AppView({ application }: { readonly application: Application }) {
  const [parameters, setParameters] = useSearchParams();
  const tab = tabs.find(({ value }) => value === parameters.get('tab')) ?? tabs[0];
  // What was gone to stays there, with everything that was typed.
  const [visited, setVisited] = useState<ReadonlySet<string>>(new Set());
  if (!visited.has(tab.value)) setVisited(new Set([...visited, tab.value]));
  const goTo = (value: string | null) =>
    setParameters(value === null || value === tabs[0].value ? {} : { tab: value }, { replace: true });
  return (
    <>
      <PageHeader
        title={application.name}
        description={application.description}
        back={<BackLink href="/developers/apps">Apps</BackLink>}
      />
      <Tabs value={tab.value} onChange={goTo} keepMounted>
        <Tabs.List mb="lg" aria-label="Parts of this app">
          {tabs.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(({ value, View }) => (
          <Tabs.Panel key={value} value={value}>
            {visited.has(value) && <View application={application} />}
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  );
}

export function AppNotFound() {
  return (
    <>
      <PageHeader title="App not found" back={<BackLink href="/developers/apps">Apps</BackLink>} />
      <EmptyState icon={IconAppsOff} title="There is no such app">
        It may have been deleted. The audit log says by whom.
      </EmptyState>
    </>
  );
}
