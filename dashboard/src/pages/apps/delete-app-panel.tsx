import { Button, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api, unwrap } from '../../api/client.ts';
import { businessKey } from '../../api/queries.ts';
import { TypeToConfirmDialog } from '../../components/dialog.tsx';
import { pluralize } from '../../components/format.ts';
import { Panel } from '../../components/panel.tsx';
import { toast, toastPropagation } from '../../components/toast.tsx';
import { useBusiness } from '../../shell/session-context.ts';
import { ForecastPanel } from '../forecasts/forecast-panel.tsx';
import type { Application } from './api.ts';

/** Deletes an app after confirmation. */
export function DeleteAppPanel({ application }: { readonly application: Application }) {
  const { id: applicationId, name, connectedUsers } = application;
  const { id: businessId } = useBusiness();
  const [, navigate] = useLocation();
  const client = useQueryClient();
  const [isConfirming, setConfirming] = useState(false);
  const deletion = useMutation({
    mutationFn: () =>
      unwrap(
        api.DELETE('/businesses/{businessId}/applications/{applicationId}', {
          params: { path: { businessId, applicationId } },
        }),
      ),
    onSuccess: ({ propagation }) => {
      navigate('/settings/developers/apps', { replace: true });
      client.removeQueries({ queryKey: businessKey(businessId, 'applications', applicationId) });
      void client.invalidateQueries({ queryKey: businessKey(businessId, 'applications'), exact: true });
      toast(`“${name}” deleted.`);
      toastPropagation(propagation);
    },
  });
  return (
    <Panel
      title="Delete this app"
      description="Its client ID, secrets and connections stop working. You can then register another app."
      actions={
        <Button color="red" variant="light" onClick={() => setConfirming(true)}>
          Delete app
        </Button>
      }
    >
      <TypeToConfirmDialog
        name={name}
        title={`Delete “${name}”?`}
        action="Delete app"
        opened={isConfirming}
        onClose={() => {
          deletion.reset();
          setConfirming(false);
        }}
        mutation={deletion}
        onConfirm={() => deletion.mutate()}
      >
        <ForecastPanel forecasted={{ applicationId, change: { deleted: true } }} />
        <Text size="sm">
          {connectedUsers === 0 ? (
            'No business is connected.'
          ) : (
            <strong>
              {pluralize(connectedUsers, 'business is disconnected', 'businesses are disconnected')} at once.
            </strong>
          )}{' '}
          All tokens of the app stop working. A new app has a new client ID, which every business must connect
          again. This cannot be undone.
        </Text>
      </TypeToConfirmDialog>
    </Panel>
  );
}
