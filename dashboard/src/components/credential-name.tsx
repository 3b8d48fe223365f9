import { Anchor, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { components } from '../generated/dashboard-api.d.ts';

type Credential = components['schemas']['Caller'];

export const kinds = {
  api_key: { kind: 'API key', gone: 'A deleted key' },
  application: { kind: 'App', gone: 'An app that is gone' },
} as const;

/** An API key or connected application by its name, with the way to its page. */
export function CredentialName({
  credential,
  note,
}: {
  readonly credential: Credential;
  /** Below the name, in the place of what it is. */
  readonly note?: ReactNode;
}) {
  const { kind, id, name, exists } = credential;
  const { kind: word, gone } = kinds[kind];
  const href = kind === 'api_key' ? `/developers/keys/${id}` : '/connected';
  return (
    <>
      {exists ? (
        <Anchor component={Link} href={href} size="sm" fw={600} c="var(--mantine-color-text)" lineClamp={2}>
          {name}
        </Anchor>
      ) : (
        <Text size="sm" fw={600} lineClamp={2}>
          {name ?? gone}
        </Text>
      )}
      <Text size="xs" c="dimmed">
        {note ?? (exists ? word : name === null ? id : `${word}, not connected any more`)}
      </Text>
    </>
  );
}
