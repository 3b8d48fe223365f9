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
import { useBusiness, useMayChange } from '../../shell/session-context.ts';
import { ForecastPanel } from '../forecasts/forecast-panel.tsx';
import { requestsPath } from '../requests/filter.ts';
import { WebhookPanels } from '../webhooks/webhook-panels.tsx';
import { type AddressUse, type Application, useApplication, useRecentAddresses } from './api.ts';
import { AppFields } from './app-fields.tsx';
import { useSaveApp } from './app-form.ts';
import { AppSettings } from './app-settings.tsx';
import { ConnectionsPanel } from './connections.tsx';
import { AppCredentials } from './credentials.tsx';
import { DeleteAppPanel } from './delete-app-panel.tsx';
import { changedFields } from './form-values.ts';
import { GoLivePanel } from './go-live.tsx';
import { ProblemsPanel } from './problems.tsx';
import { SuspendAppPanel, SuspensionAlert } from './suspension.tsx';
import { BlockedAddressesDialog } from './whitelist.tsx';

/** Rows shown before "Show all". */
const initialRows = 10;

const addressColumns: readonly Column<AddressUse>[] = [
  { header: 'Address', cell: ({ address }) => <IpAddress ip={address} absent="Other addresses" /> },
  { header: 'Requests', numeric: true, cell: ({ requests }) => formatNumber(requests) },
  { header: 'Successful', numeric: true, cell: ({ successes }) => formatNumber(successes) },
  { header: 'Last success', cell: ({ lastSuccessAt }) => <Timestamp at={lastSuccessAt} absent="None" /> },
];

function AddressesPanel({ application }: { readonly application: Application }) {
  const query = useRecentAddresses(application.id);
  return (
    <Panel
      title="IP addresses"
      description="Addresses that sent requests with this app’s tokens in the last 7 days."
    >
      <Loaded query={query}>
        {({ callers }) =>
          callers.length === 0 ? (
            <Text size="sm" c="dimmed">
              No requests in the last 7 days.
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
  const [showsAll, setShowsAll] = useState(false);
  return (
    <>
      <DataTable
        label="Addresses"
        columns={addressColumns}
        rows={showsAll ? addresses : addresses.slice(0, initialRows)}
        keyOf={({ address }) => address ?? 'others'}
      />
      {!showsAll && addresses.length > initialRows && (
        <Center>
          <Button variant="default" onClick={() => setShowsAll(true)}>
            Show all {formatNumber(addresses.length)}
          </Button>
        </Center>
      )}
    </>
  );
}

/** Problems, usage, steps before it goes live, connected businesses and source addresses of an app. */
function AppOverview({ application }: { readonly application: Application }) {
  const { id: businessId } = useBusiness();
  const { id: applicationId } = application;
  return (
    <Stack gap="lg">
      <ProblemsPanel application={application} />
      <UsagePanel
        queryKey={businessKey(businessId, 'applications', applicationId, 'usage')}
        fetchHours={async (query, signal) => {
          const path = { businessId, applicationId };
          const usage = '/businesses/{businessId}/applications/{applicationId}/usage';
          return (await unwrap(api.GET(usage, { params: { path, query }, signal }))).hours;
        }}
        log={{
          label: 'See the OAuth requests of this app',
          href: requestsPath({ credential: applicationId }),
        }}
      />
      <GoLivePanel application={application} />
      <ConnectionsPanel application={application} />
      <AddressesPanel application={application} />
    </Stack>
  );
}

/** Edits and deletes an app. */
function AppSettingsForm({ application }: { readonly application: Application }) {
  const { form, save, isPending, error, confirmation } = useSaveApp(application);
  // Of addresses alone, the whitelist shows which are in use.
  const { scopes, ipWhitelist } = changedFields(form.fields.getInitialValues(), form.fields.values);
  return (
    <Stack gap="xl" maw="46rem">
      <form ref={form.ref} onSubmit={form.submit(save)} noValidate>
        <Stack gap="xl">
          <AppFields
            form={form}
            applicationId={application.id}
            scopesHint="Shown to businesses in these words. A permission you remove ends for every connected business at once; one you add must be approved by each of them."
          />
          {scopes !== undefined && (
            <ForecastPanel
              forecasted={{
                applicationId: application.id,
                change: { scopes, ...(ipWhitelist && { ipWhitelist }) },
              }}
            />
          )}
          <ErrorAlert error={error} />
          <Group gap="sm">
            <Button type="submit" loading={isPending}>
              Save changes
            </Button>
            {form.fields.isDirty() && (
              <>
                <Button variant="default" disabled={isPending} onClick={form.reset}>
                  Discard changes
                </Button>
                <Text size="sm" c="dimmed">
                  You have unsaved changes.
                </Text>
              </>
            )}
          </Group>
        </Stack>
      </form>
      <SuspendAppPanel application={application} />
      <DeleteAppPanel application={application} />
      <BlockedAddressesDialog confirmation={confirmation} />
    </Stack>
  );
}

function AppSettingsTab({ application }: { readonly application: Application }) {
  return useMayChange() ? (
    <AppSettingsForm application={application} />
  ) : (
    <AppSettings application={application} />
  );
}

/** Endpoints of an app. */
function AppWebhooks({ application }: { readonly application: Application }) {
  return (
    <WebhookPanels
      applicationId={application.id}
      allEvents={
        application.webhooksEnabled
          ? 'Events that the app has selected under Settings, of every connected business.'
          : undefined
      }
    />
  );
}

export default function AppPage() {
  const { id = '' } = useParams();
  const query = useApplication(id);
  if (query.error instanceof ApiError && query.error.status === 404) return <AppNotFound />;
  return query.data === undefined ? (
    <>
      <PageHeader title="App" back={<BackLink href="/settings/developers/apps">Apps</BackLink>} />
      <Loaded query={query}>{() => null}</Loaded>
    </>
  ) : (
    <AppView key={id} application={query.data} />
  );
}

const tabs = [
  { value: 'overview', label: 'Overview', View: AppOverview },
  { value: 'credentials', label: 'Credentials', View: AppCredentials },
  { value: 'webhooks', label: 'Webhooks', View: AppWebhooks },
  { value: 'settings', label: 'Settings', View: AppSettingsTab },
] as const;

function AppView({ application }: { readonly application: Application }) {
  const [parameters, setParameters] = useSearchParams();
  const tab = tabs.find(({ value }) => value === parameters.get('tab')) ?? tabs[0];
  // A tab stays mounted after its first visit, so that unsaved input survives.
  const [visited, setVisited] = useState<ReadonlySet<string>>(new Set());
  if (!visited.has(tab.value)) setVisited(new Set([...visited, tab.value]));
  const selectTab = (value: string | null) =>
    setParameters(value === null || value === tabs[0].value ? {} : { tab: value }, { replace: true });
  return (
    <>
      <PageHeader
        title={application.name}
        description={application.description}
        back={<BackLink href="/settings/developers/apps">Apps</BackLink>}
      />
      <SuspensionAlert application={application} />
      <Tabs value={tab.value} onChange={selectTab} keepMounted>
        <Tabs.List mb="lg" aria-label="App">
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

function AppNotFound() {
  return (
    <>
      <PageHeader title="App not found" back={<BackLink href="/settings/developers/apps">Apps</BackLink>} />
      <EmptyState icon={IconAppsOff} title="This app does not exist">
        It may have been deleted. The audit log shows who deleted it.
      </EmptyState>
    </>
  );
}
