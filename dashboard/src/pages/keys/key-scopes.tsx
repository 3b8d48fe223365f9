import { Alert, Anchor, Button, Stack, Text } from '@mantine/core';
import { IconScissors } from '@tabler/icons-react';
import { Link } from 'wouter';
import type { Scope } from '../../api/session.ts';
import { Panel } from '../../components/panel.tsx';
import { ScopeList } from '../../components/scopes.tsx';
import { ErrorAlert } from '../../components/states.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { type ApiKeyDetail, scopeRemovalWarning, unusedScopes, usedScopes } from './api.ts';
import { secondKeyPath } from './key-cells.tsx';
import { ScopeUseChanged, useRemoveUnusedScopes } from './mutations.ts';

/** Offers to take away what was never used. */
function RemoveUnusedScopes({
  apiKey,
  unused,
}: {
  readonly apiKey: ApiKeyDetail;
  /** Scopes without use, at least one. */
  readonly unused: readonly Scope[];
}) {
  const { mutate, isPending, error } = useRemoveUnusedScopes(apiKey);
  return (
    <Stack gap="sm" align="flex-start">
      <Text size="sm">
        {unused.length === 1 ? 'One permission was' : `${unused.length} permissions were`} never used. Without{' '}
        {unused.length === 1 ? 'it' : 'them'}, the key can do less harm if it leaks.{' '}
        {scopeRemovalWarning(unused)}
      </Text>
      <Button
        variant="default"
        leftSection={<IconScissors size={16} aria-hidden />}
        loading={isPending}
        onClick={() => mutate()}
      >
        Keep only what is used
      </Button>
      {error instanceof ScopeUseChanged ? (
        <Alert color="yellow" p="sm" role="status">
          Something else was used a moment ago, so nothing was changed. Look again at what is left.
        </Alert>
      ) : (
        <ErrorAlert error={error} />
      )}
    </Stack>
  );
}

/** What a key may do, when it last really did it, and the way to leave it only that. */
export function KeyScopes({ apiKey }: { readonly apiKey: ApiKeyDetail }) {
  const { keyType, scopeUses } = apiKey;
  return (
    <Panel
      title="Permissions"
      description={
        keyType === 'secret'
          ? 'A secret key may do everything. This is what it was really used for.'
          : 'What the key may do, and when a request last did it with success.'
      }
    >
      <ScopeList
        label="Permissions"
        scopes={scopeUses.map(({ scope, lastUsedAt }) => ({ scope, state: <UseBadge at={lastUsedAt} /> }))}
      />
      <UnusedScopes apiKey={apiKey} />
    </Panel>
  );
}

function UseBadge({ at }: { readonly at: string | null }) {
  if (at === null) return <StatusBadge tone="neutral">Not used yet</StatusBadge>;
  return (
    <StatusBadge tone="good">
      Used <Timestamp at={at} />
    </StatusBadge>
  );
}

function UnusedScopes({ apiKey }: { readonly apiKey: ApiKeyDetail }) {
  const unused = unusedScopes(apiKey);
  if (apiKey.status === 'expired') return null;
  if (usedScopes(apiKey).length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Nothing was used yet. Once the key is in use, permissions that it does without can be taken away here.
      </Text>
    );
  }
  if (unused.length === 0) return null;
  return apiKey.keyType === 'restricted' ? (
    <RemoveUnusedScopes apiKey={apiKey} unused={unused} />
  ) : (
    <Text size="sm">
      A restricted key would do here.{' '}
      <Anchor component={Link} href={`${secondKeyPath(apiKey.id)}&restrict`} inherit underline="always">
        Make one with just what was used
      </Anchor>
    </Text>
  );
}
