import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrap } from '../../api/client.ts';
import { CodeBlock } from '../../components/copy.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { formatNumber } from '../../components/format.ts';
import { DescriptionList } from '../../components/rows.tsx';
import { ErrorAlert, Loaded } from '../../components/states.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { toast } from '../../components/toast.tsx';
import type { components } from '../../generated/dashboard-api.d.ts';
import { useMayChange } from '../../shell/session-context.ts';
import { type EndpointOwner, useOwner, useWebhookChange } from './api.ts';
import { DeliveryBadge, NextAttempt } from './delivery-badge.tsx';
import { EventAuthor } from './event-author.tsx';
import { type Delivery, type Endpoint, nextAttemptOf, outcomes } from './health.ts';
import { useRefetchInterval } from './live.tsx';

type Attempt = components['schemas']['WebhookAttempt'];

const columns: readonly Column<Attempt>[] = [
  {
    header: 'Attempt',
    cell: ({ number, startedAt }) => (
      <>
        {number}. <Timestamp at={startedAt} format="exact" />
      </>
    ),
  },
  {
    header: 'Result',
    cell: ({ status, outcome, errorCode }) =>
      status ?? `${outcomes[outcome] ?? outcome}${errorCode === null ? '' : ` (${errorCode})`}`,
  },
  { header: 'Time', numeric: true, cell: ({ durationMs }) => `${formatNumber(durationMs)} ms` },
  {
    header: 'Response',
    cell: ({ responseStart }) =>
      responseStart === '' ? (
        <Text span size="sm" c="dimmed">
          Empty
        </Text>
      ) : (
        <Code fz="xs">{responseStart.slice(0, 200)}</Code>
      ),
  },
];

/** Milliseconds between two requests for a delivery whose next attempt is due. */
const dueRefetchMs = 1_000;

interface DeliveryDialogProps extends EndpointOwner {
  /** Undefined closes the dialog. */
  readonly deliveryId: string | undefined;
  readonly endpointOf: (delivery: Delivery) => Endpoint | undefined;
  readonly onClose: () => void;
}

/** A delivery with its body and attempts, and a button to send it again. */
export function DeliveryDialog({ deliveryId, onClose, ...props }: DeliveryDialogProps) {
  const [last, setLast] = useState('');
  if (deliveryId !== undefined && deliveryId !== last) setLast(deliveryId);
  return (
    <Dialog opened={deliveryId !== undefined} onClose={onClose} title="Delivery" size="xl">
      {last !== '' && <DeliveryDetails key={last} deliveryId={last} {...props} />}
    </Dialog>
  );
}

function DeliveryDetails({
  deliveryId,
  applicationId,
  endpointOf,
}: Omit<DeliveryDialogProps, 'deliveryId' | 'onClose'> & { readonly deliveryId: string }) {
  const { businessId, owner, key } = useOwner({ applicationId });
  const mayChange = useMayChange();
  // Only events of these say who made the change.
  const hasAuthor = ({ isTest, type }: Delivery) =>
    applicationId === undefined && !isTest && /^(order|business)\./.test(type);
  const params = { path: { businessId, deliveryId }, query: owner };
  const one = '/businesses/{businessId}/webhook-deliveries/{deliveryId}';
  const refetchInterval = useRefetchInterval();
  const query = useQuery({
    queryKey: [...key, 'delivery', deliveryId],
    queryFn: ({ signal }) => unwrap(api.GET(one, { params, signal })),
    staleTime: 0,
    refetchOnWindowFocus: true,
    refetchInterval: ({ state: { data } }) =>
      data !== undefined && isDue(data.delivery, endpointOf(data.delivery)) ? dueRefetchMs : refetchInterval,
  });
  const resending = useWebhookChange(() => unwrap(api.POST(`${one}/resend`, { params })));
  return (
    <Loaded query={query}>
      {({ delivery, body, attempts }) => (
        <Stack gap="md">
          <DescriptionList
            isDense
            items={[
              ['Event', delivery.type],
              ['Status', <DeliveryBadge key="status" status={delivery.status} />],
              ['webhook-id', <Code key="id">{delivery.eventId}</Code>],
              ...(hasAuthor(delivery)
                ? [['Changed by', <EventAuthor key="author" eventId={delivery.eventId} />] as const]
                : []),
              [
                'Next attempt',
                <NextAttempt key="next" delivery={delivery} endpoint={endpointOf(delivery)} />,
              ],
            ]}
          />
          <CodeBlock code={body} what="the body" wraps />
          <DataTable
            label="Attempts"
            columns={columns}
            rows={attempts}
            keyOf={({ number }) => String(number)}
            cardsBelow="md"
          />
          <ErrorAlert error={resending.error} />
          {mayChange && (
            <Group justify="flex-end">
              <Button
                loading={resending.isPending}
                onClick={() =>
                  resending.mutate(undefined, { onSuccess: () => toast('The delivery is sent again.') })
                }
              >
                Resend
              </Button>
            </Group>
          )}
        </Stack>
      )}
    </Loaded>
  );
}

/** Whether an attempt is running or about to begin, so that its result is imminent. */
function isDue(delivery: Delivery, endpoint: Endpoint | undefined): boolean {
  const at = nextAttemptOf(delivery, endpoint);
  return at !== null && Date.parse(at) <= Date.now();
}
