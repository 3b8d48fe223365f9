import { describe, expect, test } from '@jest/globals';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { anyType, type FeedEvent, planDeliveries, type Subscription } from './plan.ts';

const businessId = 7;

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));

const endpoint = (change: Partial<Endpoint> = {}): Endpoint => ({
  id: 'whe_1',
  owner: { businessId: 1, applicationId: 'apl_1' },
  url: 'https://receiver.example/hook',
  description: '',
  events: [],
  sealedSecrets: new Uint8Array(),
  enabled: true,
  disabledReason: null,
  disabledAt: null,
  createdAt: at(0),
  updatedAt: at(0),
  failingSince: null,
  lastSuccessAt: null,
  consecutiveOutages: 0,
  pausedUntil: null,
  madeBy: null,
  ...change,
});

const subscription: Subscription = {
  applicationId: 'apl_1',
  events: ['order.created', 'order.paid', 'business.banned'],
  scopes: ['orders:read'],
};

const event = (sequence: number, type: string, applicationId = ''): FeedEvent => ({
  id: `evt_${sequence}`,
  type,
  createdAt: at(sequence),
  sequence,
  data: '{}',
  uniqueId: 'biz_1',
  applicationId,
  traceparent: '',
});

const feed = [
  event(1, 'business.created'),
  event(2, 'order.created'),
  event(3, 'order.updated'),
  event(4, 'order.paid'),
];

const plan = (endpoints: readonly Endpoint[], change: Partial<Parameters<typeof planDeliveries>[0]> = {}) =>
  planDeliveries({
    businessId,
    events: feed,
    subscriptions: [subscription],
    endpoints,
    lastByType: {},
    ...change,
  });

const due = (endpoints: readonly Endpoint[], change: Partial<Parameters<typeof planDeliveries>[0]> = {}) =>
  plan(endpoints, change).deliveries.map(({ eventId }) => eventId);

describe('an event is due to an endpoint', () => {
  test('of an application that chose its type', () => {
    expect(due([endpoint()])).toEqual(['evt_2', 'evt_4']);
  });

  test('that chose fewer types than its application, but never more', () => {
    expect(due([endpoint({ events: ['order.paid', 'order.updated'] })])).toEqual(['evt_4']);
  });

  test('while the scopes of the Grant cover its resource', () => {
    const banned = [event(1, 'business.banned')];
    expect(due([endpoint()], { events: banned })).toEqual([]);
    const subscriptions = [{ ...subscription, scopes: ['business:read'] }];
    expect(due([endpoint()], { events: banned, subscriptions })).toEqual(['evt_1']);
  });

  test('only where the application is subscribed', () => {
    expect(due([endpoint()], { subscriptions: [] })).toEqual([]);
    expect(due([endpoint({ owner: { businessId: 1, applicationId: 'apl_2' } })])).toEqual([]);
  });

  test('of the business itself, regardless of the type', () => {
    const own = endpoint({ owner: { businessId, applicationId: '' } });
    expect(due([own], { subscriptions: [] })).toEqual(feed.map(({ id }) => id));
    expect(due([endpoint({ owner: { businessId: 8, applicationId: '' } })])).toEqual([]);
  });

  test('unless it is older than the endpoint', () => {
    expect(due([endpoint({ createdAt: at(3) })])).toEqual(['evt_4']);
    expect(due([endpoint({ createdAt: at(4) })])).toEqual(['evt_4']);
  });
});

test('deliveries to a disabled endpoint are planned as disabled', () => {
  const planned = plan([endpoint({ enabled: false })]).deliveries;
  expect(planned.map(({ enabled }) => enabled)).toEqual([false, false]);
});

describe('the previous event of a delivery', () => {
  test('is the last earlier event among the types of the endpoint', () => {
    const all = endpoint({ id: 'whe_2', owner: { businessId, applicationId: '' } });
    const previous = plan([endpoint(), all]).deliveries.map((one) => [
      one.endpointId,
      one.eventId,
      one.previous,
    ]);
    expect(previous).toEqual([
      ['whe_2', 'evt_1', 0],
      ['whe_1', 'evt_2', 0],
      ['whe_2', 'evt_2', 1],
      ['whe_2', 'evt_3', 2],
      ['whe_1', 'evt_4', 2],
      ['whe_2', 'evt_4', 3],
    ]);
  });

  test('is carried over from batch to batch', () => {
    const { lastByType } = plan([endpoint()]);
    expect(lastByType).toEqual({
      'business.created': 1,
      'order.created': 2,
      'order.updated': 3,
      'order.paid': 4,
    });
    const next = plan([endpoint()], { events: [event(5, 'order.created')], lastByType });
    expect(next.deliveries.map(({ previous }) => previous)).toEqual([4]);
  });

  test('is the last of those that were no longer kept, whatever their type', () => {
    const lastByType = { 'order.created': 2, [anyType]: 8 };
    const events = [event(9, 'order.paid'), event(10, 'order.created')];
    const next = plan([endpoint()], { events, lastByType });
    expect(next.deliveries.map(({ previous }) => previous)).toEqual([8, 9]);
    expect(next.lastByType).toMatchObject({ [anyType]: 8 });
  });

  test('is part of the body, which endpoints with the same previous event share', () => {
    const other = endpoint({ id: 'whe_2' });
    const narrow = endpoint({ id: 'whe_3', events: ['order.paid'] });
    const { messages, deliveries } = plan([endpoint(), other, narrow]);
    expect(deliveries).toHaveLength(5);
    expect(messages.map((message) => [message.event.id, message.previous])).toEqual([
      ['evt_2', 0],
      ['evt_4', 2],
      ['evt_4', 0],
    ]);
  });
});

describe('an event about an application', () => {
  const ofConnection = ['application.connected', 'application.disconnected'];
  const subscriptions = ['apl_1', 'apl_2'].map((applicationId) => ({
    applicationId,
    events: [...ofConnection, 'order.created', 'api_key.expired'],
    scopes: [],
  }));
  const second = endpoint({ id: 'whe_2', owner: { businessId: 1, applicationId: 'apl_2' } });
  const own = endpoint({ id: 'whe_3', owner: { businessId, applicationId: '' } });
  const events = [
    event(1, 'application.connected', 'apl_1'),
    event(2, 'application.connected', 'apl_2'),
    event(3, 'order.created'),
    event(4, 'api_key.expired'),
    event(5, 'application.disconnected', 'apl_1'),
  ];

  test('is due to that application, regardless of its scopes, and to the business', () => {
    const { deliveries } = plan([endpoint(), second, own], { events, subscriptions });
    expect(deliveries.map(({ endpointId, eventId, previous }) => [endpointId, eventId, previous])).toEqual([
      ['whe_1', 'evt_1', 0],
      ['whe_3', 'evt_1', 0],
      ['whe_2', 'evt_2', 0],
      ['whe_3', 'evt_2', 1],
      ['whe_3', 'evt_3', 2],
      ['whe_3', 'evt_4', 3],
      ['whe_1', 'evt_5', 1],
      ['whe_3', 'evt_5', 4],
    ]);
  });

  test('names the previous event of an earlier batch', () => {
    const { lastByType } = plan([], { events: events.slice(0, 4), subscriptions });
    const next = plan([endpoint(), second, own], { events: events.slice(4), subscriptions, lastByType });
    expect(next.deliveries.map(({ endpointId, previous }) => [endpointId, previous])).toEqual([
      ['whe_1', 1],
      ['whe_3', 4],
    ]);
  });
});
