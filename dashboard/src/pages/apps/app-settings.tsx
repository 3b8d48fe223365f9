import { Code, Stack, Text } from '@mantine/core';
import { Panel } from '../../components/panel.tsx';
import { DescriptionList } from '../../components/rows.tsx';
import { ScopeList } from '../../components/scopes.tsx';
import { ViewerNote } from '../../components/viewer-note.tsx';
import type { Application } from './api.ts';

/** The settings of an app, for those who cannot change them. */
export function AppSettings({ application }: { readonly application: Application }) {
  const {
    redirectUris,
    ipWhitelist,
    allowedOrigins,
    scopes,
    webhooksEnabled,
    webhookEvents,
    repeatLostRefresh,
  } = application;
  return (
    <Stack gap="lg" maw="46rem">
      <ViewerNote>change apps</ViewerNote>
      <Panel title="Settings">
        <DescriptionList
          items={[
            ['Redirect URIs', <Entries key="uris" entries={redirectUris} />],
            ['IP whitelist', <Entries key="addresses" entries={ipWhitelist} />],
            ['Allowed origins', <Entries key="origins" entries={allowedOrigins} />],
            ['Webhooks', webhooksEnabled ? <Entries key="events" entries={webhookEvents} /> : 'Off'],
            ['Repeat a lost refresh', repeatLostRefresh ? 'On' : 'Off'],
          ]}
        />
      </Panel>
      <Panel title="Permissions" description="What a business approves when it connects the app.">
        <ScopeList label="Permissions" scopes={scopes.map((scope) => ({ scope, status: null }))} />
      </Panel>
    </Stack>
  );
}

function Entries({ entries }: { readonly entries: readonly string[] }) {
  if (entries.length === 0) return 'None';
  return (
    <Stack gap={4}>
      {entries.map((entry) => (
        <Text key={entry} span size="sm">
          <Code fz="xs">{entry}</Code>
        </Text>
      ))}
    </Stack>
  );
}
