// Events of the webhooks bench, what arrives of them, and what that costs.

import type pg from 'pg';
import { request } from '../harness/http-request.ts';

/** Requests that have arrived since the last question. */
export interface Arrivals {
  /** Milliseconds from commit to arrival, one for each request. */
  readonly latencies: readonly number[];
  /** Number of events that had not arrived before. */
  readonly unique: number;
  /** Number of requests whose `previous` is not the sequence of the event before. */
  readonly wrongPrevious: number;
  /** Milliseconds from the first request to the last. */
  readonly spanMs: number;
}

/** Data of an event: about as long as an order. */
const payload = JSON.stringify({ object: 'order', text: 'x'.repeat(660) });

/** Commits events of one business, and tells its readers. */
export async function commit(database: pg.Client, businessId: number, count: number): Promise<void> {
  await database.query(
    `WITH head AS (
       UPDATE business_counters SET last_event_sequence = last_event_sequence + $2 WHERE business_id = $1
       RETURNING last_event_sequence - $2 AS before)
     INSERT INTO events (business_id, sequence, id, type, payload, created_at)
     SELECT $1, before + n, 'evt_' || md5($1 || '.' || before + n), 'order.created', $3::json, clock_timestamp()
     FROM head, generate_series(1, $2::int) AS n`,
    [businessId, count, payload],
  );
  await database.query(`SELECT pg_notify('feed_changes', $1)`, [String(businessId)]);
}

/** Waits until so many events have arrived at the receiver, whatever was sent twice. */
export async function arrivalsOf(port: number, count: number, withinMs = 120_000): Promise<Arrivals> {
  const all = { latencies: [] as number[], unique: 0, wrongPrevious: 0, spanMs: 0 };
  const giveUpAt = performance.now() + withinMs;
  while (all.unique < count) {
    if (performance.now() > giveUpAt) throw new Error(`${all.unique} of ${count} events arrived`);
    const from = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 500));
    const part = (await request(port, 'GET', '/')).json() as Arrivals;
    all.latencies.push(...part.latencies);
    all.unique += part.unique;
    all.wrongPrevious += part.wrongPrevious;
    all.spanMs += all.unique < count && all.unique > part.unique ? performance.now() - from : part.spanMs;
  }
  return all;
}
