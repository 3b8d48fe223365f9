import { Text } from '@mantine/core';
import { CallerName } from '../../parts/caller-name.tsx';
import { count } from '../../parts/numbers.ts';
import { Panel } from '../../parts/panel.tsx';
import { Row, Rows } from '../../parts/rows.tsx';
import classes from './overview.module.css';
import type { CallerUse } from './overview.ts';
import { share } from './usage-totals.ts';

/** Who called most. */
export function BusiestList({ uses }: { readonly uses: readonly CallerUse[] }) {
  return (
    <Panel title="Busiest keys and apps">
      {uses.length === 0 ? (
        <Text size="sm" c="dimmed">
          Nobody has called in this time.
        </Text>
      ) : (
        <Rows>
          {uses.map((use) => (
            <Row key={use.caller.id} end={<Figure use={use} />}>
              <CallerName caller={use.caller} />
            </Row>
          ))}
        </Rows>
      )}
    </Panel>
  );
}

function Figure({ use }: { readonly use: CallerUse }) {
  return (
    <div className={classes.figure}>
      <Text size="sm" fw={600}>
        {count(use.requests)}
      </Text>
      <Text size="xs" c="dimmed">
        {errorsOf(use)}
      </Text>
    </div>
  );
}

function errorsOf({ requests, refused, failed }: CallerUse): string {
  return refused + failed === 0 ? 'no errors' : `${share(refused + failed, requests)} errors`;
}
