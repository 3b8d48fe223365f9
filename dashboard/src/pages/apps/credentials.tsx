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
import { useBusiness } from '../../shell/session-context.ts';
import {
  type Application,
  type ClientSecret,
  secretHint,
  useApplicationCache,
  wasUsedRecently,
} from './api.ts';
import { RotateSecretDialog } from './rotate-secret-dialog.tsx';
import { TryOAuthPanel } from './try-oauth.tsx';

/** Ends a client secret, after a warning when it is in use. */
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
      toast(`The secret ${secretHint(deleted)} is deleted.`);
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
          It was last used <Timestamp at={secret.lastUsedAt} />: a server of yours probably still has it.
        </Alert>
      ) : (
        <Text size="sm">
          {secret.lastUsedAt === null ? (
            'It was never used.'
          ) : (
            <>
              It was last used <Timestamp at={secret.lastUsedAt} />.
            </>
          )}
        </Text>
      )}
      {isLast && (
        <Text size="sm">
          It is the only one: without it your app gets no tokens until you rotate to a new one.
        </Text>
      )}
    </ConfirmDialog>
  );
}

/** The client secrets of an app: when each was used, and the ways to replace and to end one. */
function SecretsPanel({ application }: { readonly application: Application }) {
  const { secrets } = application;
  const [isRotating, setRotating] = useState(false);
  const [secretToDelete, setSecretToDelete] = useState<ClientSecret>();
  const [isDeleting, setDeleting] = useState(false);
  const askToDelete = (secret: ClientSecret) => {
    setSecretToDelete(secret);
    setDeleting(true);
  };
  const columns: readonly Column<ClientSecret>[] = [
    { header: 'Secret', cell: (secret) => <Code>{secretHint(secret)}</Code> },
    { header: 'Created', cell: ({ createdAt }) => <Timestamp at={createdAt} /> },
    { header: 'Last used', cell: ({ lastUsedAt }) => <Timestamp at={lastUsedAt} absent="Never" /> },
    {
      header: 'Actions',
      actions: true,
      cell: (secret) => (
        <Button
          variant="subtle"
          color="red"
          size="compact-sm"
          aria-label={`Delete the secret that ends in ${secret.lastFour}`}
          onClick={() => askToDelete(secret)}
        >
          Delete
        </Button>
      ),
    },
  ];
  return (
    <Panel
      title="Client secrets"
      description="Your server proves with one of them that it is your app. Only the last four characters are kept readable."
      actions={
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} aria-hidden />}
          onClick={() => setRotating(true)}
        >
          Rotate
        </Button>
      }
    >
      {secrets.length === 0 ? (
        <Alert color="yellow" icon={<IconAlertTriangle />} p="sm">
          This app has no secret: it cannot get tokens. Rotate makes a new one.
        </Alert>
      ) : (
        <DataTable label="Client secrets" columns={columns} rows={secrets} keyOf={({ id }) => id} />
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

/** What an app proves itself with, and how to use it. */
export function AppCredentials({ application }: { readonly application: Application }) {
  return (
    <Stack gap="lg">
      <Panel title="Client ID" description="Names your app in every request of OAuth 2.0. It is no secret.">
        <CopyField value={application.clientId} what="the client ID" />
      </Panel>
      <SecretsPanel application={application} />
      <TryOAuthPanel application={application} />
    </Stack>
  );
}
