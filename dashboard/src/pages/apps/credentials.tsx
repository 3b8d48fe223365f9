import { Alert, Button, Code, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconRefresh } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrap } from '../../api/client.ts';
import { CopyField } from '../../components/copy.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { Panel } from '../../components/panel.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { toast, toastPropagation } from '../../components/toast.tsx';
import { ViewerNote } from '../../components/viewer-note.tsx';
import { useBusiness, useMayChange } from '../../shell/session-context.ts';
import {
  type Application,
  type ClientSecret,
  secretHint,
  useApplicationCache,
  wasUsedRecently,
} from './api.ts';
import { RotateSecretDialog } from './rotate-secret-dialog.tsx';
import { TryOAuthPanel } from './try-oauth.tsx';

/** Deletes a client secret; warns when it was used recently. */
function DeleteSecretDialog({
  application,
  secret,
  opened,
  onClose,
}: {
  readonly application: Application;
  readonly secret: ClientSecret;
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  const { id: businessId } = useBusiness();
  const { store: keep } = useApplicationCache();
  const deletion = useMutation({
    mutationFn: ({ id: clientSecretId }: ClientSecret) =>
      unwrap(
        api.DELETE('/businesses/{businessId}/applications/{applicationId}/client-secrets/{clientSecretId}', {
          params: { path: { businessId, applicationId: application.id, clientSecretId } },
        }),
      ),
    onSuccess: ({ application: changed, propagation }, deleted) => {
      onClose();
      keep(changed);
      toast(`Secret ${secretHint(deleted)} deleted.`);
      toastPropagation(propagation);
    },
  });
  const close = () => {
    deletion.reset();
    onClose();
  };
  const isLast = application.secrets.length === 1;
  return (
    <ConfirmDialog
      title="Delete this client secret?"
      action="Delete secret"
      destructive
      opened={opened}
      onClose={close}
      mutation={deletion}
      onConfirm={() => deletion.mutate(secret)}
    >
      <Text size="sm">
        <Code>{secretHint(secret)}</Code> stops working at once. This cannot be undone.
      </Text>
      {wasUsedRecently(secret, Date.now()) ? (
        <Alert color="yellow" icon={<IconAlertTriangle />} p="sm">
          It was last used <Timestamp at={secret.lastUsedAt} />: one of your servers probably still uses it.
        </Alert>
      ) : (
        <Text size="sm">
          {secret.lastUsedAt === null ? (
            'It has never been used.'
          ) : (
            <>
              It was last used <Timestamp at={secret.lastUsedAt} />.
            </>
          )}
        </Text>
      )}
      {isLast && (
        <Text size="sm">
          It is the only secret: without it, your app gets no tokens until you create a new one.
        </Text>
      )}
    </ConfirmDialog>
  );
}

/** Client secrets of an app, with rotation and deletion. */
function SecretsPanel({ application }: { readonly application: Application }) {
  const { secrets } = application;
  const mayChange = useMayChange();
  const [isRotating, setRotating] = useState(false);
  const [secretToDelete, setSecretToDelete] = useState<ClientSecret>();
  const [isDeleting, setDeleting] = useState(false);
  const confirmDeletion = (secret: ClientSecret) => {
    setSecretToDelete(secret);
    setDeleting(true);
  };
  const columns: readonly Column<ClientSecret>[] = [
    { header: 'Secret', cell: (secret) => <Code>{secretHint(secret)}</Code> },
    { header: 'Created', cell: ({ createdAt }) => <Timestamp at={createdAt} /> },
    { header: 'Last used', cell: ({ lastUsedAt }) => <Timestamp at={lastUsedAt} absent="Never" /> },
  ];
  const actions: Column<ClientSecret> = {
    header: 'Actions',
    actions: true,
    cell: (secret) => (
      <Button
        variant="subtle"
        color="red"
        size="compact-sm"
        aria-label={`Delete the secret ending in ${secret.lastFour}`}
        onClick={() => confirmDeletion(secret)}
      >
        Delete
      </Button>
    ),
  };
  return (
    <Panel
      title="Client secrets"
      description="Your server authenticates with a client secret. Only the last four characters are shown."
      actions={
        mayChange && (
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} aria-hidden />}
            onClick={() => setRotating(true)}
          >
            Rotate
          </Button>
        )
      }
    >
      <ViewerNote>rotate or delete client secrets</ViewerNote>
      {secrets.length === 0 ? (
        <Alert color="yellow" icon={<IconAlertTriangle />} p="sm">
          This app has no client secret and cannot get tokens.{mayChange && ' Rotate to create one.'}
        </Alert>
      ) : (
        <DataTable
          label="Client secrets"
          columns={mayChange ? [...columns, actions] : columns}
          rows={secrets}
          keyOf={({ id }) => id}
        />
      )}
      <RotateSecretDialog application={application} opened={isRotating} onClose={() => setRotating(false)} />
      {secretToDelete !== undefined && (
        <DeleteSecretDialog
          application={application}
          secret={secretToDelete}
          opened={isDeleting}
          onClose={() => setDeleting(false)}
        />
      )}
    </Panel>
  );
}

/** Client ID, client secrets, and commands to try them. */
export function AppCredentials({ application }: { readonly application: Application }) {
  return (
    <Stack gap="lg">
      <Panel title="Client ID" description="Identifies your app in OAuth 2.0 requests. It is public.">
        <CopyField value={application.clientId} what="the client ID" />
      </Panel>
      <SecretsPanel application={application} />
      <TryOAuthPanel application={application} />
    </Stack>
  );
}
