import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import { Moment } from '../../parts/moment.tsx';
import { Panel } from '../../parts/panel.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import classes from './overview.module.css';
import type { EndingKey } from './overview.ts';

/** Keys that end within two weeks, or have ended within them. */
export function EndingKeys({ keys }: { readonly keys: readonly EndingKey[] }) {
  return (
    <Panel title="Keys that expire">
      {keys.length === 0 ? (
        <Text size="sm" c="dimmed">
          None within two weeks.
        </Text>
      ) : (
        <ul className={classes.list}>
          {keys.map(({ id, name, status, expiresAt }) => (
            <li key={id} className={classes.row}>
              <div>
                <Anchor
                  component={Link}
                  href={`/developers/keys/${id}`}
                  size="sm"
                  fw={600}
                  c="var(--mantine-color-text)"
                  lineClamp={2}
                >
                  {name}
                </Anchor>
                <Text size="xs" c="dimmed">
                  {status === 'expired' ? 'Expired ' : 'Expires '}
                  <Moment at={expiresAt} />
                </Text>
              </div>
              <StatusBadge tone={status === 'expired' ? 'bad' : 'warning'}>
                {status === 'expired' ? 'Expired' : 'Soon'}
              </StatusBadge>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
