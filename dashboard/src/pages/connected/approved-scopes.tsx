import { Text } from '@mantine/core';
import { Moment } from '../../parts/moment.tsx';
import { ScopeRows } from '../../parts/scope-rows.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import classes from './connected.module.css';
import type { ConnectedApp } from './connections.ts';
import { unusedAdvice } from './unused-advice.ts';

/** What an app may do in plain words, and what of it was never used. */
export function ApprovedScopes({ app }: { readonly app: ConnectedApp }) {
  const advice = unusedAdvice(app, Date.now());
  return (
    <div className={classes.rights}>
      <ScopeRows
        label="What it may do"
        scopes={app.scopes.map((use) => ({
          scope: use.scope,
          state: <UseBadge use={use} isOld={advice !== undefined} />,
        }))}
      />
      {advice !== undefined && (
        <Text size="sm" c="dimmed" mt="sm">
          {advice}
        </Text>
      )}
    </div>
  );
}

function UseBadge({
  use: { used, lastUsedAt },
  isOld,
}: {
  readonly use: ConnectedApp['scopes'][number];
  /** Whether there was time enough to use it. */
  readonly isOld: boolean;
}) {
  if (!used) {
    return isOld ? (
      <StatusBadge tone="warning">Never used</StatusBadge>
    ) : (
      <StatusBadge tone="neutral">Not used yet</StatusBadge>
    );
  }
  return (
    <StatusBadge tone="good">
      Used
      {lastUsedAt !== null && (
        <>
          {' '}
          <Moment at={lastUsedAt} />
        </>
      )}
    </StatusBadge>
  );
}
