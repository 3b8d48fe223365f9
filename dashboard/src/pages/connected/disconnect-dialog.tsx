import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import { businessKey } from '../../api/queries.ts';
import { ChangeDialog } from '../../components/change-dialog.tsx';
import { pluralize } from '../../components/format.ts';
import { Timestamp } from '../../components/timestamp.tsx';
import { toast } from '../../components/toast.tsx';
import { useBusiness } from '../../shell/session-context.ts';
import { ForecastPanel } from '../forecasts/forecast-panel.tsx';
import type { ConnectedApp } from './connections.ts';

/** Disconnects an app after confirmation. */
export function DisconnectDialog({
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
  return (
    <ChangeDialog
      title={`Disconnect “${name}”?`}
      action="Disconnect"
      destructive
      opened={opened}
      onClose={onClose}
      change={async () => {
        const { propagation } = await unwrap(
          api.DELETE('/businesses/{businessId}/connections/{grantId}', { params }),
        );
        await client.invalidateQueries({ queryKey: businessKey(businessId, 'connections') });
        toast(`“${name}” disconnected.`);
        return propagation;
      }}
    >
      <ForecastPanel forecasted={{ grantId: app.id, change: 'disconnect' }} />
      <Consequences app={app} />
    </ChangeDialog>
  );
}

function Consequences({ app: { requestsLastDay, lastUsedAt } }: { readonly app: ConnectedApp }) {
  return (
    <>
      <Text size="sm">
        {lastUsedAt === null ? (
          'It has never been used. '
        ) : (
          <>
            <strong>It made {pluralize(requestsLastDay, 'request')} in the last 24 hours</strong>. It was last
            used <Timestamp at={lastUsedAt} />.{' '}
          </>
        )}
        Its access to this business ends at once. Anything that relies on it stops working.
      </Text>
      <Text size="sm">To connect it again, start from the app and approve it again.</Text>
    </>
  );
}
