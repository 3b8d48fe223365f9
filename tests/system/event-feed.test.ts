import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { orderBody, signPassport, startBusinessPlatform } from '../harness/business-platform.ts';
import { type FeedEvent, feedPage, readFeed } from '../harness/event-feed.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { holdTable } from '../harness/hold-table.ts';
import { request } from '../harness/http-request.ts';
import { metricOf } from '../harness/metrics.ts';
import { requestBytes } from '../harness/request-bytes.ts';
import { running } from '../harness/running.ts';

/*
 * GET /events of business-service, on two replicas. tests/system/event-feed-gateway.test.ts has what the gateway adds.
 */

const platform = running(() => startBusinessPlatform({ replicas: 2 }));

/** A business of the test's own, with three events of its verification, and calls on its behalf. */
async function newBusiness(scope = 'business:read events:read orders:read orders:write') {
  const businessId = await platform.businesses.createVerifiedBusiness('events');
  const passport = await signPassport(businessId, { scope });
  const everything = await signPassport(businessId);
  const get = (query = '') => platform.call('GET', `/events?${query}`, { passport });
  const page = async (query = '') => feedPage(await get(query));
  const post = async (body: object = orderBody) => {
    const response = await platform.call('POST', '/order', { passport: everything, body });
    return { response, id: String((response.json() as { id?: string }).id) };
  };
  const patch = (id: string, body: object) =>
    platform.call('PATCH', `/order/${id}`, { passport: everything, body });
  return { businessId, get, page, post, patch };
}

const times = <T>(count: number, run: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => run(i)));
const range = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i);
const sequences = (events: readonly FeedEvent[]) => events.map(({ sequence }) => sequence);

describe('a page', () => {
  test('has the events in order, each with the resource as the API returned it', async () => {
    const { businessId, page, post, patch } = await newBusiness();
    const { response, id } = await post({ ...orderBody, customer: { name: 'Zoë Ωmega 🫖' } });
    const paid = await patch(id, { status: 'paid' });
    const { data } = await page();
    expect(data.map(({ type }) => type)).toEqual([
      'business.created',
      'business.verification_submitted',
      'business.verified',
      'order.created',
      'order.paid',
    ]);
    expect(sequences(data)).toEqual(range(1, 5));
    expect(data.map(({ previous }) => previous)).toEqual(range(0, 5));
    expect(data.slice(3).map((event) => event.data)).toEqual([response.json(), paid.json()]);
    const { business } = await platform.businesses.businessRpc.GetBusiness(
      { businessId },
      { deadlineMs: 30_000 },
    );
    expect(new Set(data.map((event) => event.business))).toEqual(new Set([business?.uniqueId]));
    for (const { id, timestamp } of data) {
      expect(id).toMatch(/^evt_[0-9A-Za-z]{20}$/);
      expect(new Date(timestamp).toISOString()).toBe(timestamp);
    }
  });

  test('has twenty events by default, and cursors lead to every event once and then stay at the end', async () => {
    const { get, page, post } = await newBusiness();
    await times(22, () => post());
    expect((await page()).data).toHaveLength(20);
    const { events, cursor } = await readFeed(get, 'limit=4');
    expect(sequences(events)).toEqual(range(1, 25));
    expect(await page(`after=${cursor}`)).toEqual({ data: [], next_cursor: cursor });
    await post();
    expect(sequences((await page(`after=${cursor}`)).data)).toEqual([26]);
  });

  test('of some types has only these, and each names the previous event of these types', async () => {
    const { get, page, post, patch } = await newBusiness();
    const { id } = await post();
    await times(3, () => post());
    await patch(id, { status: 'paid' });
    await patch(id, { status: 'fulfilled' });
    const types = 'types=order.paid,business.verified,order.fulfilled';
    const { events } = await readFeed(get, `limit=1&${types}`);
    expect(events.map(({ type, sequence, previous }) => [type, sequence, previous])).toEqual([
      ['business.verified', 3, 0],
      ['order.paid', 8, 3],
      ['order.fulfilled', 9, 8],
    ]);
    // Past the events of other types: nothing is read twice.
    const { next_cursor: end } = await page('types=business.created');
    expect((await page(`after=${end}`)).data).toEqual([]);
  });

  test('has rare events among thousands of others, and each names the previous one', async () => {
    const { businessId, get, page } = await newBusiness();
    await platform.sql(
      `WITH counter AS (
         UPDATE business_counters SET last_event_sequence = 4500 WHERE business_id = $1
       ) INSERT INTO events (business_id, sequence, id, type, payload, created_at)
         SELECT $1, n, 'evt_' || n, CASE WHEN n IN (1500, 1501, 4500) THEN 'order.paid' ELSE 'order.updated' END, '{}', now()
         FROM generate_series(4, 4500) AS n`,
      [businessId],
    );
    for (const limit of [1, 2, 100]) {
      const { events, cursor } = await readFeed(get, `limit=${limit}&types=order.paid,business.verified`);
      expect(events.map(({ sequence, previous }) => [sequence, previous])).toEqual([
        [3, 0],
        [1500, 3],
        [1501, 1500],
        [4500, 1501],
      ]);
      expect((await page(`after=${cursor}`)).data).toEqual([]);
    }
  });

  test('has the same bytes for the same types, regardless of where it begins', async () => {
    const { get, page, post } = await newBusiness();
    await times(3, () => post());
    const whole = (await get('types=order.created')).text;
    const { next_cursor: cursor } = await page('limit=1&types=order.created');
    const rest = (await get(`types=order.created&after=${cursor}`)).text;
    const bodies = (text: string) => text.slice('{"data":['.length, text.lastIndexOf('],"next_cursor"'));
    expect(bodies(whole).endsWith(bodies(rest))).toBe(true);
    expect(bodies(rest)).not.toBe('');
  });
});

