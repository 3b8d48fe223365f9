import { Alert, Text } from '@mantine/core';
import { IconBan } from '@tabler/icons-react';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Panel } from '../../parts/panel.tsx';
import classes from './business.module.css';
import type { BusinessRecord } from './business.ts';

/** The business as programs see it, too. */
export function RecordPanel({ record }: { readonly record: BusinessRecord }) {
  const { numericId, uniqueId, accountHolder, username, logo, isBanned, createdAt } = record;
  return (
    <Panel title="Record" description="What programs with access to this business are told of it.">
      {isBanned && (
        <Alert color="red" icon={<IconBan />} title="This business is banned" role="status">
          Programs may only read this record. Everything else is refused. Please write to our support.
        </Alert>
      )}
      <Facts
        facts={[
          ['Name', accountHolder],
          ['Username', `@${username}`],
          ['Since', <Moment key="since" at={createdAt} format="date" />],
          ['Number', <Identifier key="number" value={String(numericId)} what="the number" />],
          ['Public id', <Identifier key="id" value={uniqueId} what="the public id" />],
          [
            'Logo',
            logo === null ? (
              <None key="logo" />
            ) : (
              <Identifier key="logo" value={logo} what="the logo’s address" />
            ),
          ],
        ]}
      />
    </Panel>
  );
}

function Identifier({ value, what }: { readonly value: string; readonly what: string }) {
  return (
    <span className={classes.identifier}>
      <code>{value}</code>
      <CopyButton value={value} what={what} />
    </span>
  );
}

function None() {
  return (
    <Text span inherit c="dimmed">
      None
    </Text>
  );
}
