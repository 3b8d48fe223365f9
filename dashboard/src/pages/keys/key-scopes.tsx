import { Alert, Anchor, Button, Stack, Text } from '@mantine/core';
import { IconScissors } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { type Scope, useGoneScopes } from '../../api/session.ts';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { Panel } from '../../components/panel.tsx';
import { ScopeList } from '../../components/scopes.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { useMayChange } from '../../shell/session-context.ts';
import { ForecastPanel } from '../forecasts/forecast-panel.tsx';
import { type ApiKeyDetail, scopeRemovalWarning, unusedScopes, usedScopes } from './api.ts';
import { secondKeyPath } from './key-cells.tsx';
import { keptToOwners, useOwnKeyRules } from './member-rules.ts';
import { ScopeUseChanged, useRemoveUnusedScopes } from './mutations.ts';

/** Offers to remove unused permissions. */
function RemoveUnusedScopes({
  apiKey,
  unused,
}: {
  readonly apiKey: ApiKeyDetail;
  /** At least one. */
  readonly unused: readonly Scope[];
}) {
  const kept = keptToOwners(useOwnKeyRules(), { keyType: apiKey.keyType, scopes: [...unused] });
  const gone = useGoneScopes(unused);
  const removal = useRemoveUnusedScopes(apiKey, { mayUndo: kept === undefined && gone.length === 0 });
  const [isOpen, setOpen] = useState(false);
  const isOutdated = removal.error instanceof ScopeUseChanged;
  return (
    <Stack gap="sm" align="flex-start">
      <Text size="sm">
        {unused.length === 1 ? '1 permission has' : `${unused.length} permissions have`} never been used.
        Without {unused.length === 1 ? 'it' : 'them'}, a leaked key does less damage.
      </Text>
      <Button
        variant="default"
        leftSection={<IconScissors size={16} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        Remove unused permissions
      </Button>
      <ConfirmDialog
        title="Remove unused permissions?"
        action="Remove them"
        destructive
        opened={isOpen}
        onClose={() => {
          setOpen(false);
          removal.reset();
        }}
        mutation={isOutdated ? { isPending: false, error: null } : removal}
        onConfirm={() => removal.mutate()}
      >
        <Text size="sm">
          {scopeRemovalWarning(unused)}
          {kept !== undefined && ` You cannot undo this: only owners can make ${kept}.`}
          {gone.length > 0 && ` You cannot undo this: ${gone.join(', ')} can no longer be chosen.`}
        </Text>
        <ForecastPanel forecasted={{ apiKeyId: apiKey.id, change: { scopes: [...usedScopes(apiKey)] } }} />
        {isOutdated && (
          <Alert color="yellow" p="sm" role="status">
            Another permission was used just now, so nothing was changed. Check the list and try again.
          </Alert>
        )}
      </ConfirmDialog>
    </Stack>
  );
}

/** Permissions of a key with their last use. */
export function KeyScopes({ apiKey }: { readonly apiKey: ApiKeyDetail }) {
  const { keyType, scopeUses } = apiKey;
  return (
    <Panel
      title="Permissions"
      description={
        keyType === 'secret'
          ? 'A secret key can do everything. These permissions have been used.'
          : 'Permissions of the key and their last successful use.'
      }
    >
      <ScopeList
        label="Permissions"
        scopes={scopeUses.map(({ scope, lastUsedAt }) => ({ scope, status: <UseBadge at={lastUsedAt} /> }))}
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
  const mayChange = useMayChange();
  if (apiKey.status === 'expired') return null;
  if (usedScopes(apiKey).length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Not used yet. Once the key is in use, you can remove unused permissions here.
      </Text>
    );
  }
  if (unused.length === 0 || !mayChange) return null;
  return apiKey.keyType === 'restricted' ? (
    <RemoveUnusedScopes apiKey={apiKey} unused={unused} />
  ) : (
    <Text size="sm">
      A restricted key would be enough.{' '}
      <Anchor component={Link} href={`${secondKeyPath(apiKey.id)}&restrict`} inherit underline="always">
        Create one with the used permissions only
      </Anchor>
    </Text>
  );
}
