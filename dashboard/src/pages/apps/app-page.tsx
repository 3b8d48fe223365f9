import { Tabs } from '@mantine/core';
import { IconAppsOff } from '@tabler/icons-react';
import { useState } from 'react';
import { useParams, useSearchParams } from 'wouter';
import { ApiError } from '../../api/api-error.ts';
import { BackLink } from '../../parts/back-link.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { AppCredentials } from './app-credentials.tsx';
import { AppOverview } from './app-overview.tsx';
import { AppSettingsForm } from './app-settings-form.tsx';
import { type Application, useApplication } from './applications.ts';

export default function AppPage() {
  const { id = '' } = useParams();
  const query = useApplication(id);
  if (query.error instanceof ApiError && query.error.status === 404) return <AppGone />;
  return query.data === undefined ? (
    <>
      <PageHeader title="App" back={<BackLink href="/developers/apps">Apps</BackLink>} />
      <Loaded query={query}>{() => null}</Loaded>
    </>
  ) : (
    <AppView key={id} application={query.data} />
  );
}

const tabs = [
  { value: 'overview', label: 'Overview', View: AppOverview },
  { value: 'credentials', label: 'Credentials', View: AppCredentials },
  { value: 'settings', label: 'Settings', View: AppSettingsForm },
] as const;

function AppView({ application }: { readonly application: Application }) {
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

function AppGone() {
  return (
    <>
      <PageHeader title="App not found" back={<BackLink href="/developers/apps">Apps</BackLink>} />
      <EmptyState icon={IconAppsOff} title="There is no such app">
        It may have been deleted. The audit log says by whom.
      </EmptyState>
    </>
  );
}
