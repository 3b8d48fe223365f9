import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventFeedService } from '@platform/protos/business';
import { createGrpcClient, type GrpcClient } from '@platform/service-kit/grpc/client.ts';
import { connect } from '../harness/oauth.ts';
import { ownDocuments } from '../harness/own-documents.ts';
import { call, callPatience } from '../harness/patience.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { newApplication, newOwner } from '../harness/registered-application.ts';
import { startWebhookReceiver, verified, type WebhookReceiver } from '../harness/webhook-receiver.ts';
import { awaitReceived, connectWebhooks, ownerOf, type Webhooks } from '../harness/webhooks.ts';

/* Events of an operator's service, from SendEvent to the feed and to receivers. */

const type = 'invoice.paid';
const webhook = { operationId: 'paid', summary: 'Invoice paid', security: [{ oauth2: ['invoices:read'] }] };
const document = {
  openapi: '3.1.0',
  info: { title: 'Payments', version: '1' },
  webhooks: { [type]: { post: webhook } },
  components: { securitySchemes: { oauth2: { type: 'oauth2' } } },
};

let platform: Platform;
let webhooks: Webhooks;
let receiver: WebhookReceiver;
let feed: GrpcClient<typeof eventFeedService>;
beforeAll(async () => {
  const API_DIR = ownDocuments();
  writeFileSync(join(API_DIR, 'payments.json'), JSON.stringify(document));
  const env = { API_DIR };
  platform = await startPlatform({
    webhooks: 1,
    gatewayEnv: env,
    identityEnv: env,
    businessEnv: env,
    webhookEnv: env,
  });
  webhooks = connectWebhooks(platform);
  receiver = await startWebhookReceiver();
  feed = createGrpcClient(eventFeedService, {
    target: platform.targets.business,
    tls: { kind: 'plain' },
    ...callPatience,
  });
});
afterAll(async () => {
  feed.close();
  webhooks.close();
  await receiver.close();
  await platform.close();
});

const data = { id: 'inv_1', total: 900 };

const paid = (businessId: number, change: object = {}) =>
  feed.rpc.SendEvent(
    { businessId, type, data: JSON.stringify(data), idempotencyId: 'inv_1', ...change },
    call,
  );

describe('An event of an operator’s service', () => {
  test('is in the feed once, and arrives, signed, at endpoints that chose it, if the scope covers it.', async () => {
    const { person, dashboard } = await newOwner(platform);
    const { app } = await newApplication(platform, {
      scopes: ['invoices:read', 'orders:read'],
      webhooksEnabled: true,
      webhookEvents: [type],
    });
    await connect(platform, person.browser, app);
    const ofApp = await webhooks.createEndpoint(ownerOf(app), receiver.url, [type]);
    const made = await dashboard.own('POST', '/webhook-endpoints', {
      url: receiver.url,
      description: '',
      events: [type],
    });
    expect(made.status).toBe(201);
    const { secret } = made.json() as { secret: string };

    const { eventId } = await paid(person.businessId);
    expect(await paid(person.businessId)).toEqual({ eventId });
    await awaitReceived(receiver, 2);
    const bodies = receiver.received.map(({ body }) => JSON.parse(body));
    expect(bodies).toMatchObject(Array(2).fill({ id: eventId, type, data }));
    const isSignedBy = (one: string) =>
      receiver.received.filter((received) => {
        try {
          return verified(one, received);
        } catch {
          return false;
        }
      }).length;
    expect([isSignedBy(secret), isSignedBy(ofApp.secret)]).toEqual([1, 1]);

    const read = async (scopes: string[]) => {
      const { keyString: key } = await platform.createKey({
        businessId: person.businessId,
        type: 'restricted',
        scopes,
      });
      return platform.request(0, 'GET', `/v2/events?types=${type}`, { key });
    };
    const page = (await read(['events:read', 'invoices:read'])).json() as { data: unknown[] };
    expect(page.data).toEqual([expect.objectContaining({ id: eventId, data })]);
    expect(await read(['events:read', 'orders:read'])).toMatchObject({
      status: 403,
      headers: { 'www-authenticate': expect.stringContaining('scope="invoices:read"') },
    });
  });

  test.each([
    ['a type that no document names', { type: 'invoice.lost' }, 'type: '],
    ['a type of the platform', { type: 'order.paid' }, 'type: '],
    ['data that is no object', { data: '[]' }, 'data: '],
    ['too much data', { data: JSON.stringify({ text: 'x'.repeat(19_000) }) }, 'data: '],
    ['a name that is given twice', { data: '{"total":1,"total":2}' }, 'data: '],
    ['a text that PostgreSQL does not store', { data: '{"text":"\\\\\\u0000"}' }, 'data: '],
    ['an id that no index takes', { data: JSON.stringify({ id: { of: 'x'.repeat(1_000) } }) }, 'data: '],
    [
      'an address that no index takes',
      { data: JSON.stringify({ customer: { email: 'x'.repeat(1_000) } }) },
      'data: ',
    ],
    ['no idempotency id', { idempotencyId: '' }, 'idempotency_id: '],
    ['no business', { businessId: 0 }, 'business_id: '],
  ])('is refused with %s.', async (_, change, message) => {
    await expect(paid(platform.businessId, change)).rejects.toMatchObject({
      kind: 'invalid_argument',
      message: expect.stringContaining(message),
    });
  });

  test('is refused for a business that does not exist.', async () => {
    await expect(paid(2_000_000_000)).rejects.toMatchObject({ kind: 'not_found' });
  });

  test('has another id than that of another business with the same idempotency id, whose receiver gets its own.', async () => {
    const received: object[] = [];
    for (const total of [1, 2]) {
      const { person, dashboard } = await newOwner(platform);
      const other = await startWebhookReceiver();
      const endpoint = { url: other.url, description: '', events: [type] };
      expect((await dashboard.own('POST', '/webhook-endpoints', endpoint)).status).toBe(201);
      await paid(person.businessId, { data: JSON.stringify({ total }) });
      await awaitReceived(other, 1);
      received.push(...other.received.map(({ body }) => JSON.parse(body)));
      await other.close();
    }
    expect(received).toMatchObject([{ data: { total: 1 } }, { data: { total: 2 } }]);
  });

  test('keeps a customer whom the business has erased from its orders.', async () => {
    const { person } = await newOwner(platform);
    const customer = { name: 'Ada', email: 'ada@example.com' };
    await paid(person.businessId, { data: JSON.stringify({ customer, lines: [] }) });
    const { keyString: key } = await platform.createKey({ businessId: person.businessId });
    const erased = await platform.request(0, 'DELETE', `/v2/customers?email=${customer.email}`, { key });
    expect(erased.json()).toEqual({ orders: 0, events: 0 });
    const page = await platform.request(0, 'GET', `/v2/events?types=${type}`, { key });
    expect(page.json()).toMatchObject({ data: [{ data: { customer, lines: [] } }] });
  });

  test('can be chosen in the dashboard by its summary, and no other type can.', async () => {
    const { dashboard } = await newOwner(platform);
    expect((await dashboard.call('GET', '/own-events')).json()).toEqual({
      events: [{ event: type, words: 'Invoice paid', scope: 'invoices:read', topic: 'Payments' }],
    });
    const unknown = { url: receiver.url, description: '', events: ['invoice.lost'] };
    expect((await dashboard.own('POST', '/webhook-endpoints', unknown)).status).toBe(400);
  });
});
