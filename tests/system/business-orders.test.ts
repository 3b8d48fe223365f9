import { describe, expect, test } from '@jest/globals';
import { orderBody, signPassport, startBusinessPlatform } from '../harness/business-platform.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { running } from '../harness/running.ts';

interface OrderBody {
  readonly id: string;
  readonly number: number;
  readonly status: string;
  readonly created_at: string;
  readonly updated_at: string;
}
interface PageBody {
  readonly data: readonly OrderBody[];
  readonly next_cursor: string | null;
}

const platform = running(() => startBusinessPlatform({ replicas: 2, env: { PURGE_INTERVAL_MS: '200' } }));

/** A business of the test's own, and calls on its behalf. */
async function newBusiness() {
  const businessId = await platform.businesses.createVerifiedBusiness('orders');
  const passport = await signPassport(businessId);
  const post = async (headers: Record<string, string> = {}, body: unknown = orderBody) => {
    const response = await platform.call('POST', '/order', { passport, headers, body });
    return { status: response.status, text: response.text, order: response.json() as OrderBody };
  };
  const page = async (query: string) => {
    const response = await platform.call('GET', `/order?${query}`, { passport });
    expect([query, response.status]).toEqual([query, 200]);
    return response.json() as PageBody;
  };
  const patch = (id: string, body: unknown) => platform.call('PATCH', `/order/${id}`, { passport, body });
  return { businessId, post, page, patch };
}

const times = <T>(count: number, run: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => run(i)));
const range = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i);

describe('pages', () => {
  test('hold every order once, newest first, while new ones come in', async () => {
    const { post, page } = await newBusiness();
    await times(23, () => post());
    const seen: number[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const next = page(`limit=5${cursor && `&cursor=${cursor}`}`);
      await Promise.all([next, post(), post()]);
      const { data, next_cursor }: PageBody = await next;
      expect(data.length).toBeLessThanOrEqual(5);
      seen.push(...data.map(({ number }) => number));
      cursor = next_cursor;
    }
    const newest = seen[0] ?? 0;
    expect(newest).toBeGreaterThanOrEqual(1_023);
    expect(seen).toEqual(range(1_001, newest - 1_000).reverse());
  });

  test('have twenty orders where no limit is given, and a hundred at most', async () => {
    const { post, page } = await newBusiness();
    await times(21, () => post());
    expect((await page('')).data).toHaveLength(20);
    const all = await page('limit=100');
    expect([all.data.length, all.next_cursor]).toEqual([21, null]);
  });

  test('of one status hold the orders of that status', async () => {
    const { post, page, patch } = await newBusiness();
    const orders = await times(6, () => post());
    for (const { order } of orders.slice(0, 2)) await patch(order.id, { status: 'paid' });
    const first = await page('status=pending&limit=3');
    const rest = await page(`status=pending&limit=3&cursor=${first.next_cursor}`);
    expect([first.data.length, rest.data.length, rest.next_cursor]).toEqual([3, 1, null]);
    expect([...first.data, ...rest.data].every(({ status }) => status === 'pending')).toBe(true);
    expect((await page('status=paid')).data).toHaveLength(2);
    expect((await page('status=cancelled')).data).toEqual([]);
  });

  test('of a period hold orders from its start up to but not including its end', async () => {
    const { businessId, post, page } = await newBusiness();
    for (const _ of range(0, 4)) await post();
    await platform.sql(
      `UPDATE orders SET created_at = '2026-01-01T00:00:00Z'::timestamptz + (number - 1001) * interval '1 day'
       WHERE business_id = $1`,
      [businessId],
    );
    const span = 'created_from=2026-01-02T00:00:00Z&created_to=2026-01-04T00:00:00Z';
    expect((await page(span)).data.map(({ number }) => number)).toEqual([1_003, 1_002]);
    const offset = `created_from=${encodeURIComponent('2026-01-04T01:00:00+01:00')}`;
    expect((await page(offset)).data.map(({ number }) => number)).toEqual([1_004]);
    const widest = 'created_from=1970-01-01T00:00:00Z&created_to=9999-12-31T23:59:59Z';
    expect((await page(widest)).data).toHaveLength(4);
    expect((await page('created_from=9999-12-31T23:59:59-23:59')).data).toEqual([]);
  });

  test('of an old period are read without reading later orders', async () => {
    const { businessId, page } = await newBusiness();
    await platform.sql(
      `INSERT INTO orders (id, business_id, number, status, currency, line_items, total, customer, metadata,
         created_at, updated_at)
       SELECT 'ord_' || lpad($1 || '_' || i, 20, '0'), $1::int, 1000 + i, 'pending', 'EUR', '[]', 0,
         '{"name":"A","email":null}', '{}', at, at
       FROM generate_series(1, 30000) AS i, LATERAL (SELECT '2020-01-01T00:00:00Z'::timestamptz + i * interval '1 hour' AS at)`,
      [businessId],
    );
    await platform.sql('ANALYZE orders');
    const read = async () => {
      const statistics =
        "SELECT sum(idx_tup_fetch)::int AS count FROM pg_stat_user_tables WHERE relname ~ '^orders'";
      return (await platform.sql<{ count: number }>(statistics))[0]?.count ?? 0;
    };
    const before = await read();
    // The oldest fifth.
    const span = 'created_from=2020-01-01T01:00:00Z&created_to=2020-09-07T00:00:00Z&limit=100';
    const { data, next_cursor: cursor } = await page(span);
    expect(data.map(({ number }) => number)).toEqual(range(6_900, 100).reverse());
    const next = await page(`${span}&status=pending&cursor=${cursor}`);
    expect(next.data.map(({ number }) => number)).toEqual(range(6_800, 100).reverse());
    // PostgreSQL counts some seconds later.
    await expectEventually(async () => expect(await read()).toBeGreaterThan(before + 200), {
      withinMs: 15_000,
    });
    expect(await read()).toBeLessThan(before + 5_000);
  });
});

