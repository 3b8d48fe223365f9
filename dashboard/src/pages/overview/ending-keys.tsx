import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import { Moment } from '../../parts/moment.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Row, Rows } from '../../parts/rows.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
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
        <Rows>
          {keys.map((key) => (
            <Row key={key.id} end={<EndBadge status={key.status} />}>
              <EndingKeyName endingKey={key} />
            </Row>
          ))}
        </Rows>
      )}
    </Panel>
  );
}

function EndingKeyName({ endingKey: { id, name, status, expiresAt } }: { readonly endingKey: EndingKey }) {
  return (
    <>
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
    </>
  );
}

function EndBadge({ status }: Pick<EndingKey, 'status'>) {
  return status === 'expired' ? (
    <StatusBadge tone="bad">Expired</StatusBadge>
  ) : (
    <StatusBadge tone="warning">Soon</StatusBadge>
  );
}
