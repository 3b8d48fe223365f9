import type pg from 'pg';
import { backdateBusiness } from './backdate-business.ts';
import { demoId } from './demo-id.ts';
import type { DemoOrder } from './demo-orders.ts';
import { type NumberedOrder, orderAsOf, orderRow } from './order-forms.ts';

/**
 * Writes the demo orders and their events in one transaction, unless the business has orders. The API would date them
 * today: so they go into business-service's tables, in the form in which it writes them itself.
 */
export async function insertOrders(
  database: pg.Client,
  businessId: number,
  orders: readonly DemoOrder[],
): Promise<void> {
  await database.query('BEGIN');
  try {
    const counters = await database.query<Counters>(
      `SELECT last_event_sequence::int AS events, last_order_number::int AS orders
       FROM business_counters WHERE business_id = $1 FOR UPDATE`,
      [businessId],
    );
    const before = counters.rows[0];
    const existing = await database.query('SELECT 1 FROM orders WHERE business_id = $1 LIMIT 1', [
      businessId,
    ]);
    if (before !== undefined && existing.rowCount === 0) await insert(database, businessId, orders, before);
    await database.query('COMMIT');
  } catch (error) {
    await database.query('ROLLBACK');
    throw error;
  }
}

interface Counters {
  /** The last numbers given out. */
  readonly events: number;
  readonly orders: number;
}

async function insert(
  database: pg.Client,
  businessId: number,
  orders: readonly DemoOrder[],
  before: Counters,
): Promise<void> {
  await backdateBusiness(database, businessId);
  const numbered = orders.map((order, index) => ({ ...order, number: before.orders + 1 + index }));
  for (const order of numbered)
    await insertRow(database, 'orders', { business_id: businessId, ...orderRow(order) });
  const events = numbered.flatMap(eventsOf).sort((a, b) => a.created_at.getTime() - b.created_at.getTime());
  for (const [index, event] of events.entries()) {
    const sequence = before.events + 1 + index;
    await insertRow(database, 'events', { business_id: businessId, sequence, id: demoId('evt'), ...event });
  }
  await database.query(
    'UPDATE business_counters SET last_event_sequence = $2, last_order_number = $3 WHERE business_id = $1',
    [businessId, before.events + events.length, before.orders + orders.length],
  );
}

/** One event per moment, with the order as it was then. */
function eventsOf(order: NumberedOrder) {
  return order.history.map(({ status, at }, index) => ({
    type: index === 0 ? 'order.created' : `order.${status}`,
    payload: JSON.stringify(orderAsOf(order, index + 1)),
    created_at: at,
  }));
}

async function insertRow(database: pg.Client, table: string, row: Record<string, unknown>): Promise<void> {
  const columns = Object.keys(row);
  const places = columns.map((_, index) => `$${index + 1}`);
  const text = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places.join(', ')})`;
  await database.query(text, Object.values(row));
}
