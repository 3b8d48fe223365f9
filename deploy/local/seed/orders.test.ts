import { describe, expect, test } from '@jest/globals';
import { demoOrders, orderAsOf, orderRow } from './orders.ts';

const now = new Date('2026-03-01T12:00:00Z');

const dayMs = 86_400_000;

describe('the demo orders', () => {
  const orders = demoOrders(now);

  test('are 25, oldest first, all within the last 30 days', () => {
    const created = orders.map(({ history }) => history[0]?.at.getTime() ?? 0);
    expect(created).toHaveLength(25);
    expect(created).toEqual([...created].sort((a, b) => a - b));
    expect(created.every((time) => time < now.getTime() && time > now.getTime() - 30 * dayMs)).toBe(true);
  });

  test('have a history that is in order and lies in the past', () => {
    for (const { history } of orders) {
      const times = history.map(({ at }) => at.getTime());
      expect(times).toEqual([...times].sort((a, b) => a - b));
      expect(Math.max(...times)).toBeLessThan(now.getTime());
    }
  });

  test('include every status', () => {
    const statuses = new Set(orders.map(({ history }) => history.at(-1)?.status));
    expect(statuses).toEqual(new Set(['pending', 'paid', 'fulfilled', 'cancelled']));
  });

  test('have totals that are the sum of their line items', () => {
    for (const { lineItems, total } of orders) {
      expect(total).toBe(lineItems.reduce((sum, item) => sum + item.quantity * item.unitAmount, 0));
    }
  });

  test('carry the dates of their history, and each event only the dates known at its time', () => {
    const [first] = orders;
    if (first === undefined) throw new Error('no order');
    const order = { ...first, number: 1001 };
    const [pending, paid, fulfilled] = order.history.map(({ at }) => at);
    const all = { created_at: pending, paid_at: paid, fulfilled_at: fulfilled, cancelled_at: null };
    expect(orderRow(order)).toMatchObject({ ...all, status: 'fulfilled', updated_at: fulfilled });
    expect(orderAsOf(order, 1)).toMatchObject({ status: 'pending', paid_at: null, updated_at: pending });
    expect(orderAsOf(order, 2)).toMatchObject({ status: 'paid', paid_at: paid, fulfilled_at: null });
  });
});
