import { expect, test } from '@jest/globals';
import { eventAudience, isRefusal, isScope, refusals, scopes } from './vocabulary.ts';

test('scopes are the names that integrators use', () => {
  expect(scopes).toEqual(['business:read', 'events:read', 'orders:read', 'orders:write']);
  expect(isScope('orders:write')).toBe(true);
});

test.each(['', 'unspecified', 'orders_read', 'SCOPE_ORDERS_READ', 'constructor', 'orders:delete'])(
  '%j is no scope',
  (candidate) => expect(isScope(candidate)).toBe(false),
);

test.each([
  ['order.paid', 'orders:read'],
  ['business.verified', 'business:read'],
  ['application.connected', 'application'],
  ['api_key.expired', 'business'],
  ['order', undefined],
  ['', undefined],
  ['constructor.name', undefined],
])('the audience of %j is %s', (type, audience) => expect(eventAudience(type)).toBe(audience));

test('refusals are lower-case words, without the enum’s zero', () => {
  expect(refusals).toContain('rate_limited');
  expect(refusals.every((refusal) => /^[a-z_]+$/.test(refusal))).toBe(true);
  expect(isRefusal('unspecified')).toBe(false);
  expect(isRefusal('HPE_INVALID_METHOD')).toBe(false);
});
