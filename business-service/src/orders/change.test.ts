import { describe, expect, test } from '@jest/globals';
import { changeOrder } from './change.ts';
import { composeOrder, type Order } from './order.ts';

const created = new Date('2026-03-01T10:00:00Z');

const now = new Date('2026-03-02T10:00:00Z');

const order: Order = composeOrder(
  {
    currency: 'EUR',
    lineItems: [{ name: 'Tea', sku: null, quantity: 3, unitAmount: 250 }],
    customer: { name: 'Ada', email: 'ada@example.com' },
    metadata: { channel: 'web', note: 'gift' },
  },
  { id: 'ord_00000000000000000000', businessId: 1, number: 1001, now: created },
);

test('a new order is pending, with its total and both dates', () => {
  expect(order).toMatchObject({ status: 'pending', total: 750, createdAt: created, updatedAt: created });
});

describe('a change of status', () => {
  test.each([
    ['pending', 'paid', 'order.paid', 'paidAt'],
    ['paid', 'fulfilled', 'order.fulfilled', 'fulfilledAt'],
    ['pending', 'cancelled', 'order.cancelled', 'cancelledAt'],
    ['paid', 'cancelled', 'order.cancelled', 'cancelledAt'],
  ] as const)('from %s to %s is the event %s and sets %s', (from, to, event, date) => {
    const before: Order = { ...order, status: from };
    expect(changeOrder(before, { status: to }, now)).toEqual({
      kind: 'changed',
      event,
      order: { ...before, status: to, updatedAt: now, [date]: now },
    });
  });

  test('that is not allowed is forbidden, also beside other fields', () => {
    const change = changeOrder(
      { ...order, status: 'fulfilled' },
      { status: 'paid', metadata: { a: 'b' } },
      now,
    );
    expect(change).toEqual({ kind: 'forbidden', from: 'fulfilled', to: 'paid' });
  });

  test('together with other fields is one event', () => {
    const change = changeOrder(order, { status: 'paid', metadata: { a: 'b' } }, now);
    expect(change).toMatchObject({
      kind: 'changed',
      event: 'order.paid',
      order: { status: 'paid', metadata: { channel: 'web', note: 'gift', a: 'b' } },
    });
  });
});

describe('a patch', () => {
  test('with the current values changes nothing', () => {
    const patch = { status: 'pending', customer: { name: 'Ada' }, metadata: { channel: 'web' } } as const;
    expect(changeOrder(order, patch, now)).toEqual({ kind: 'unchanged', order });
  });

  test('of a customer keeps the fields that it does not name', () => {
    const change = changeOrder(order, { customer: { name: 'Grace' } }, now);
    expect(change).toMatchObject({
      event: 'order.updated',
      order: { customer: { name: 'Grace', email: 'ada@example.com' }, updatedAt: now, paidAt: null },
    });
  });

  test('removes with null', () => {
    const change = changeOrder(order, { customer: { email: null }, metadata: { note: null, x: null } }, now);
    expect(change).toMatchObject({ order: { customer: { name: 'Ada', email: null } } });
    expect(change.kind === 'changed' && change.order.metadata).toEqual({ channel: 'web' });
  });

  test('cannot fill metadata beyond fifty entries', () => {
    const entries = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'v']));
    expect(changeOrder(order, { metadata: entries(48) }, now).kind).toBe('changed');
    expect(changeOrder(order, { metadata: entries(49) }, now).kind).toBe('metadata_full');
    expect(changeOrder(order, { metadata: { ...entries(49), note: null } }, now).kind).toBe('changed');
  });
});
