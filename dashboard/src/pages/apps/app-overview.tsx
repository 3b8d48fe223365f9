import { Stack } from '@mantine/core';
import { businessKey } from '../../api/business-key.ts';
import { answerOf, api } from '../../api/client.ts';
import { UsagePanel } from '../../parts/usage-chart/usage-panel.tsx';
import { useBusiness } from '../../shell/business-context.ts';
import type { Application } from './applications.ts';
import { CallersPanel } from './callers-panel.tsx';
import { ConnectionsPanel } from './connections-panel.tsx';

/** Who uses an app, how much, and from where it calls. */
export function AppOverview({ application }: { readonly application: Application }) {
  const { id: businessId } = useBusiness();
  const { id: applicationId } = application;
  return (
    <Stack gap="lg">
      <UsagePanel
        queryKey={businessKey(businessId, 'applications', applicationId, 'usage')}
        read={async (query, signal) => {
          const path = { businessId, applicationId };
          const usage = '/businesses/{businessId}/applications/{applicationId}/usage';
          return (await answerOf(api.GET(usage, { params: { path, query }, signal }))).hours;
        }}
      />
      <ConnectionsPanel application={application} />
      <CallersPanel application={application} />
    </Stack>
  );
}
