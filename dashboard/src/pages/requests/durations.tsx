import { Anchor } from '@mantine/core';
import { IconClockPause } from '@tabler/icons-react';
import { Link } from 'wouter';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { formatDuration, formatNumber } from '../../components/format.ts';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { type RequestFilter, requestsPath } from './filter.ts';
import { endpointLabel } from './filter-options.ts';
import { type RouteDurations, useDurations } from './requests.ts';

/** Durations of requests by endpoint. */
export function Durations({ filter }: { readonly filter: RequestFilter }) {
  return (
    <Loaded query={useDurations(filter)}>
      {(durations) =>
        durations.length === 0 ? (
          <EmptyState icon={IconClockPause} title="No requests in this time">
            None that the filters match.
          </EmptyState>
        ) : (
          <DataTable
            label="Durations"
            columns={columnsOf(filter)}
            rows={durations}
            keyOf={({ method, route }) => endpointLabel(method, route)}
          />
        )
      }
    </Loaded>
  );
}

const columnsOf = (filter: RequestFilter): readonly Column<RouteDurations>[] => [
  { header: 'Endpoint', cell: (row) => <Endpoint row={row} filter={filter} /> },
  { header: 'Requests', numeric: true, cell: ({ requests }) => formatNumber(requests) },
  { header: 'Failed (5xx)', numeric: true, cell: ({ failures }) => formatNumber(failures) },
  { header: 'Half within', numeric: true, cell: ({ p50 }) => formatDuration(p50) },
  { header: '95 % within', numeric: true, cell: ({ p95 }) => formatDuration(p95) },
  { header: '99 % within', numeric: true, cell: ({ p99 }) => formatDuration(p99) },
];

function Endpoint({ row, filter }: { readonly row: RouteDurations; readonly filter: RequestFilter }) {
  const { method, route } = row;
  const requests = { ...filter, method, route: route ?? 'none', span: filter.span ?? '24h' } as const;
  return (
    <Anchor
      component={Link}
      href={requestsPath(requests)}
      size="sm"
      ff="monospace"
      c="var(--mantine-color-text)"
    >
      {endpointLabel(method, route)}
    </Anchor>
  );
}
