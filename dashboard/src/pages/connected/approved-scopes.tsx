import { Code, Text } from '@mantine/core';
import { useScopes } from '../../api/scopes.ts';
import { Moment } from '../../parts/moment.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import classes from './connected.module.css';
import type { ConnectedApp } from './connections.ts';
import { unusedAdvice } from './unused-advice.ts';

type ScopeUse = ConnectedApp['scopes'][number];

/** What an app may do in plain words, and what of it was never used. */
export function ApprovedScopes({ app }: { readonly app: ConnectedApp }) {
  const advice = unusedAdvice(app, Date.now());
  return (
    <div>
      <ul className={classes.scopes} aria-label="What it may do">
        {app.scopes.map((use) => (
          <ScopeRow key={use.scope} use={use} isOld={advice !== undefined} />
        ))}
      </ul>
      {advice !== undefined && (
        <Text size="sm" c="dimmed" mt="sm">
          {advice}
        </Text>
      )}
    </div>
  );
}

function ScopeRow({
  use: { scope, used, lastUsedAt },
  isOld,
}: {
  readonly use: ScopeUse;
  /** Whether there was time enough to use it. */
  readonly isOld: boolean;
}) {
  const { data = [] } = useScopes();
  return (
    <li className={classes.scope}>
      <div>
        <Text size="sm">{data.find((known) => known.scope === scope)?.words ?? scope}</Text>
        <Code fz="xs">{scope}</Code>
      </div>
      {used ? (
        <StatusBadge tone="good">
          {lastUsedAt === null ? (
            'Used'
          ) : (
            <>
              Used <Moment at={lastUsedAt} />
            </>
          )}
        </StatusBadge>
      ) : (
        <StatusBadge tone={isOld ? 'warning' : 'neutral'}>
          {isOld ? 'Never used' : 'Not used yet'}
        </StatusBadge>
      )}
    </li>
  );
}