describe('a credential', () => {
  test.each([
    ['events:read orders:read', ['order.created']],
    [
      'events:read orders:write business:read',
      ['business.created', 'business.verification_submitted', 'business.verified'],
    ],
  ])('with %s reads the types that its scopes cover', async (scope, types) => {
    const { page, post } = await newBusiness(scope);
    await post();
    expect((await page()).data.map(({ type }) => type)).toEqual(types);
  });

  test.each([
    ['events:read business:read', 'types=business.verified,order.paid', 'orders:read'],
    ['events:read orders:read', 'types=business.banned', 'business:read'],
    ['events:read orders:write', 'types=api_key.expired,order.paid', 'orders:read'],
    ['business:read orders:read', '', 'events:read'],
  ])('with %s gets 403 for %j, naming %s', async (scope, query, missing) => {
    const { get } = await newBusiness(scope);
    const { status, text, headers } = await get(query);
    expect([status, text]).toEqual([403, '{"status":"Forbidden","code":403}']);
    expect(headers['www-authenticate']).toBe(`Bearer error="insufficient_scope", scope="${missing}"`);
  });

  test('of a banned business gets 403', async () => {
    const { businessId, get } = await newBusiness();
    await platform.businesses.banBusiness(businessId);
    expect((await get()).status).toBe(403);
  });
});

describe('refused, with the name of the parameter', () => {
  test.each([
    ['types=order.payed', 'types: names an unknown event type'],
    ['types=order.paid&types=order.created', 'types: is given twice'],
    ['limit=0', 'limit: must be a number from 1 to 100'],
    ['after=abc', 'after: is not a cursor'],
    ['cursor=abc', 'cursor'],
  ])('%s', async (query, text) => {
    const { status, json } = await platform.call('GET', `/events?${query}`);
    expect([query, status, json()]).toEqual([
      query,
      400,
      { error: expect.stringContaining(text), status: 'Bad Request', code: 400 },
    ]);
  });

  test('a cursor of another business, or ahead of the feed', async () => {
    const [one, another] = [await newBusiness(), await newBusiness()];
    const { next_cursor: foreign } = await another.page();
    const ahead = Buffer.from(`e1:${one.businessId}:4`).toString('base64url');
    for (const cursor of [foreign, ahead]) {
      for (const wait of ['', '&wait=30']) {
        const response = await one.get(`after=${cursor}${wait}`);
        expect([response.status, response.text]).toEqual([
          400,
          '{"error":"after: is not a cursor of this business","status":"Bad Request","code":400}',
        ]);
      }
    }
  });

  test('a cursor whose next events are older than 30 days, but only if they are of these types', async () => {
    const { businessId, get, page, post } = await newBusiness();
    const { next_cursor: cursor } = await page('limit=1');
    await post();
    await platform.sql(
      `WITH off AS (SELECT set_config('session_replication_role', 'replica', true))
       UPDATE events SET created_at = created_at - interval '30 days 1 minute' FROM off
       WHERE business_id = $1 AND sequence <= 3`,
      [businessId],
    );
    const response = await get(`after=${cursor}`);
    expect([response.status, response.text]).toEqual([
      410,
      '{"error":"after: events after this cursor are older than 30 days","status":"Gone","code":410}',
    ]);
    expect(sequences((await page(`after=${cursor}&types=order.created`)).data)).toEqual([4]);
    // Without a cursor the feed begins with the first event that is young enough, and knows the one before.
    expect((await page()).data).toMatchObject([{ sequence: 4, previous: 3 }]);
  });
});

