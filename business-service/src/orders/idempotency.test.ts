import { expect, test } from '@jest/globals';
import { fingerprint, isExpired, isIdempotencyKey } from './idempotency.ts';
import type { OrderDraft } from './order.ts';

const draft: OrderDraft = {
  currency: 'EUR',
  lineItems: [
    { name: 'Tea', sku: null, quantity: 1, unitAmount: 250 },
    { name: 'Cup', sku: 'C1', quantity: 1, unitAmount: 900 },
  ],
  customer: { name: 'Ada', email: null },
  metadata: { a: '1', b: '2' },
};

test('the order of fields makes no difference', () => {
  const { metadata: _, ...rest } = draft;
  expect(fingerprint({ metadata: { b: '2', a: '1' }, ...rest })).toBe(fingerprint(draft));
});

test.each<[string, OrderDraft]>([
  ['currency', { ...draft, currency: 'USD' }],
  ['order of line items', { ...draft, lineItems: draft.lineItems.toReversed() }],
  ['customer', { ...draft, customer: { name: 'Ada', email: 'a@example.com' } }],
  ['metadata', { ...draft, metadata: { a: '1' } }],
])('a body with another %s is a different body', (_, other) => {
  expect(fingerprint(other)).not.toBe(fingerprint(draft));
});

test('a key is remembered for less than twenty-four hours, not at the full twenty-four', () => {
  const used = new Date('2026-03-01T10:00:00.000Z');
  expect(isExpired(used, new Date('2026-03-02T09:59:59.999Z'))).toBe(false);
  expect(isExpired(used, new Date('2026-03-02T10:00:00.000Z'))).toBe(true);
});

test.each([
  ['a', true],
  ['x'.repeat(255), true],
  ['', false],
  ['x'.repeat(256), false],
  ['a b', false],
  ['ä', false],
])('%j as a key: %s', (key, usable) => {
  expect(isIdempotencyKey(key)).toBe(usable);
});
