import { Alert, Button, Code } from '@mantine/core';
import { IconAlertTriangle, IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { type Column, DataTable } from '../../parts/data-table/data-table.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Panel } from '../../parts/panel.tsx';
import type { Application, ClientSecret } from './applications.ts';
import { DeleteSecretDialog } from './delete-secret-dialog.tsx';
import { RotateSecretDialog } from './rotate-secret-dialog.tsx';
import { secretHint } from './secret-hint.ts';

/** The client secrets of an app: when each was used, and the ways to replace and to end one. */
export function SecretsPanel({ application }: { readonly application: Application }) {
  const { secrets } = application;
  const [isRotating, setRotating] = useState(false);
  const [doomed, setDoomed] = useState<ClientSecret>();
  const [isDeleting, setDeleting] = useState(false);
  const askToDelete = (secret: ClientSecret) => {
    setDoomed(secret);
    setDeleting(true);
  };
  const columns: readonly Column<ClientSecret>[] = [
    { header: 'Secret', cell: (secret) => <Code>{secretHint(secret)}</Code> },
    { header: 'Created', cell: ({ createdAt }) => <Moment at={createdAt} /> },
    { header: 'Last used', cell: ({ lastUsedAt }) => <Moment at={lastUsedAt} absent="Never" /> },
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
      {doomed !== undefined && (
        <DeleteSecretDialog
          application={application}
          secret={doomed}
          opened={isDeleting}
          onClose={() => setDeleting(false)}
        />
      )}
    </Panel>
  );
}
