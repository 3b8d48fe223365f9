import { Code, Select, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { pluralize } from '../../components/format.ts';
import { toast } from '../../components/toast.tsx';
import { useEventGroups } from '../../components/webhook-events.tsx';
import { type EndpointOwner, useEndpointCalls, useWebhookChange } from './api.ts';
import { type Endpoint, missedSince } from './health.ts';

interface SendDialogProps extends EndpointOwner {
  readonly endpoint: Endpoint;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Events of an owner's endpoints as options of a Select, by topic. */
export function useEventOptions({ applicationId }: EndpointOwner) {
  return useEventGroups(applicationId !== undefined).map(({ group, events }) => ({
    group,
    items: events.map(({ event }) => event),
  }));
}

/** Sends an example event. */
export function TestEventDialog({ endpoint, applicationId, opened, onClose }: SendDialogProps) {
  const calls = useEndpointCalls({ applicationId });
  const options = useEventOptions({ applicationId });
  const [type, setType] = useState('order.paid');
  const sending = useWebhookChange(() => calls.test(endpoint.id, type));
  return (
    <ConfirmDialog
      title="Send a test event?"
      action="Send"
      opened={opened}
      onClose={() => {
        onClose();
        sending.reset();
      }}
      mutation={sending}
      onConfirm={() =>
        sending.mutate(undefined, {
          onSuccess: () => {
            onClose();
            toast('Test event sent. Its delivery is in the list.');
          },
        })
      }
    >
      <Text size="sm">
        An example with <Code>sequence: 0</Code> goes to <Code>{endpoint.url}</Code>, signed like every other
        event.
      </Text>
      <Select
        label="Event"
        data={options}
        value={type}
        allowDeselect={false}
        onChange={(next) => setType(next ?? type)}
      />
    </ConfirmDialog>
  );
}

const hourMs = 3_600_000;

const spans = [
  { value: String(hourMs), label: 'The last hour' },
  { value: String(24 * hourMs), label: 'The last 24 hours' },
  { value: String(7 * 24 * hourMs), label: 'The last 7 days' },
  { value: String(30 * 24 * hourMs), label: 'The last 30 days' },
];

/** Sends again what failed or was skipped. For an endpoint with missed events, preselects the time since then. */
export function RecoverDialog({ endpoint, applicationId, opened, onClose }: SendDialogProps) {
  const calls = useEndpointCalls({ applicationId });
  const missed = missedSince(endpoint);
  const [chosen, setChosen] = useState<string>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: each opening starts without a choice
  useEffect(() => setChosen(undefined), [opened, endpoint.id]);
  const span = chosen ?? missed ?? String(24 * hourMs);
  const options = missed === undefined ? spans : [{ value: missed, label: 'It began to fail' }, ...spans];
  const recovery = useWebhookChange(() =>
    calls.recover(endpoint.id, span === missed ? missed : new Date(Date.now() - Number(span)).toISOString()),
  );
  return (
    <ConfirmDialog
      title="Recover deliveries?"
      action="Recover"
      opened={opened}
      onClose={() => {
        onClose();
        recovery.reset();
      }}
      mutation={recovery}
      onConfirm={() =>
        recovery.mutate(undefined, {
          onSuccess: ({ deliveries }) => {
            onClose();
            toast(`${pluralize(deliveries, 'delivery is', 'deliveries are')} sent again.`);
          },
        })
      }
    >
      <Text size="sm">
        Deliveries to <Code>{endpoint.url}</Code> that failed, were skipped or were withdrawn are sent again
        with the same identifiers.
      </Text>
      <Select
        label="Since"
        data={options}
        value={span}
        allowDeselect={false}
        onChange={(next) => setChosen(next ?? span)}
      />
    </ConfirmDialog>
  );
}
