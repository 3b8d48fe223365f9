import { Anchor, Code, Text } from '@mantine/core';
import { Link } from 'wouter';
import { useScopes } from '../../api/scopes.ts';
import { Moment } from '../../parts/moment.tsx';
import { Panel } from '../../parts/panel.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import type { ApiKeyDetail } from './api-keys.ts';
import classes from './keys.module.css';
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
      <ul className={classes.list}>
        {scopeUses.map((use) => (
          <ScopeUse key={use.scope} {...use} />
        ))}
      </ul>
      <Shrink apiKey={apiKey} />
    </Panel>
  );
}

function ScopeUse({ scope, lastUsedAt }: ApiKeyDetail['scopeUses'][number]) {
  const { data = [] } = useScopes();
  return (
    <li className={classes.row}>
      <div>
        <Code>{scope}</Code>
        <Text size="sm" c="dimmed">
          {data.find((known) => known.scope === scope)?.words}
        </Text>
      </div>
      {lastUsedAt === null ? (
        <StatusBadge tone="neutral">Not used yet</StatusBadge>
      ) : (
        <StatusBadge tone="good">
          Used <Moment at={lastUsedAt} />
        </StatusBadge>
      )}
    </li>
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
