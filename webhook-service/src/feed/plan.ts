import { eventAudience } from '@platform/protos/vocabulary';
import type { Endpoint } from '../endpoints/endpoint.ts';
import type { Instant } from '../values.ts';

/** An event of the feed of one business. */
export interface FeedEvent {
  readonly id: string;
  readonly type: string;
  readonly createdAt: Instant;
  readonly sequence: number;
  /** The resource as JSON text. */
  readonly data: string;
  /** Public unique identifier of the business. */
  readonly uniqueId: string;
  /** The application that it is about; empty for none. */
  readonly applicationId: string;
  /** Of the request that caused it; empty where its trace was not recorded. */
  readonly traceparent: string;
}

/** An application that may receive events of the business now. */
export interface Subscription {
  readonly applicationId: string;
  /** Types that it chose. */
  readonly events: readonly string[];
  /** Scopes of the Grant; none without a live one. */
  readonly scopes: readonly string[];
}

/**
 * Sequence of the last event by type. The key of an event about an application also contains its id. Under `anyType` is the
 * last of those that were no longer kept when they were to be read.
 */
export type LastByType = Readonly<Record<string, number>>;

export const anyType = '*';

interface PlannedMessage {
  readonly event: FeedEvent;
  /** Sequence of the previous event that was due to the endpoint; 0 for none. */
  readonly previous: number;
}

interface PlannedDelivery {
  readonly endpointId: string;
  readonly eventId: string;
  readonly previous: number;
  /** Whether attempts are made; the deliveries of a disabled endpoint are skipped. */
  readonly enabled: boolean;
}

/** Messages and deliveries of a batch of events. */
export interface DeliveryPlan {
  /** Once for each event and `previous`. */
  readonly messages: readonly PlannedMessage[];
  readonly deliveries: readonly PlannedDelivery[];
  /** After the batch. */
  readonly lastByType: LastByType;
}

interface PlanInput {
  readonly businessId: number;
  /** In the order of their sequence. */
  readonly events: readonly FeedEvent[];
  readonly subscriptions: readonly Subscription[];
  /** Of the business itself and of the subscribed applications. */
  readonly endpoints: readonly Endpoint[];
  readonly lastByType: LastByType;
}

/** Plans which events are due to which endpoints. Events from before the creation of an endpoint are not due to it. */
export function planDeliveries({ businessId, events, ...input }: PlanInput): DeliveryPlan {
  const receivers = input.endpoints.map((endpoint) => ({
    endpoint,
    wants: wantedTypes(endpoint, businessId, input.subscriptions),
  }));
  const lastByType = new Map(Object.entries(input.lastByType));
  const messages = new Map<string, PlannedMessage>();
  const deliveries: PlannedDelivery[] = [];
  for (const event of events) {
    for (const { endpoint, wants } of receivers) {
      if (!wants(event.type, event.applicationId) || event.createdAt < endpoint.createdAt) continue;
      const previous = lastOf(lastByType, wants);
      messages.set(`${event.id} ${previous}`, { event, previous });
      deliveries.push({ endpointId: endpoint.id, eventId: event.id, previous, enabled: endpoint.enabled });
    }
    lastByType.set(
      event.applicationId === '' ? event.type : `${event.type} ${event.applicationId}`,
      event.sequence,
    );
  }
  return { messages: [...messages.values()], deliveries, lastByType: Object.fromEntries(lastByType) };
}

/** @param about the application that the event is about; empty for none */
type Wants = (type: string, about: string) => boolean;

function wantedTypes(
  { owner, events }: Endpoint,
  businessId: number,
  subscriptions: readonly Subscription[],
): Wants {
  const chosen = (type: string) => events.length === 0 || events.includes(type);
  if (owner.applicationId === '') return (type) => owner.businessId === businessId && chosen(type);
  const subscription = subscriptions.find(({ applicationId }) => applicationId === owner.applicationId);
  if (subscription === undefined) return () => false;
  return (type, about) => {
    const audience = eventAudience(type);
    const covered =
      audience === 'application'
        ? about === owner.applicationId
        : audience !== undefined && subscription.scopes.includes(audience);
    return covered && subscription.events.includes(type) && chosen(type);
  };
}

function lastOf(lastByType: ReadonlyMap<string, number>, wants: Wants): number {
  let last = 0;
  for (const [key, sequence] of lastByType) {
    const [type = '', about = ''] = key.split(' ');
    if (sequence > last && (key === anyType || wants(type, about))) last = sequence;
  }
  return last;
}
