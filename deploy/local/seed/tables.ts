import type { Client } from '@platform/service-kit/database/connection.ts';
import { type DemoOrder, demoId, type NumberedOrder, orderAsOf, orderRow } from './orders.ts';
import { businessDays, inTransaction, passTriggers } from './past.ts';

const timestamp = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** Moves a new business to a time before its first orders, with its events, so that event times increase. */
async function backdateBusiness(database: Client, businessId: number): Promise<void> {
  const interval = `interval '${businessDays} days'`;
  await database.query(
    `UPDATE businesses SET created_at = created_at - ${interval}, submitted_at = submitted_at - ${interval},
       decided_at = decided_at - ${interval} WHERE id = $1`,
    [businessId],
  );
  const events = await database.query<{ sequence: string; payload: unknown }>(
    'SELECT sequence, payload FROM events WHERE business_id = $1',
    [businessId],
  );
  for (const { sequence, payload } of events.rows) {
    await database.query(
      `UPDATE events SET created_at = created_at - ${interval}, payload = $3 WHERE business_id = $1 AND sequence = $2`,
      [businessId, sequence, JSON.stringify(payload).replaceAll(timestamp, backdate)],
    );
  }
}

const backdate = (text: string) => new Date(Date.parse(text) - businessDays * 86_400_000).toISOString();

/**
 * Writes the demo orders and their events in one transaction, unless the business has orders. Writes directly into
 * business-service's tables, in its own form, because the API would give all of them today's date.
 */
export function insertOrders(
  database: Client,
  businessId: number,
  orders: readonly DemoOrder[],
): Promise<void> {
  return inTransaction(database, async () => {
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
  });
}

interface Counters {
  /** The last numbers that were assigned. */
  readonly events: number;
  readonly orders: number;
}

async function insert(
  database: Client,
  businessId: number,
  orders: readonly DemoOrder[],
  before: Counters,
): Promise<void> {
  await passTriggers(database, () => backdateBusiness(database, businessId));
  const numbered = orders.map((order, index) => ({ ...order, number: before.orders + 1 + index }));
  const events = numbered.flatMap(eventsOf).sort((a, b) => a.created_at.getTime() - b.created_at.getTime());
  const of = { business_id: businessId };
  await insertRows(
    database,
    'orders',
    numbered.map((order) => ({ ...of, ...orderRow(order) })),
  );
  await insertRows(
    database,
    'events',
    events.map((event, index) => ({
      ...of,
      sequence: before.events + 1 + index,
      id: demoId('evt'),
      ...event,
    })),
  );
  await database.query(
    'UPDATE business_counters SET last_event_sequence = $2, last_order_number = $3 WHERE business_id = $1',
    [businessId, before.events + events.length, before.orders + orders.length],
  );
}

/** One event per moment, with the order as it was then. */
function eventsOf(order: NumberedOrder) {
  return order.history.map(({ status, at }, index) => ({
    type: index === 0 ? 'order.created' : `order.${status}`,
    payload: orderAsOf(order, index + 1),
    created_at: at,
  }));
}

async function insertRows(
  database: Client,
  table: string,
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).join(', ');
  await database.query(
    `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::${table}, $1)`,
    [JSON.stringify(rows)],
  );
}
