import { Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import { businessKey } from '../../api/queries.ts';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { pluralize } from '../../components/format.ts';
import { Timestamp } from '../../components/timestamp.tsx';
import { toast, toastPropagation } from '../../components/toast.tsx';
import { useBusiness } from '../../shell/session-context.ts';
import type { ConnectedApp } from './connections.ts';

/** Ends what an app may do, after saying what that stops. */
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
  const queryKey = businessKey(businessId, 'connections');
  const ending = useMutation({
    mutationFn: ({ id: grantId }: ConnectedApp) =>
      unwrap(
        api.DELETE('/businesses/{businessId}/connections/{grantId}', {
          params: { path: { businessId, grantId } },
        }),
      ),
    onSuccess: async ({ propagation }, { application: { name } }) => {
      await client.invalidateQueries({ queryKey });
      onClose();
      toast(`“${name}” is disconnected.`);
      toastPropagation(propagation);
    },
  });
  return (
    <ConfirmDialog
      title={`Disconnect “${app.application.name}”?`}
      action="Disconnect"
      destructive
      opened={opened}
      onClose={() => {
        ending.reset();
        onClose();
      }}
      mutation={ending}
      onConfirm={() => ending.mutate(app)}
    >
      <Consequences app={app} />
    </ConfirmDialog>
  );
}

function Consequences({ app: { requestsLastDay, lastUsedAt } }: { readonly app: ConnectedApp }) {
  return (
    <>
      <Text size="sm">
        {lastUsedAt === null ? (
          'It was never used. '
        ) : (
          <>
            <strong>It made {pluralize(requestsLastDay, 'request')} in the last 24 hours</strong>, the last
            use was <Timestamp at={lastUsedAt} />.{' '}
          </>
        )}
        Its access to this business ends at once, and whatever relies on it stops working.
      </Text>
      <Text size="sm">
        To connect it again, start from the app itself: you will be asked for your approval anew.
      </Text>
    </>
  );
}
