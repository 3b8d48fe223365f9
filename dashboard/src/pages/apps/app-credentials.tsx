import { Stack } from '@mantine/core';
import { CopyField } from '../../parts/copy-field.tsx';
import { Panel } from '../../parts/panel.tsx';
import type { Application } from './applications.ts';
import { SecretsPanel } from './secrets-panel.tsx';
import { TryFlowPanel } from './try-flow-panel.tsx';

/** What an app proves itself with, and how to use it. */
export function AppCredentials({ application }: { readonly application: Application }) {
  return (
    <Stack gap="lg">
      <Panel title="Client ID" description="Names your app in every request of OAuth 2.0. It is no secret.">
        <CopyField value={application.clientId} what="the client ID" />
      </Panel>
      <SecretsPanel application={application} />
      <TryFlowPanel application={application} />
    </Stack>
  );
}
