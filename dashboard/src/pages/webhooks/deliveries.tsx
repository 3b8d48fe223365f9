import { Anchor, Group, Select, Text } from '@mantine/core';
import { useState } from 'react';
import { api, unwrap } from '../../api/client.ts';
import { usePages } from '../../api/queries.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { type DateRange, toTimeRange } from '../../components/date-range.ts';
import { DateRangeFields } from '../../components/date-range-fields.tsx';
import { formatNumber } from '../../components/format.ts';
import { Panel } from '../../components/panel.tsx';
import { LoadMore } from '../../components/rows.tsx';
import { Loaded, NoResults } from '../../components/states.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { useMayChange } from '../../shell/session-context.ts';
import { type EndpointOwner, useOwner } from './api.ts';
import { DeliveryBadge, type DeliveryStatus, NextAttempt } from './delivery-badge.tsx';
import { DeliveryDialog } from './delivery-dialog.tsx';
import { type Delivery, type Endpoint, shortUrl } from './health.ts';
import { useRefetchInterval } from './live.tsx';
import { useEventOptions } from './send-dialogs.tsx';

interface Filter extends Partial<DateRange> {
  readonly status?: DeliveryStatus;
  readonly type?: string;
  readonly endpointId?: string;
}

const statusOptions = [
  { value: 'pending', label: 'Pending' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'failed', label: 'Failed' },
  { value: 'skipped', label: 'Skipped' },
  { value: 'withdrawn', label: 'Withdrawn' },
] as const satisfies readonly { readonly value: DeliveryStatus; readonly label: string }[];

interface Shown {
  readonly open: (id: string) => void;
  readonly endpointOf: (delivery: Delivery) => Endpoint | undefined;
  readonly hasMany: boolean;
}

const columnsOf = ({ open, endpointOf, hasMany }: Shown): readonly Column<Delivery>[] => [
  {
    header: 'Event',
    cell: (delivery) => (
      <>
        <Anchor component="button" type="button" size="sm" onClick={() => open(delivery.id)}>
          {delivery.type}
        </Anchor>
        {hasMany && <EndpointUrl endpoint={endpointOf(delivery)} />}
        {delivery.isTest && (
          <Text size="xs" c="dimmed">
            Test event
          </Text>
        )}
      </>
    ),
  },
  { header: 'Status', cell: ({ status }) => <DeliveryBadge status={status} /> },
  { header: 'Attempts', numeric: true, cell: ({ attempts }) => formatNumber(attempts) },
  { header: 'Created', cell: ({ createdAt }) => <Timestamp at={createdAt} /> },
  {
    header: 'Next attempt',
    cell: (delivery) => <NextAttempt delivery={delivery} endpoint={endpointOf(delivery)} />,
  },
];

function EndpointUrl({ endpoint }: { readonly endpoint: Endpoint | undefined }) {
  if (endpoint === undefined) return null;
  return (
    <Text size="xs" c="dimmed" fw={400} title={endpoint.url} style={{ overflowWrap: 'anywhere' }}>
      {shortUrl(endpoint)}
    </Text>
  );
}

interface DeliveriesProps extends EndpointOwner {
  readonly endpoints: readonly Endpoint[];
}

/** Deliveries of the last 30 days. */
export function DeliveriesPanel({ endpoints, applicationId }: DeliveriesProps) {
  const { businessId, owner, key } = useOwner({ applicationId });
  const [filter, setFilter] = useState<Filter>({});
  const [opened, setOpened] = useState<string>();
  const refetchInterval = useRefetchInterval();
  const mayChange = useMayChange();
  const query = usePages(
    [...key, 'deliveries', filter],
    (page, signal) =>
      unwrap(
        api.GET('/businesses/{businessId}/webhook-deliveries', {
          params: { path: { businessId }, query: { ...owner, ...queryOf(filter), ...page } },
          signal,
        }),
      ),
    ({ deliveries }) => deliveries,
    { refetchOnWindowFocus: true, refetchInterval },
  );
  const endpointOf = ({ endpointId }: Delivery) => endpoints.find(({ id }) => id === endpointId);
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <Panel title="Deliveries" description="Of the last 30 days, newest first.">
      <DeliveriesFilter
        filter={filter}
        endpoints={endpoints}
        applicationId={applicationId}
        onChange={setFilter}
      />
      <Loaded query={query}>
        {(rows) =>
          rows.length > 0 ? (
            <>
              <DataTable
                label="Deliveries"
                columns={columnsOf({ open: setOpened, endpointOf, hasMany: endpoints.length > 1 })}
                rows={rows}
                keyOf={({ id }) => id}
                cardsBelow="md"
              />
              <LoadMore query={query} />
            </>
          ) : isFiltered ? (
            <NoResults text="No deliveries match." onClear={() => setFilter({})} />
          ) : (
            <Text size="sm" c="dimmed">
              Nothing has been sent yet.{mayChange && ' Send a test event from the menu of an endpoint.'}
            </Text>
          )
        }
      </Loaded>
      <DeliveryDialog
        deliveryId={opened}
        endpointOf={endpointOf}
        applicationId={applicationId}
        onClose={() => setOpened(undefined)}
      />
    </Panel>
  );
}

function DeliveriesFilter({
  filter,
  endpoints,
  applicationId,
  onChange,
}: DeliveriesProps & {
  readonly filter: Filter;
  readonly onChange: (filter: Filter) => void;
}) {
  const { status, type, endpointId } = filter;
  const events = useEventOptions({ applicationId });
  const width = { flex: '1 1 9rem', maw: { base: '100%', sm: '16rem' }, placeholder: 'All', clearable: true };
  return (
    <Group gap="sm" align="flex-end" role="group" aria-label="Filters">
      <Select
        {...width}
        label="Status"
        data={statusOptions}
        value={status ?? null}
        onChange={(next) =>
          onChange({ ...without(filter, 'status'), ...(next !== null && { status: next }) })
        }
      />
      <Select
        {...width}
        label="Event"
        data={events}
        value={type ?? null}
        onChange={(next) => onChange({ ...without(filter, 'type'), ...(next !== null && { type: next }) })}
      />
      <Select
        {...width}
        label="Endpoint"
        data={endpoints.map(({ id, url }) => ({ value: id, label: url }))}
        value={endpointId ?? null}
        onChange={(next) =>
          onChange({ ...without(filter, 'endpointId'), ...(next !== null && { endpointId: next }) })
        }
      />
      <DateRangeFields
        value={{ from: filter.from, to: filter.to }}
        onChange={({ from, to }) => {
          const { from: _, to: __, ...rest } = filter;
          onChange({ ...rest, ...(from !== undefined && { from }), ...(to !== undefined && { to }) });
        }}
      />
    </Group>
  );
}

/** The filter in query parameters. */
function queryOf({ from, to, ...rest }: Filter) {
  const { from: since, to: until } = toTimeRange({ from, to });
  return { ...rest, ...(since !== undefined && { since }), ...(until !== undefined && { until }) };
}

function without(filter: Filter, name: keyof Filter): Filter {
  const { [name]: _, ...rest } = filter;
  return rest;
}
