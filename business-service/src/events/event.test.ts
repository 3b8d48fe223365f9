import { describe, expect, test } from '@jest/globals';
import { catalogueWith, identityEventTypes, readableTypes } from './event.ts';

const catalogue = catalogueWith([{ name: 'invoice.paid', scope: 'invoices:read' }]);

const eventTypes = catalogue.types;

const all = new Set(['business:read', 'events:read', 'invoices:read', 'orders:read']);

const key = (...scopes: string[]) => ({ scopes: new Set(scopes), applicationId: undefined });

const token = (...scopes: string[]) => ({ scopes: new Set(scopes), applicationId: 'apl_1' });

const ofOrders = eventTypes.filter((type) => type.startsWith('order.'));

const ofApplications = eventTypes.filter((type) => type.startsWith('application.'));

test('event types are sorted, with those of the operator’s services', () => {
  expect(eventTypes).toEqual(eventTypes.toSorted());
  expect(eventTypes).toEqual(expect.arrayContaining([...identityEventTypes, 'invoice.paid', 'order.paid']));
});

describe('without types', () => {
  test('an API key reads those that its scopes cover, and those of its account', () => {
    expect(readableTypes(catalogue, undefined, { scopes: all, applicationId: undefined })).toEqual({
      kind: 'allowed',
      types: eventTypes,
    });
    expect(readableTypes(catalogue, undefined, key('orders:read'))).toEqual({
      kind: 'allowed',
      types: [...identityEventTypes, ...ofOrders],
    });
    expect(readableTypes(catalogue, undefined, key('invoices:read'))).toEqual({
      kind: 'allowed',
      types: [...identityEventTypes, 'invoice.paid'],
    });
  });

  test('an access token reads nothing about API keys', () => {
    expect(readableTypes(catalogue, undefined, token('orders:read'))).toEqual({
      kind: 'allowed',
      types: [...ofApplications, ...ofOrders],
    });
  });
});

describe('with types', () => {
  test('each missing scope is named once', () => {
    const asked = ['order.paid', 'order.created', 'business.banned', 'api_key.expired'] as const;
    const denied = { kind: 'denied', missing: ['orders:read'] };
    expect(readableTypes(catalogue, asked, key('business:read', 'orders:write'))).toEqual(denied);
    expect(readableTypes(catalogue, asked, token('business:read', 'orders:write'))).toEqual(denied);
  });

  test('an access token cannot read events about API keys, regardless of its scopes', () => {
    const asked = ['order.paid', 'api_key.expired'] as const;
    expect(readableTypes(catalogue, asked, { scopes: all, applicationId: 'apl_1' })).toEqual({
      kind: 'closed',
    });
    expect(readableTypes(catalogue, asked, key('orders:read'))).toEqual({ kind: 'allowed', types: asked });
    expect(readableTypes(catalogue, ['application.connected'], token())).toMatchObject({ kind: 'allowed' });
  });
});
