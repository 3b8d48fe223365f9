import { Checkbox, type CheckboxGroupProps, Code, SimpleGrid, Stack, Text } from '@mantine/core';
import { type OwnEvent, useOwnEvents, useOwnEventsQuery } from '../api/session.ts';
import { gone } from './scopes.tsx';

/** Events of one topic, with their labels. */
interface EventGroup {
  readonly group: string;
  readonly events: readonly { readonly event: string; readonly label: string }[];
}

/** Events that an app may choose, by topic. */
const appEvents: readonly EventGroup[] = [
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
    group: 'Business',
    events: [
      { event: 'business.verification_submitted', label: 'Verification submitted' },
      { event: 'business.verified', label: 'Business verified' },
      { event: 'business.verification_rejected', label: 'Verification rejected' },
      { event: 'business.banned', label: 'Business banned' },
      { event: 'business.unbanned', label: 'Business unbanned' },
      { event: 'business.updated', label: 'Name, username or logo changed' },
    ],
  },
  {
    group: 'Connection',
    events: [
      { event: 'application.connected', label: 'App connected' },
      { event: 'application.disconnected', label: 'App disconnected' },
    ],
  },
];

/** Events that only the business itself receives. */
const businessEvents: readonly EventGroup[] = [
  {
    group: 'API keys',
    events: [
      { event: 'api_key.expiring', label: 'API key expires soon' },
      { event: 'api_key.expired', label: 'API key expired' },
    ],
  },
];

/** Events by topic. @param ofApp whether for an app; else for the business itself */
export function useEventGroups(ofApp: boolean): readonly EventGroup[] {
  const byTopic = Map.groupBy(useOwnEvents(), ({ topic }) => topic);
  const ofServices = [...byTopic].map(([group, events]) => ({
    group,
    events: events.map(({ event, words: label }) => ({ event, label })),
  }));
  return [...appEvents, ...ofServices, ...(ofApp ? [] : businessEvents)];
}

/** Those of these types that the API has no longer; none until it is known. */
function useGoneEvents(types: readonly string[], groups: readonly EventGroup[]): readonly EventGroup[] {
  const { data } = useOwnEventsQuery();
  const known = groups.flatMap(({ events }) => events.map(({ event }) => event));
  const kept = data === undefined ? [] : types.filter((type) => !known.includes(type));
  if (kept.length === 0) return [];
  return [{ group: gone, events: kept.map((event) => ({ event, label: event })) }];
}

interface WebhookEventsFieldProps extends Omit<CheckboxGroupProps, 'children'> {
  /** Types that are stored; those that the API has no longer can be kept. */
  readonly held: readonly string[];
  /** Whether for an app; else for the business itself. */
  readonly ofApp: boolean;
  /** Scopes that the person may hold; undefined for all. An event that needs another one cannot be chosen. */
  readonly scopes?: readonly string[] | undefined;
}

/** Scope of the resource of an event; undefined where it needs none. */
function neededScope(event: string, own: readonly OwnEvent[]): string | undefined {
  const ofService = own.find((one) => one.event === event);
  if (ofService !== undefined) return ofService.scope;
  if (event.startsWith('order.')) return 'orders:read';
  return event.startsWith('business.') ? 'business:read' : undefined;
}

/** Selects events by topic. */
export function WebhookEventsField({ ofApp, held, scopes, ...props }: WebhookEventsFieldProps) {
  const own = useOwnEvents();
  const current = useEventGroups(ofApp);
  const groups = [...current, ...useGoneEvents(held, current)];
  const missing = (event: string) => {
    const needed = neededScope(event, own);
    return needed === undefined || scopes === undefined || scopes.includes(needed) ? undefined : needed;
  };
  return (
    <Checkbox.Group {...props}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} mt="xs">
        {groups.map(({ group, events }) => (
          <Stack key={group} gap="sm">
            <Text size="sm" c="dimmed">
              {group}
            </Text>
            {[...new Set(events.flatMap(({ event }) => missing(event) ?? []))].map((scope) => (
              <Text key={scope} size="xs">
                Needs <Code fz="xs">{scope}</Code>, which developers may not use here. An owner can allow it
                under Settings &gt; Business.
              </Text>
            ))}
            {events.map(({ event, label }) => (
              <Checkbox
                key={event}
                value={event}
                label={label}
                description={label !== event && <Code fz="xs">{event}</Code>}
                disabled={missing(event) !== undefined}
              />
            ))}
          </Stack>
        ))}
      </SimpleGrid>
    </Checkbox.Group>
  );
}
