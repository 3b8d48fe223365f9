import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import { Moment } from '../../parts/moment.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ScopeRows } from '../../parts/scope-rows.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import type { ApiKeyDetail } from './api-keys.ts';
import { spareScopes, usedScopes } from './scope-use.ts';
import { secondKeyPath } from './second-key-link.tsx';
import { ShrinkScopes } from './shrink-scopes.tsx';

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
      <ScopeRows
        label="Permissions"
        scopes={scopeUses.map(({ scope, lastUsedAt }) => ({ scope, state: <UseBadge at={lastUsedAt} /> }))}
      />
      <Shrink apiKey={apiKey} />
    </Panel>
  );
}

function UseBadge({ at }: { readonly at: string | null }) {
  if (at === null) return <StatusBadge tone="neutral">Not used yet</StatusBadge>;
  return (
    <StatusBadge tone="good">
      Used <Moment at={at} />
    </StatusBadge>
  );
}

function Shrink({ apiKey }: { readonly apiKey: ApiKeyDetail }) {
  const spare = spareScopes(apiKey);
  if (apiKey.status === 'expired') return null;
  if (usedScopes(apiKey).length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Nothing was used yet. Once the key is in use, permissions that it does without can be taken away here.
      </Text>
    );
  }
  if (spare.length === 0) return null;
  return apiKey.keyType === 'restricted' ? (
    <ShrinkScopes apiKey={apiKey} spare={spare} />
  ) : (
    <Text size="sm">
      A restricted key would do here.{' '}
      <Anchor component={Link} href={`${secondKeyPath(apiKey.id)}&restrict`} inherit underline="always">
        Make one with just what was used
      </Anchor>
    </Text>
  );
}
