import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyField } from '../../parts/copy-field.tsx';
import { SecretOnce } from '../../parts/secret-once.tsx';

/** Shows a new client secret for the first and last time, and says where it belongs. */
export function ClientSecretOnce({
  title,
  clientId,
  clientSecret,
  children,
  onClose,
}: {
  readonly title: string;
  readonly clientId: string | undefined;
  /** Undefined closes the dialog. */
  readonly clientSecret: string | undefined;
  readonly children?: ReactNode;
  readonly onClose: () => void;
}) {
  return (
    <SecretOnce
      title={title}
      secret={clientSecret}
      what="the client secret"
      label="Client secret"
      onClose={onClose}
    >
      {children}
      <Text size="sm">
        Your server sends client ID and secret to the token endpoint. Keep the secret out of everything that
        runs at your users: no browser code, no mobile app, no repository.
      </Text>
      {clientId !== undefined && <CopyField value={clientId} what="the client ID" label="Client ID" />}
    </SecretOnce>
  );
}
