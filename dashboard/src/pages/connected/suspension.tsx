import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import { businessKey } from '../../api/queries.ts';
import { ChangeDialog } from '../../components/change-dialog.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { toast } from '../../components/toast.tsx';
import { useBusiness } from '../../shell/session-context.ts';
import { ForecastPanel } from '../forecasts/forecast-panel.tsx';
import type { ConnectedApp } from './connections.ts';

/** Shows who suspended an app, if it is suspended. */
export function SuspensionNotice({ app }: { readonly app: ConnectedApp }) {
  const { suspension, applicationSuspension } = app;
  if (suspension === null && applicationSuspension === null) return null;
  return (
    <div>
      <StatusBadge tone="warning">Suspended</StatusBadge>
      {suspension !== null && (
        <Text size="sm" mt={4}>
          Suspended <Timestamp at={suspension.since} /> by {suspension.by ?? 'a former member'}
          {suspension.reason === '' ? '.' : `: ${suspension.reason}`}
        </Text>
      )}
      {applicationSuspension !== null && (
        <Text size="sm" mt={4}>
          Suspended for all businesses <Timestamp at={applicationSuspension.since} />, by{' '}
          {applicationSuspension.by === 'publisher' ? 'its publisher' : 'us'}.
        </Text>
      )}
    </div>
  );
}

/** Suspends the connection of an app, or resumes a suspended one, after confirmation. */
export function SuspensionDialog({
  app,
  opened,
  onClose,
}: {
  readonly app: ConnectedApp;
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  const { id: businessId } = useBusiness();
  const client = useQueryClient();
  const { name } = app.application;
  const params = { path: { businessId, grantId: app.id } };
  const path = '/businesses/{businessId}/connections/{grantId}/suspension';
  const refresh = async (text: string) => {
    await client.invalidateQueries({ queryKey: businessKey(businessId, 'connections') });
    toast(text);
  };
  if (app.suspension !== null) {
    return (
      <ChangeDialog
        key="resume"
        action="Resume"
        opened={opened}
        onClose={onClose}
        title={`Resume “${name}”?`}
        change={async () => {
          const { propagation } = await unwrap(api.DELETE(path, { params }));
          await refresh(`“${name}” resumed.`);
          return propagation;
        }}
      >
        <Text size="sm">The app can act for this business again, with the permissions listed here.</Text>
      </ChangeDialog>
    );
  }
  return (
    <ChangeDialog
      key="suspend"
      action="Suspend"
      destructive
      opened={opened}
      onClose={onClose}
      title={`Suspend “${name}”?`}
      reasonHint="Shown to your team and in the audit log, not to the publisher."
      change={async (reason) => {
        const { propagation } = await unwrap(api.PUT(path, { params, body: { reason } }));
        await refresh(`“${name}” suspended.`);
        return propagation;
      }}
    >
      <ForecastPanel forecasted={{ grantId: app.id, change: 'suspend' }} />
      <Text size="sm">
        Its requests for this business are refused at once, and it gets no webhooks. The connection stays: you
        can resume it at any time, and the app works as before.
      </Text>
    </ChangeDialog>
  );
}
