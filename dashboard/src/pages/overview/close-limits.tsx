import { Progress, Text } from '@mantine/core';
import { CallerName } from '../../parts/caller-name.tsx';
import { count } from '../../parts/numbers.ts';
import { Panel } from '../../parts/panel.tsx';
import { Row, Rows } from '../../parts/rows.tsx';
import classes from './overview.module.css';
import type { LimitUse } from './overview.ts';

/** Rolling hours that are nearly used up. */
export function CloseLimits({ limits }: { readonly limits: readonly LimitUse[] }) {
  return (
    <Panel title="Limits close to being hit">
      {limits.length === 0 ? (
        <Text size="sm" c="dimmed">
          None: every key and app has more than a fifth of its hour left.
        </Text>
      ) : (
        <Rows>
          {limits.map((use) => (
            <Row key={use.caller.id} end={<Figure use={use} />}>
              <CallerName caller={use.caller} />
            </Row>
          ))}
        </Rows>
      )}
    </Panel>
  );
}

function Figure({ use: { limit, used, left } }: { readonly use: LimitUse }) {
  return (
    <div className={classes.figure}>
      <Text
        size="sm"
        fw={600}
        c={left === 0 ? 'var(--mantine-color-error)' : 'var(--mantine-color-yellow-light-color)'}
      >
        {left === 0 ? 'Nothing left' : `${count(left)} left`}
      </Text>
      <Text size="xs" c="dimmed">
        of {count(limit)} an hour
      </Text>
      <Progress
        mt={4}
        size="sm"
        color={left === 0 ? 'red' : 'yellow'}
        value={Math.min(100, (used / limit) * 100)}
        aria-label={`${count(used)} of ${count(limit)} requests used`}
      />
    </div>
  );
}