test('a restore, which skips sequences, ends no cursor from before it', async () => {
  const { businessId, page, post } = await newBusiness();
  const { next_cursor: cursor } = await page();
  await platform.sql('UPDATE business_counters SET last_event_sequence = 5000 WHERE business_id = $1', [
    businessId,
  ]);
  await post();
  expect((await page(`after=${cursor}`)).data).toMatchObject([{ sequence: 5001, previous: 3 }]);
});

describe('a request that waits', () => {
  test('gets the next event when it is committed, on another replica too', async () => {
    const { get, page, post } = await newBusiness();
    let { next_cursor: cursor } = await page();
    for (const number of range(1, 4)) {
      const waiting = times(2, () => get(`after=${cursor}&wait=30`));
      await post();
      const [one, other] = await waiting;
      expect(one?.text).toBe(other?.text);
      const next = one && feedPage(one);
      expect(sequences(next?.data ?? [])).toEqual([3 + number]);
      cursor = next?.next_cursor ?? '';
    }
  });

  test('gets existing events at once, and an empty page with a cursor after its time has passed', async () => {
    const { page } = await newBusiness();
    const { data, next_cursor: cursor } = await page('wait=30');
    expect(data).toHaveLength(3);
    expect(await page(`after=${cursor}&wait=1`)).toEqual({ data: [], next_cursor: cursor });
  });

  test('ignores events of other types, and does not read them again afterwards', async () => {
    const { get, page, post, patch } = await newBusiness();
    const { id } = await post();
    const { next_cursor: cursor } = await page();
    const waiting = get(`after=${cursor}&wait=30&types=order.paid`);
    await post();
    await patch(id, { status: 'paid' });
    expect(feedPage(await waiting).data).toMatchObject([{ type: 'order.paid', sequence: 6, previous: 0 }]);
    const slept = await page(`after=${cursor}&wait=1&types=order.fulfilled`);
    expect((await page(`after=${slept.next_cursor}`)).data).toEqual([]);
  });

  test('is refused when the business is banned meanwhile', async () => {
    const { businessId, get, page } = await newBusiness();
    const { next_cursor: cursor } = await page();
    const waiting = get(`after=${cursor}&wait=30`);
    await platform.businesses.banBusiness(businessId);
    expect((await waiting).status).toBe(403);
  });

  test('gets an event whose notification was lost', async () => {
    const [{ businessId, get, page }, other] = [await newBusiness(), await newBusiness()];
    const { next_cursor: cursor } = await page();
    // As long as this one waits, the other one has not ended because its time has.
    let isOver = false;
    const control = other.get(`after=${(await other.page()).next_cursor}&wait=30`).finally(() => {
      isOver = true;
    });
    const waiting = get(`after=${cursor}&wait=30`);
    // As a writer that ends between commit and notification.
    await platform.sql(
      `WITH counter AS (
         UPDATE business_counters SET last_event_sequence = 4 WHERE business_id = $1
       ) INSERT INTO events (business_id, sequence, id, type, payload, created_at)
         VALUES ($1, 4, 'evt_' || md5(random()::text), 'business.banned', '{ "kept" :  1.0 }', now())`,
      [businessId],
    );
    const response = await waiting;
    expect(isOver).toBe(false);
    expect(sequences(feedPage(response).data)).toEqual([4]);
    expect(response.text).toContain('"data":{ "kept" :  1.0 }}');
    await other.post();
    await control;
  });

  test('does not wait if its client left before the wait began', async () => {
    const { businessId, page } = await newBusiness();
    const path = `/events?after=${(await page()).next_cursor}&wait=`;
    const [service] = platform.services;
    const port = service?.ports.http ?? 0;
    const passport = await signPassport(businessId);
    const headers = { 'X-Passport': passport };
    // Held where each has yet to be admitted; more than may wait for one business.
    const held = await holdTable(platform.databaseUrl, 'businesses');
    const sockets = range(0, 260).map(() => connect(port, '127.0.0.1'));
    for (const socket of sockets) {
      socket.write(requestBytes('GET', `${path}30`, [`X-Passport: ${passport}`]));
    }
    await expectEventually(
      async () => expect(await metricOf(service, 'database_pool_waiting')).toBeGreaterThanOrEqual(250),
      { withinMs: 5_000 },
    );
    for (const socket of sockets) socket.destroy();
    await Promise.all(sockets.map((socket) => socket.closed || once(socket, 'close')));
    // Served behind their ends: the service has seen them.
    expect((await request(port, 'GET', '/nothing', { headers })).status).toBe(404);
    await held.release();
    const next = await request(port, 'GET', `${path}1`, { headers });
    expect([next.status, feedPage(next).data]).toEqual([200, []]);
  });

  test('works again after the connection for notifications was lost', async () => {
    const { get, page, post } = await newBusiness();
    const { next_cursor: cursor } = await page();
    const waiting = get(`after=${cursor}&wait=30`);
    const listeners = `FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'business-service notifications'`;
    const killed = await platform.sql(`SELECT pg_terminate_backend(pid) ${listeners}`);
    expect(killed).toHaveLength(2);
    await post();
    const { data, next_cursor: after } = feedPage(await waiting);
    expect(sequences(data)).toEqual([4]);
    await expectEventually(async () => expect(await platform.sql(`SELECT 1 ${listeners}`)).toHaveLength(2), {
      withinMs: 5_000,
    });
    const next = get(`after=${after}&wait=30`);
    await post();
    expect(sequences(feedPage(await next).data)).toEqual([5]);
  });
});