describe('pages of changes', () => {
  test('hold every order in its last state, each at its own time, while orders change and come in', async () => {
    const { post, page, patch } = await newBusiness();
    const made = await times(30, () => post());
    const statusOf = ({ id, status }: OrderBody) => [id, status] as const;
    const copy = new Map<string, string>();
    let steps = 0;
    let updatedFrom = '1970-01-01T00:00:00Z';
    /** Reads what has changed since the last time, as a program that keeps a copy. */
    const catchUp = async () => {
      const read: OrderBody[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const next = page(`updated_from=${updatedFrom}&limit=5${cursor && `&cursor=${cursor}`}`);
        const paid = made[3 * steps]?.order.id;
        if (steps++ < 10) await Promise.all([patch(paid ?? '', { status: 'paid' }), post()]);
        const { data, next_cursor }: PageBody = await next;
        read.push(...data);
        cursor = next_cursor;
      }
      const changes = read.map(({ updated_at }) => updated_at);
      expect(changes).toEqual([...new Set(changes)].toSorted());
      for (const order of read) copy.set(...statusOf(order));
      updatedFrom = changes.at(-1) ?? updatedFrom;
    };
    while (steps < 12) await catchUp();
    const all = (await page('limit=100')).data.map(statusOf).toSorted();
    expect([all.length, all.filter(([, status]) => status === 'paid').length]).toEqual([40, 10]);
    expect([...copy].toSorted()).toEqual(all);
  });
});

describe('an Idempotency-Key', () => {
  test('sent twenty times at once, to two replicas, makes one order and twenty equal responses', async () => {
    const { post, page } = await newBusiness();
    const responses = await times(20, () => post({ 'Idempotency-Key': 'once' }));
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(responses[0]?.status).toBe(201);
    expect((await page('')).data).toHaveLength(1);
  });

  test('gets the same response after the order has changed', async () => {
    const { post, patch } = await newBusiness();
    const first = await post({ 'Idempotency-Key': 'later' });
    await patch(first.order.id, { status: 'cancelled' });
    expect((await post({ 'Idempotency-Key': 'later' })).text).toBe(first.text);
  });

  test('with another body is 409, and an equivalent body counts as the same', async () => {
    const { post, page } = await newBusiness();
    const first = await post({ 'Idempotency-Key': 'k' });
    const other = await post({ 'Idempotency-Key': 'k' }, { ...orderBody, currency: 'USD' });
    expect([other.status, other.order]).toEqual([
      409,
      { error: expect.stringContaining('Idempotency-Key'), status: 'Conflict', code: 409 },
    ]);
    const { metadata, ...rest } = orderBody;
    expect((await post({ 'Idempotency-Key': 'k' }, { metadata, ...rest })).text).toBe(first.text);
    expect((await page('')).data).toHaveLength(1);
  });

  test('is not used up by a refused body', async () => {
    const { post } = await newBusiness();
    expect((await post({ 'Idempotency-Key': 'k' }, { ...orderBody, currency: 'X' })).status).toBe(400);
    expect((await post({ 'Idempotency-Key': 'k' })).status).toBe(201);
  });

  test('belongs to one business', async () => {
    const [one, another] = [await newBusiness(), await newBusiness()];
    const [first, second] = [
      await one.post({ 'Idempotency-Key': 'k' }),
      await another.post({ 'Idempotency-Key': 'k' }),
    ];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.order.id).not.toBe(first.order.id);
  });

  test('is forgotten and purged after twenty-four hours', async () => {
    const { businessId, post } = await newBusiness();
    const first = await post({ 'Idempotency-Key': 'old' });
    await post({ 'Idempotency-Key': 'young' });
    const age = (key: string, interval: string) =>
      platform.sql(
        'UPDATE idempotency_keys SET created_at = now() - $3::interval WHERE business_id = $1 AND key = $2',
        [businessId, key, interval],
      );
    await age('young', '23 hours 50 minutes');
    await age('old', '24 hours');
    expect((await post({ 'Idempotency-Key': 'old' })).order.number).toBe(first.order.number + 2);
    await age('old', '24 hours');
    const left = await expectEventually(
      async () => {
        const rows = await platform.sql<{ key: string }>(
          'SELECT key FROM idempotency_keys WHERE business_id = $1',
          [businessId],
        );
        expect(rows).toEqual([{ key: 'young' }]);
        return rows;
      },
      { withinMs: 5_000 },
    );
    expect(left).toHaveLength(1);
  });
});

