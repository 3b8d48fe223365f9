import { Anchor, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { components } from '../generated/dashboard-api.d.ts';

type Credential = components['schemas']['Caller'];

const kinds = {
  api_key: { label: 'API key', removed: 'Deleted API key' },
  application: { label: 'App', removed: 'Disconnected app' },
} as const;

/** Page of an API key, connected app, or own app. @param isClient whether it is an app in its own OAuth requests */
export function credentialPath({ kind, id }: Pick<Credential, 'kind' | 'id'>, isClient: boolean): string {
  if (isClient) return `/settings/developers/apps/${id}`;
  return kind === 'api_key' ? `/settings/developers/keys/${id}` : '/connected';
}

/** Name of an API key or connected app, linked while it exists. */
export function CredentialName({
  credential,
  note,
  isClient = false,
}: {
  readonly credential: Credential;
  /** Whether it is an app in its own OAuth requests, not in those of a connection. */
  readonly isClient?: boolean;
  /** Shown below the name instead of the kind. */
  readonly note?: ReactNode;
}) {
  const { kind, id, name, exists } = credential;
  const { label, removed } = kinds[kind];
  const href = credentialPath(credential, isClient);
  return (
    <>
      {exists ? (
        <Anchor component={Link} href={href} size="sm" fw={600} c="var(--mantine-color-text)" lineClamp={2}>
          {name}
        </Anchor>
      ) : (
        <Text size="sm" fw={600} lineClamp={2}>
          {name ?? removed}
        </Text>
      )}
      <Text size="xs" c="dimmed">
        {note ?? (exists ? label : name === null ? id : removed)}
      </Text>
    </>
  );
}