test('waiting readers on two replicas get every event of many writers once and in order', async () => {
  const { get, post, patch } = await newBusiness();
  const total = 3 + 40 + 40;
  const follow = async () => {
    const seen: number[] = [];
    let cursor = '';
    while (seen.length < total) {
      const { data, next_cursor } = feedPage(await get(`wait=30&limit=7${cursor && `&after=${cursor}`}`));
      for (const { sequence, previous } of data) {
        expect(previous).toBe(seen.at(-1) ?? 0);
        seen.push(sequence);
      }
      cursor = next_cursor;
    }
    return seen;
  };
  const readers = times(3, follow);
  await times(40, async () => patch((await post()).id, { status: 'paid' }));
  for (const seen of await readers) expect(seen).toEqual(range(1, total));
});

test('an order is refused when its events would be 20 kB or more, but its status can always change', async () => {
  const { businessId, post, patch, page } = await newBusiness();
  const metadata = (bytes: number) =>
    Object.fromEntries(range(0, Math.ceil(bytes / 500)).map((i) => [`k${i}`, 'x'.repeat(500)]));
  const refusal = [
    400,
    '{"error":"the order is larger than 19 kB as JSON","status":"Bad Request","code":400}',
  ];
  const { response } = await post({ ...orderBody, metadata: metadata(20_000) });
  expect([response.status, response.text]).toEqual(refusal);
  const { id } = await post({ ...orderBody, metadata: metadata(17_500) });
  const grown = await patch(id, { metadata: { more: 'é'.repeat(400), most: 'é'.repeat(400) } });
  expect([grown.status, grown.text]).toEqual(refusal);
  // An order that is older than the limit.
  await platform.sql(
    `UPDATE orders SET metadata = metadata || jsonb_build_object('old', repeat('x', 9000)) WHERE business_id = $1`,
    [businessId],
  );
  expect((await patch(id, { status: 'paid' })).status).toBe(200);
  expect((await page('types=order.created,order.paid')).data).toHaveLength(2);
});
