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
import type { Application } from './api.ts';

/** Deletes an app for ever, after saying what that ends. */
export function DeleteAppPanel({ application }: { readonly application: Application }) {
  const { id: applicationId, name, connectedUsers } = application;
  const { id: businessId } = useBusiness();
  const [, navigate] = useLocation();
  const client = useQueryClient();
  const [isAsked, setAsked] = useState(false);
  const deletion = useMutation({
    mutationFn: () =>
      unwrap(
        api.DELETE('/businesses/{businessId}/applications/{applicationId}', {
          params: { path: { businessId, applicationId } },
        }),
      ),
    onSuccess: ({ propagation }) => {
      navigate('/developers/apps');
      void client.invalidateQueries({ queryKey: businessKey(businessId, 'applications'), exact: true });
      toast(`“${name}” is deleted.`);
      toastPropagation(propagation);
    },
  });
  return (
    <Panel
      title="Delete this app"
      description="Its client ID and secrets end, and with them every connection. This makes room for another app."
      actions={
        <Button color="red" variant="light" onClick={() => setAsked(true)}>
          Delete app
        </Button>
      }
    >
      <TypeToConfirmDialog
        name={name}
        title={`Delete “${name}”?`}
        action="Delete app"
        opened={isAsked}
        onClose={() => {
          deletion.reset();
          setAsked(false);
        }}
        mutation={deletion}
        onConfirm={() => deletion.mutate()}
      >
        <Text size="sm">
          {connectedUsers === 0 ? (
            'No business is connected.'
          ) : (
            <strong>
              {pluralize(connectedUsers, 'business loses the connection', 'businesses lose the connection')}{' '}
              at once.
            </strong>
          )}{' '}
          Every token of the app stops working, and a new app would have another client ID: each business
          would have to connect it anew. This cannot be undone.
        </Text>
      </TypeToConfirmDialog>
    </Panel>
  );
}
