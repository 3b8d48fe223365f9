import { describe, expect, test } from '@jest/globals';
import { eventTypes, identityEventTypes, isEventType, readableTypes } from './event.ts';

const all = new Set(['business:read', 'events:read', 'orders:read']);

const key = (...scopes: string[]) => ({ scopes: new Set(scopes), applicationId: undefined });

const token = (...scopes: string[]) => ({ scopes: new Set(scopes), applicationId: 'apl_1' });

const ofOrders = eventTypes.filter((type) => type.startsWith('order.'));

const ofApplications = eventTypes.filter((type) => type.startsWith('application.'));

test('event types are sorted, and no other text is accepted as an event type', () => {
  expect(eventTypes).toEqual(eventTypes.toSorted());
  expect(eventTypes).toEqual(expect.arrayContaining([...identityEventTypes]));
  expect(['order.paid', 'order.payed', '', 'constructor', '__proto__'].map(isEventType)).toEqual([
    true,
    false,
    false,
    false,
    false,
  ]);
});

describe('without types', () => {
  test('an API key reads those that its scopes cover, and those of its account', () => {
    expect(readableTypes(undefined, { scopes: all, applicationId: undefined })).toEqual({
      kind: 'allowed',
      types: eventTypes,
    });
    expect(readableTypes(undefined, key('orders:read'))).toEqual({
      kind: 'allowed',
      types: [...identityEventTypes, ...ofOrders],
    });
  });

  test('an access token reads nothing about API keys', () => {
    expect(readableTypes(undefined, token('orders:read'))).toEqual({
      kind: 'allowed',
      types: [...ofApplications, ...ofOrders],
    });
  });
});

describe('with types', () => {
  test('each missing scope is named once', () => {
    const asked = ['order.paid', 'order.created', 'business.banned', 'api_key.expired'] as const;
    const denied = { kind: 'denied', missing: ['orders:read'] };
    expect(readableTypes(asked, key('business:read', 'orders:write'))).toEqual(denied);
    expect(readableTypes(asked, token('business:read', 'orders:write'))).toEqual(denied);
  });

  test('an access token cannot read events about API keys, regardless of its scopes', () => {
    const asked = ['order.paid', 'api_key.expired'] as const;
    expect(readableTypes(asked, { scopes: all, applicationId: 'apl_1' })).toEqual({ kind: 'closed' });
    expect(readableTypes(asked, key('orders:read'))).toEqual({ kind: 'allowed', types: asked });
    expect(readableTypes(['application.connected'], token())).toMatchObject({ kind: 'allowed' });
  });
});
