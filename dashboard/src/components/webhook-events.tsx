import { Checkbox, type CheckboxGroupProps, Code, SimpleGrid, Stack, Text } from '@mantine/core';
import type { components } from '../generated/dashboard-api.d.ts';

export type WebhookEvent = components['schemas']['WebhookEvent'];

/** All webhook events by topic, with their labels. */
export const webhookEvents: readonly {
  readonly group: string;
  readonly events: readonly { readonly event: WebhookEvent; readonly label: string }[];
}[] = [
  {
    group: 'Orders',
    events: [
      { event: 'order.created', label: 'Order created' },
      { event: 'order.paid', label: 'Order paid' },
      { event: 'order.fulfilled', label: 'Order fulfilled' },
      { event: 'order.cancelled', label: 'Order cancelled' },
      { event: 'order.updated', label: 'Order changed in another way' },
    ],
  },
  {
    group: 'Connected business',
    events: [
      { event: 'business.verification_submitted', label: 'Verification submitted' },
      { event: 'business.verified', label: 'Business verified' },
      { event: 'business.verification_rejected', label: 'Verification rejected' },
      { event: 'business.banned', label: 'Business banned' },
      { event: 'business.unbanned', label: 'Business unbanned' },
    ],
  },
];

/** Selects events by topic. */
export function WebhookEventsField(props: Omit<CheckboxGroupProps, 'children'>) {
  return (
    <Checkbox.Group {...props}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} mt="xs">
        {webhookEvents.map(({ group, events }) => (
          <Stack key={group} gap="sm">
            <Text size="sm" c="dimmed">
              {group}
            </Text>
            {events.map(({ event, label }) => (
              <Checkbox key={event} value={event} label={label} description={<Code fz="xs">{event}</Code>} />
            ))}
          </Stack>
        ))}
      </SimpleGrid>
    </Checkbox.Group>
  );
}