describe('under many writers on two replicas', () => {
  test('order numbers and event sequences have no gaps, and every change is one event', async () => {
    const dateError = () => Date.now() - performance.now();
    const errorBefore = dateError();
    const { businessId, post, patch } = await newBusiness();
    const orders = await times(40, () => post());
    expect(orders.every(({ status }) => status === 201)).toBe(true);
    const outcomes = await times(80, (i) => {
      const id = orders[i % 40]?.order.id ?? '';
      return i < 40
        ? patch(id, { status: 'paid' })
        : patch(id, { status: i % 2 ? 'cancelled' : 'fulfilled' });
    });
    await post({}, { ...orderBody, currency: 'none' });
    await times(5, () => post());
    const changed = outcomes.filter(({ status }) => status === 200).length;
    const refused = outcomes.filter(({ status }) => status === 409).length;
    expect(changed + refused).toBe(80);

    const numbers = await platform.sql<{ number: string }>(
      'SELECT number FROM orders WHERE business_id = $1 ORDER BY number',
      [businessId],
    );
    expect(numbers.map(({ number }) => Number(number))).toEqual(range(1_001, 45));
    const events = await platform.sql<{ sequence: string; type: string; id: string; at: Date }>(
      'SELECT sequence, type, id, created_at AS at FROM events WHERE business_id = $1 ORDER BY sequence',
      [businessId],
    );
    // created, submitted, verified; one per order; one per change
    expect(events.map(({ sequence }) => Number(sequence))).toEqual(range(1, 3 + 45 + changed));
    expect(events.filter(({ type }) => type === 'order.created')).toHaveLength(45);
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    const dates = events.map(({ at }) => at.getTime());
    // Later events have later times, unless the date of the machine was put back meanwhile.
    const putBackMs = Math.max(0, Math.floor(errorBefore - dateError()));
    for (const [index, date] of dates.entries())
      expect(date).toBeGreaterThanOrEqual((dates[index - 1] ?? 0) - putBackMs);
  });

  test('replaying the events of an order results in the current order', async () => {
    const { businessId, post, patch } = await newBusiness();
    const { order } = await post();
    await times(12, (i) => patch(order.id, { metadata: { [`k${i}`]: 'v' } }));
    await patch(order.id, { status: 'paid' });
    const last = await patch(order.id, { status: 'paid' });
    const events = await platform.sql<{ type: string; payload: unknown }>(
      "SELECT type, payload FROM events WHERE business_id = $1 AND payload->>'id' = $2 ORDER BY sequence",
      [businessId, order.id],
    );
    expect(events.map(({ type }) => type)).toEqual([
      'order.created',
      ...range(0, 12).map(() => 'order.updated'),
      'order.paid',
    ]);
    expect(events.at(-1)?.payload).toEqual(last.json());
  });
});

test('events cannot be changed or deleted', async () => {
  const { businessId } = await newBusiness();
  for (const change of ["UPDATE events SET type = 'x'", 'DELETE FROM events']) {
    await expect(platform.sql(`${change} WHERE business_id = $1`, [businessId])).rejects.toThrow(
      'append-only',
    );
  }
});

describe('the erasure of a person', () => {
  const erase = (businessId: number, change: string, erasure = 'on') =>
    platform.sql(
      `WITH erasing AS (SELECT set_config('platform.erasure', $2, true))
       UPDATE events SET ${change} FROM erasing WHERE business_id = $1 RETURNING payload::text`,
      [businessId, erasure],
    );

  test('changes the payload of an event in a transaction that says so', async () => {
    const { businessId } = await newBusiness();
    const erased = `payload = '{ "kept" :  1.0 }'`;
    await expect(erase(businessId, erased, '')).rejects.toThrow('append-only');
    const payload = '{ "kept" :  1.0 }';
    expect(await erase(businessId, erased)).toEqual(Array(3).fill({ payload }));
    await expect(platform.sql(`UPDATE events SET ${erased}`)).rejects.toThrow('append-only');
  });

  test.each([
    "type = 'x'",
    'sequence = sequence + 100',
    "id = 'evt_x'",
    "created_at = created_at + interval '1 ms'",
    "application_id = 'apl_x'",
    "credential_id = 'key_x'",
    "traceparent = 'x'",
  ])('does not change %s of an event', async (change) => {
    const { businessId } = await newBusiness();
    await expect(erase(businessId, `${change}, payload = '{}'`)).rejects.toThrow('append-only');
  });

  test('deletes no event', async () => {
    const { businessId } = await newBusiness();
    const deletion = `WITH erasing AS (SELECT set_config('platform.erasure', 'on', true))
      DELETE FROM events USING erasing WHERE business_id = $1`;
    await expect(platform.sql(deletion, [businessId])).rejects.toThrow('append-only');
  });
});
