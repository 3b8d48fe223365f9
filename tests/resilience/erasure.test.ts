import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { orderBody } from '../harness/business-platform.ts';
import { eraseCustomer, erasedCustomer } from '../harness/erasure.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import type { RequestOptions } from '../harness/http-request.ts';
import { call } from '../harness/patience.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { query } from '../harness/postgres.ts';
import { databaseRows, logFiles, redisContents, type ScannedText } from '../harness/secret-scan.ts';
import { startUpstream, type Upstream } from '../harness/upstream.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';
import { awaitReceived, connectWebhooks, makeOrder, type Webhooks } from '../harness/webhooks.ts';

/*
 * Promise: once the erasure of a customer is confirmed, nothing of the person is left: in no database, in Redis or in logs at their
 * most verbose level, and no attempt with it starts. ERASED_ORDERS=100000 measures many.
 */

const orders = Number(process.env.ERASED_ORDERS ?? 5_000);

const person = { name: 'Persephone Quellwasser', email: 'Persephone.Q+shop@example.org' };

/** In any of its spellings. */
const traces = /persephone|quellwasser|lilac-0471/i;

let platform: Platform;
let webhooks: Webhooks;
beforeAll(async () => {
  const talkative = { LOG_LEVEL: 'debug' };
  platform = await startPlatform({
    webhooks: 2,
    gatewayEnv: talkative,
    identityEnv: talkative,
    businessEnv: talkative,
    webhookEnv: talkative,
  });
  webhooks = connectWebhooks(platform);
});
afterAll(async () => {
  webhooks.close();
  await platform.close();
});

/** A key of a business of its own. */
async function open(): Promise<{ readonly key: string; readonly businessId: number }> {
  const businessId = await platform.createVerifiedBusiness('shop');
  const { keyString: key } = await platform.createKey({ businessId });
  return { key, businessId };
}

describe('all data of one person', () => {
  let key: string;
  let businessId: number;
  let echo: Upstream;
  beforeAll(async () => {
    ({ key, businessId } = await open());
    // Responds with the body that it gets, and fails for payments: their deliveries stay pending.
    echo = await startUpstream(async (req, res) => {
      const chunks: Buffer[] = [];
      for await (const chunk of req) chunks.push(chunk);
      const body = Buffer.concat(chunks).toString();
      res.writeHead(body.includes('order.paid') ? 500 : 200).end(body);
    });
    const owner = { businessId, applicationId: '' };
    await webhooks.createEndpoint(owner, `${echo.origin}/hook`, [
      'order.created',
      'order.paid',
      'order.updated',
    ]);
    await useApi();
    await insertMany();
    await expectEventually(expectDelivered, { withinMs: 20_000 });
  });
  afterAll(() => echo.close());

  const send = (method: string, path: string, options: RequestOptions = {}) =>
    platform.request(0, method, path, { key, ...options });

  /** Orders, changes and mistakes with the person's data. */
  async function useApi(): Promise<void> {
    const body = { ...orderBody, customer: person, metadata: { parcel: 'lilac-0471' } };
    const headers = { 'Idempotency-Key': 'first' };
    const made = await send('POST', '/v2/order', { body, headers });
    expect(made.status).toBe(201);
    const { id } = made.json() as { id: string };
    await send('PATCH', `/v2/order/${id}`, { body: { status: 'paid' } });
    const unnamed = await send('POST', '/v2/order', { body: { ...body, customer: { name: person.name } } });
    const path = `/v2/order/${(unnamed.json() as { id: string }).id}`;
    await send('PATCH', path, { body: { customer: { email: person.email.toLowerCase() } } });
    await send('PATCH', path, { body: { customer: { email: null } } });
    const email = encodeURIComponent(person.email);
    const mistakes = [
      await send('GET', `/v2/order?email=${email}`),
      await send('GET', `/v2/order/${email}`),
      await send('GET', `/v2/customers/${email}`),
      await send('DELETE', `/v2/customers?email=${email}&email=${email}`),
      await send('POST', '/v2/order', { body: { ...body, [person.email]: 1 } }),
      await send('POST', '/v2/order', { body: { ...body, metadata: { [person.email]: '1' } } }),
      await send('GET', '/v2/businesses/me?x', { headers: { 'User-Agent': `shop (${person.email})` } }),
    ];
    expect(mistakes.map(({ status }) => status)).toEqual([400, 404, 404, 400, 400, 400, 200]);
  }

  /** As many more orders, each with two events, as the service writes them. */
  async function insertMany(): Promise<void> {
    const { customer, metadata } = { customer: person, metadata: { parcel: 'lilac-0471' } };
    await query(
      platform.databases.business,
      `WITH counter AS (
         UPDATE business_counters SET last_order_number = last_order_number + $2,
           last_event_sequence = last_event_sequence + 2 * $2 WHERE business_id = $1
         RETURNING last_order_number - $2 AS number, last_event_sequence - 2 * $2 AS sequence),
       made AS (
         INSERT INTO orders (id, business_id, number, status, currency, line_items, total, customer, metadata, created_at, updated_at)
         SELECT 'ord_' || lpad(n::text, 20, '0'), $1, number + n, 'fulfilled', 'EUR',
           '[{"name":"Tea","sku":null,"quantity":1,"unitAmount":450}]', 450, $3, $4, now(), now()
         FROM counter, generate_series(1, $2) AS n)
       INSERT INTO events (business_id, sequence, id, type, payload, created_at)
       SELECT $1, sequence + 2 * n - 1 + e, 'evt_' || lpad((2 * n + e)::text, 20, '0'),
         (ARRAY['order.updated', 'order.fulfilled'])[e + 1],
         format('{"id":"ord_%s","status":"fulfilled","customer":%s,"metadata":%s,"paid_at":null}', lpad(n::text, 20, '0'), $5::text, $6::text)::json,
         now()
       FROM counter, generate_series(1, $2) AS n, generate_series(0, 1) AS e`,
      [businessId, orders, customer, metadata, JSON.stringify(customer), JSON.stringify(metadata)],
    );
  }

  /** The events were read, and some attempts are over. */
  async function expectDelivered(): Promise<void> {
    const database = platform.databases.webhook ?? '';
    const [found] = await query<{ messages: number; responses: number }>(
      database,
      `SELECT (SELECT count(*)::int FROM messages WHERE business_id = $1) AS messages,
         (SELECT count(*)::int FROM attempts WHERE response_start ILIKE '%quellwasser%') AS responses`,
      [businessId],
    );
    expect(found?.messages).toBeGreaterThanOrEqual(orders);
    expect(found?.responses).toBeGreaterThan(2);
  }

  async function scannedTexts(): Promise<ScannedText[]> {
    const { identity, business, webhook = '' } = platform.databases;
    if (platform.redis === undefined) throw new Error('this test needs Redis');
    return [
      ...(await databaseRows(identity)),
      ...(await databaseRows(business)),
      ...(await databaseRows(webhook)),
      ...(await redisContents(platform.redis)),
      ...logFiles(),
    ];
  }

  const findTraces = async () =>
    (await scannedTexts()).filter(({ text }) => traces.test(text)).map(({ where }) => where);

  test('lies in the tables that the erasure is about, and nowhere else', async () => {
    expect((await findTraces()).sort()).toEqual([
      'table public.attempts',
      'table public.events',
      expect.stringMatching(/^table public\.events_\d{8}$/),
      'table public.idempotency_keys',
      'table public.messages',
      'table public.orders',
    ]);
  });

  test(`is found nowhere after the erasure of ${orders} orders`, async () => {
    const erased = await eraseCustomer(platform, key, person.email);
    expect(erased).toMatchObject({ orders: orders + 2, response: expect.objectContaining({ status: 200 }) });
    expect(await findTraces()).toEqual([]);
    // Nor does a log get it later.
    const marker = `/v2/${businessId}`;
    await send('GET', marker);
    await expectEventually(() => expect(logFiles().some(({ text }) => text.includes(marker))).toBe(true), {
      withinMs: 5_000,
    });
    expect(await findTraces()).toEqual([]);
  }, 600_000);
});

