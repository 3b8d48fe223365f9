import { expect, test } from '@jest/globals';
import { eventTypes, isEventType, typesForScopes } from './event.ts';

const all = new Set(['business:read', 'events:read', 'orders:read']);

test('the types are sorted, and no other text is one', () => {
  expect(eventTypes).toEqual(eventTypes.toSorted());
  expect(['order.paid', 'order.payed', '', 'constructor', '__proto__'].map(isEventType)).toEqual([
    true,
    false,
    false,
    false,
    false,
  ]);
});

test('without types a credential reads those that its scopes cover', () => {
  expect(typesForScopes(undefined, all)).toEqual({ kind: 'allowed', types: eventTypes });
  expect(typesForScopes(undefined, new Set(['orders:read']))).toEqual({
    kind: 'allowed',
    types: eventTypes.filter((type) => type.startsWith('order.')),
  });
});

test('the scopes that are missing are named, once each', () => {
  const asked = ['order.paid', 'order.created', 'business.banned'] as const;
  expect(typesForScopes(asked, new Set(['business:read', 'orders:write']))).toEqual({
    kind: 'denied',
    missing: ['orders:read'],
  });
  expect(typesForScopes(undefined, new Set(['events:read']))).toEqual({
    kind: 'denied',
    missing: ['business:read', 'orders:read'],
  });
});
