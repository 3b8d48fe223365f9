import { Button, Center, Text } from '@mantine/core';
import { useState } from 'react';
import { Address } from '../../parts/address.tsx';
import { type Column, DataTable } from '../../parts/data-table/data-table.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { count } from '../../parts/numbers.ts';
import { Panel } from '../../parts/panel.tsx';
import { type Application, type Caller, useCallers } from './applications.ts';

/** Rows that are shown at first. */
const fewest = 10;

const columns: readonly Column<Caller>[] = [
  { header: 'Address', cell: ({ address }) => <Address ip={address} absent="Other addresses" /> },
  { header: 'Requests', numeric: true, cell: ({ requests }) => count(requests) },
  { header: 'Successful', numeric: true, cell: ({ successes }) => count(successes) },
  { header: 'Last success', cell: ({ lastSuccessAt }) => <Moment at={lastSuccessAt} absent="None" /> },
];

/** From where an app called the API lately. */
export function CallersPanel({ application }: { readonly application: Application }) {
  const query = useCallers(application.id);
  return (
    <Panel
      title="Where it calls from"
      description="Addresses that called the API with this app’s tokens in the last 7 days."
    >
      <Loaded query={query}>
        {({ callers }) =>
          callers.length === 0 ? (
            <Text size="sm" c="dimmed">
              No calls in the last 7 days.
            </Text>
          ) : (
            <CallerList callers={callers} />
          )
        }
      </Loaded>
    </Panel>
  );
}

function CallerList({ callers }: { readonly callers: readonly Caller[] }) {
  const [isWhole, setWhole] = useState(false);
  return (
    <>
      <DataTable
        label="Addresses"
        columns={columns}
        rows={isWhole ? callers : callers.slice(0, fewest)}
        keyOf={({ address }) => address ?? 'others'}
      />
      {!isWhole && callers.length > fewest && (
        <Center>
          <Button variant="default" onClick={() => setWhole(true)}>
            Show all {count(callers.length)}
          </Button>
        </Center>
      )}
    </>
  );
}
