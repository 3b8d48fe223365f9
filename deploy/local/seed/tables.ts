import type { Client } from '@platform/service-kit/database/connection.ts';
import { type DemoOrder, demoId, type NumberedOrder, orderAsOf, orderRow } from './orders.ts';

const daysBack = 31;

const timestamp = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/**
 * Moves a business that was just made behind its first orders, with its events, so that event times rise. Events refuse
 * every change: their trigger is passed over for this transaction.
 */
async function backdateBusiness(database: Client, businessId: number): Promise<void> {
  await database.query('SET LOCAL session_replication_role = replica');
  const interval = `interval '${daysBack} days'`;
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
  await database.query('SET LOCAL session_replication_role = origin');
}

const backdate = (text: string) => new Date(Date.parse(text) - daysBack * 86_400_000).toISOString();

/**
 * Writes the demo orders and their events in one transaction, unless the business has orders. The API would date them
 * today: so they go into business-service's tables, in the form in which it writes them itself.
 */
export async function insertOrders(
  database: Client,
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
  database: Client,
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

async function insertRow(database: Client, table: string, row: Record<string, unknown>): Promise<void> {
  const columns = Object.keys(row);
  const places = columns.map((_, index) => `$${index + 1}`);
  const text = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places.join(', ')})`;
  await database.query(text, Object.values(row));
}

/**
 * Writes two weeks of traffic of the demo keys, unless the business has had any, so that the dashboard has something to
 * show. In the form in which identity-service writes what gateways report: no call dates requests into the past.
 */
export async function insertUsage(database: Client, businessId: number): Promise<void> {
  await database.query(
    `WITH traffic AS (
       SELECT k.id AS limit_id, k.key_type::text || '_key' AS type, h AS hour, round(
         (CASE k.key_type WHEN 'secret' THEN 60 ELSE 25 END)
         * (1.2 + sin((extract(hour FROM h) - 8) / 24 * 2 * pi())) * (0.6 + extract(isodow FROM h) % 5 / 8))::int AS n
       FROM api_keys k
       CROSS JOIN generate_series(date_trunc('hour', now()) - interval '14 days',
                                  date_trunc('hour', now()) - interval '1 hour', interval '1 hour') h
       WHERE k.business_id = $1 AND k.expires_at IS NULL
         AND NOT EXISTS (SELECT 1 FROM usage_hours WHERE business_id = $1)
     ), responses AS (
       SELECT *, (n / 23)::int AS refused, (CASE WHEN extract(hour FROM hour) = 11 THEN 2 ELSE 0 END) AS failed
       FROM traffic
     ), hours AS (
       INSERT INTO usage_hours (business_id, hour, limit_id, count_2xx, count_4xx, count_429, count_5xx)
       SELECT $1, hour, limit_id, n, refused, 0, failed FROM responses
     ), minutes AS (
       INSERT INTO usage_counts
         (business_id, credential_id, minute, credential_type, limit_id, count_2xx, count_4xx, count_429, count_5xx)
       SELECT $1, limit_id, hour + interval '20 minutes', type, limit_id, n, refused, 0, failed FROM responses
     ), places AS (
       INSERT INTO usage_endpoints (business_id, limit_id, hour, method, route, requests)
       SELECT $1, limit_id, hour, 'GET', '/v2/order', n + refused + failed FROM responses
     )
     INSERT INTO usage_addresses (business_id, limit_id, hour, address, requests, successes, last_success_at)
     SELECT $1, limit_id, hour, '203.0.113.24', n + refused + failed, n, hour + interval '20 minutes' FROM responses`,
    [businessId],
  );
}
