import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { orderBody, signPassport, startBusinessPlatform } from '../harness/business-platform.ts';
import { erasedCustomer } from '../harness/erasure.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { running } from '../harness/running.ts';

/* The erasure of customers by business-service alone: two replicas, and no webhook-service, whose confirmation it would wait for. */

const platform = running(() => startBusinessPlatform({ replicas: 2 }));

const counts = z.object({ orders: z.int(), events: z.int() });

/** A business of the test's own, and calls on its behalf. */
async function newBusiness() {
  const businessId = await platform.businesses.createVerifiedBusiness('shop');
  const passport = await signPassport(businessId);
  return {
    businessId,
    post: (customer: object) =>
      platform.call('POST', '/order', { passport, body: { ...orderBody, customer } }),
    erase: (email: string) => platform.call('DELETE', `/customers?email=${email}`, { passport }),
    left: async () => {
      const named = "payload::text LIKE '%Ada%'";
      const rows = await platform.sql(`SELECT FROM events WHERE business_id = $1 AND ${named}`, [businessId]);
      return rows.length;
    },
  };
}

const ada = { name: 'Ada', email: 'ada@example.com' };

/** Adds orders as the service writes them, each with the same number of events; the last `addressed` of these have the address. */
const insert = (businessId: number, count: number, events: number, addressed = events) =>
  platform.sql(
    `WITH counter AS (
       UPDATE business_counters SET last_order_number = last_order_number + $2,
         last_event_sequence = last_event_sequence + $2::int * $3::int WHERE business_id = $1
       RETURNING last_order_number - $2 AS number, last_event_sequence - $2::int * $3::int AS sequence),
     made AS (
       INSERT INTO orders (id, business_id, number, status, currency, line_items, total, customer, metadata, created_at, updated_at)
       SELECT 'ord_' || lpad(n::text, 20, '0'), $1, number + n, 'pending', 'EUR',
         '[{"name":"Tea","sku":null,"quantity":1,"unitAmount":450}]', 450, $5, '{}', now(), now()
       FROM counter, generate_series(1, $2::int) AS n)
     INSERT INTO events (business_id, sequence, id, type, payload, created_at)
     SELECT $1, sequence + (n - 1) * $3 + e, format('evt_%s_%s', n, e), 'order.updated',
       json_build_object('id', 'ord_' || lpad(n::text, 20, '0'), 'customer',
         json_build_object('name', 'Ada', 'email', CASE WHEN e > $3 - $4::int THEN $5::json ->> 'email' END), 'metadata', '{}'::json),
       now()
     FROM counter, generate_series(1, $2::int) AS n, generate_series(1, $3::int) AS e`,
    [businessId, count, events, addressed, JSON.stringify(ada)],
  );

describe('the erasure of a customer', () => {
  test('is complete at once without a webhook-service', async () => {
    const { post, erase } = await newBusiness();
    await post(ada);
    const response = await erase(ada.email);
    expect([response.status, response.json()]).toEqual([200, { orders: 1, events: 1 }]);
  });

  test('changes more orders than fit into a batch, and events that had no address yet', async () => {
    const { businessId, erase, left } = await newBusiness();
    await insert(businessId, 250, 3, 1);
    const response = await erase(ada.email);
    expect([response.status, response.json()]).toEqual([200, { orders: 250, events: 750 }]);
    expect(await left()).toBe(0);
  });

  test('finds all events of one order that had no address for very long', async () => {
    const { businessId, erase, left } = await newBusiness();
    await insert(businessId, 1, 1_200, 1);
    expect((await erase(ada.email)).json()).toEqual({ orders: 1, events: 1_200 });
    expect(await left()).toBe(0);
  });

  test('twice at once, beside new orders, changes each order once and leaves no gap', async () => {
    const { businessId, post, erase, left } = await newBusiness();
    await insert(businessId, 250, 1);
    const grace = { name: 'Grace', email: 'grace@example.com' };
    const [first, second, ...made] = await Promise.all([
      erase(ada.email),
      erase(ada.email),
      ...Array.from({ length: 10 }, () => post(grace)),
    ]);
    const sum = [first, second].map((response) => counts.parse(response?.json()));
    expect(sum.reduce((total, { orders }) => total + orders, 0)).toBe(250);
    expect(made.map(({ status }) => status)).toEqual(Array(10).fill(201));
    const [sequences] = await platform.sql<{ count: number; last: number }>(
      'SELECT count(*)::int AS count, max(sequence)::int AS last FROM events WHERE business_id = $1',
      [businessId],
    );
    expect(sequences?.count).toBe(sequences?.last);
    expect(await left()).toBe(0);
    const erased = 'SELECT FROM orders WHERE business_id = $1 AND customer = $2';
    expect(await platform.sql(erased, [businessId, JSON.stringify(erasedCustomer)])).toHaveLength(250);
  });

  test('searches by the indexes, however many orders there are', async () => {
    const { businessId, post, erase } = await newBusiness();
    await insert(businessId, 20_000, 1, 0);
    await platform.sql('UPDATE orders SET customer = $2 WHERE business_id = $1', [
      businessId,
      erasedCustomer,
    ]);
    await platform.sql('ANALYZE orders, events');
    const scans = async () => {
      const [row] = await platform.sql<{ orders: number; events: number }>(
        `SELECT (sum(idx_scan) FILTER (WHERE indexrelname = 'orders_customer_email_idx'))::int AS orders,
           (sum(idx_scan) FILTER (WHERE pg_get_indexdef(indexrelid) LIKE '% ON public.events%customer%'))::int AS events
         FROM pg_stat_user_indexes`,
      );
      return row ?? { orders: 0, events: 0 };
    };
    const before = await scans();
    await post(ada);
    await erase(ada.email);
    await expectEventually(
      async () => {
        const after = await scans();
        expect([after.orders > before.orders, after.events > before.events]).toEqual([true, true]);
      },
      { withinMs: 5_000 },
    );
  });
});
