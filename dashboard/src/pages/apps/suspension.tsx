import { Alert, Button, List, Stack, Text } from '@mantine/core';
import { IconPlayerPause } from '@tabler/icons-react';
import { useState } from 'react';
import { api, unwrap } from '../../api/client.ts';
import { ChangeDialog } from '../../components/change-dialog.tsx';
import { pluralize } from '../../components/format.ts';
import { Panel } from '../../components/panel.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { toast } from '../../components/toast.tsx';
import { useBusiness } from '../../shell/session-context.ts';
import { ForecastPanel } from '../forecasts/forecast-panel.tsx';
import { type Application, useApplicationCache } from './api.ts';

type Suspension = Application['suspensions'][number];

const causes: Readonly<Record<Suspension['cause'], string>> = {
  operator: 'Suspended by us',
  publisher: 'Suspended by your business',
  ban: 'Suspended, as your business is banned',
};

/** Shows that an app is suspended, by which side and why. */
export function SuspensionAlert({ application: { suspensions } }: { readonly application: Application }) {
  if (suspensions.length === 0) return null;
  return (
    <Alert color="red" icon={<IconPlayerPause />} title="This app is suspended" mb="lg">
      <Stack gap={4}>
        <Text size="sm">
          Its tokens are refused with status 403, and no business can connect it. Tokens and connections are
          kept.
        </Text>
        {suspensions.map(({ cause, reason, suspendedAt }) => (
          <Text size="sm" key={cause}>
            {causes[cause]} <Timestamp at={suspendedAt} />
            {reason === '' ? '.' : `: ${reason}`}
          </Text>
        ))}
      </Stack>
    </Alert>
  );
}

/** Suspends an app, and lifts the suspension by its own business. */
export function SuspendAppPanel({ application }: { readonly application: Application }) {
  const { id: applicationId, name, connectedUsers, suspensions } = application;
  const { id: businessId } = useBusiness();
  const { store } = useApplicationCache(applicationId);
  const [openDialog, setOpenDialog] = useState<'suspend' | 'resume'>();
  const params = { path: { businessId, applicationId } };
  const path = '/businesses/{businessId}/applications/{applicationId}/suspension';
  const isSuspended = suspensions.some(({ cause }) => cause === 'publisher');
  const dialogProps = (dialog: typeof openDialog) => ({
    opened: openDialog === dialog,
    onClose: () => setOpenDialog(undefined),
  });
  return (
    <Panel
      title="Suspend this app"
      description={
        isSuspended
          ? 'The app is suspended. Resume it to let the same tokens work again.'
          : 'Temporarily stops the app, for example while you look into a leak. Nothing is deleted.'
      }
      actions={
        <Button variant="default" onClick={() => setOpenDialog(isSuspended ? 'resume' : 'suspend')}>
          {isSuspended ? 'Resume app' : 'Suspend app'}
        </Button>
      }
    >
      <ChangeDialog
        action="Suspend"
        destructive
        {...dialogProps('suspend')}
        title={`Suspend “${name}”?`}
        reasonHint="Shown to your team and in the audit log."
        change={async (reason) => {
          const changed = await unwrap(api.PUT(path, { params, body: { reason } }));
          store(changed.application);
          toast(`“${name}” suspended.`);
          return changed.propagation;
        }}
      >
        <ForecastPanel forecasted={{ applicationId, change: { suspended: true } }} />
        <List size="sm" spacing={4}>
          <List.Item>
            <strong>Requests with its tokens are refused at once</strong> with status 403, for{' '}
            {pluralize(connectedUsers, 'connected business', 'connected businesses')}.
          </List.Item>
          <List.Item>Its tokens cannot be refreshed, and it gets no webhooks.</List.Item>
          <List.Item>Nothing is deleted. You can resume it at any time.</List.Item>
        </List>
      </ChangeDialog>
      <ChangeDialog
        action="Resume"
        {...dialogProps('resume')}
        title={`Resume “${name}”?`}
        change={async () => {
          const changed = await unwrap(api.DELETE(path, { params }));
          store(changed.application);
          toast(`“${name}” resumed.`);
          return changed.propagation;
        }}
      >
        <Text size="sm">
          The same tokens work again, as far as they have not expired. Webhooks that were not sent meanwhile
          can be recovered under Webhooks.
        </Text>
      </ChangeDialog>
    </Panel>
  );
}