describe('an event on its way to a receiver', () => {
  let receiver: WebhookReceiver;
  let key: string;
  let owner: { readonly businessId: number; readonly applicationId: string };
  beforeAll(async () => {
    const { key: own, businessId } = await open();
    key = own;
    owner = { businessId, applicationId: '' };
    receiver = await startWebhookReceiver();
    await webhooks.createEndpoint(owner, receiver.url, ['order.created']);
  });
  afterAll(() => receiver.close());

  const [ada] = [orderBody.customer];

  test('with an attempt in flight delays the confirmation, and is sent without the person from then on', async () => {
    const held = Promise.withResolvers<number>();
    receiver.respond(() => held.promise);
    await makeOrder(platform, key);
    await awaitReceived(receiver, 1);
    expect((await eraseCustomer(platform, key, ada.email, 1)).response.status).toBe(202);
    held.resolve(500);
    receiver.respond(() => 204);
    await eraseCustomer(platform, key, ada.email);
    const [delivery] = (await webhooks.deliveries(owner)).deliveries;
    await webhooks.deliveryRpc.ResendDelivery({ owner, deliveryId: delivery?.id ?? '' }, call);
    await awaitReceived(receiver, 2);
    const [before, after] = receiver.received.map(({ event }) => event);
    expect(before?.data).toMatchObject({ customer: ada });
    expect(after).toEqual({
      ...before,
      data: { ...(before?.data as object), customer: erasedCustomer, metadata: {} },
    });
  });

  test('that was read before the erasure is not stored after it', async () => {
    const count = receiver.received.length;
    // A reader that has the event waits for identity-service.
    for (const identity of platform.identities) identity.freeze();
    const id = await makeOrder(platform, key);
    await new Promise((resolve) => setTimeout(resolve, 500));
    await eraseCustomer(platform, key, ada.email);
    for (const identity of platform.identities) identity.thaw();
    await awaitReceived(receiver, count + 1, 15_000);
    expect(receiver.received[count]?.event.data).toMatchObject({ id, customer: erasedCustomer });
  });
});
