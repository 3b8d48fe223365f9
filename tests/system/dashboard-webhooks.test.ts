import { beforeEach, describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { z } from 'zod';
import { eventsOf } from '../harness/audit-events.ts';
import { type Dashboard, openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import type { HttpResponse } from '../harness/http-request.ts';
import { joinBusiness, signUp, type TestPerson } from '../harness/people.ts';
import { startPlatform } from '../harness/platform.ts';
import { refusalOf } from '../harness/refusals.ts';
import { newOwner, register } from '../harness/registered-application.ts';
import { running } from '../harness/running.ts';
import { startWebhookReceiver, verified } from '../harness/webhook-receiver.ts';
import { makeOrder, ordersOf } from '../harness/webhooks.ts';

/* Webhooks in the dashboard: endpoints of a business and of its applications, their secrets and deliveries. */

const platform = running(() => startPlatform({ webhooks: 1 }));
const receiver = running(startWebhookReceiver);

let person: TestPerson;
let by: Dashboard;
beforeEach(async () => {
  receiver.respond(() => 204);
  ({ person, dashboard: by } = await newOwner(platform));
});

const endpointRecord = z.looseObject({ id: z.string(), enabled: z.boolean(), pending: z.number() });
const created = z.object({ endpoint: endpointRecord, secret: z.string() });
const firstOf = (list: unknown) =>
  z.object({ endpoints: z.tuple([endpointRecord]) }).parse(list).endpoints[0];
const deliveryRecord = z.looseObject({ id: z.string(), status: z.string(), type: z.string() });
const page = z.object({ deliveries: z.array(deliveryRecord), nextCursor: z.string().nullable() });

const base = '/webhook-endpoints';

async function add(body: object = {}, query = '', dashboard = by) {
  const response = await dashboard.own('POST', `${base}${query}`, { url: receiver.url, ...body });
  expect([response.status, response.text]).toEqual([201, response.text]);
  const { endpoint, secret } = created.parse(response.json());
  return { id: endpoint.id, path: `${base}/${endpoint.id}`, secret };
}

const refused = (response: HttpResponse) => {
  const { code, fields, reason } = refusalOf(response);
  return [code, fields.length > 0 ? fields : reason];
};

const deliveries = async (query = '') =>
  page.parse((await by.own('GET', `/webhook-deliveries${query}`)).json()).deliveries;

/** Waits until so many deliveries have a state. */
const awaitDeliveries = (status: string, count: number) =>
  expectEventually(
    async () => {
      expect(await deliveries(`?status=${status}`)).toHaveLength(count);
    },
    { withinMs: 10_000 },
  );

/** Makes an order of the business; resolves to its identifier. */
async function order(): Promise<string> {
  const { keyString } = await platform.createKey({ businessId: person.businessId });
  return makeOrder(platform, keyString);
}

/** Requests about an order, once there are so many: deliveries of earlier tests may still come. */
const awaitAbout = (id: string, count: number) =>
  expectEventually(
    () => {
      const about = receiver.received.filter((_, index) => ordersOf(receiver)[index] === id);
      expect(about).toHaveLength(count);
      return about;
    },
    { withinMs: 5_000 },
  );

describe('an endpoint', () => {
  test('is added, listed, changed, switched and deleted, and each change is in the audit log', async () => {
    const { id, path, secret } = await add({
      description: ' Till ',
      events: ['order.paid', 'order.created'],
    });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const shown = { id, url: receiver.url, description: 'Till', events: ['order.created', 'order.paid'] };
    const list = await by.own('GET', base);
    expect(list.json()).toMatchObject({
      installed: true,
      limit: 5,
      endpoints: [{ ...shown, enabled: true }],
    });
    expect(list.text).not.toContain(secret);
    expect((await by.own('PATCH', path, { events: [] })).json()).toMatchObject({ ...shown, events: [] });
    expect((await by.own('PATCH', path, { description: '' })).json()).toMatchObject({
      description: '',
      events: [],
    });
    expect((await by.own('POST', `${path}/disable`)).json()).toMatchObject({ disabledReason: 'owner' });
    expect((await by.own('POST', `${path}/enable`)).json()).toMatchObject({
      endpoint: { enabled: true, disabledReason: null },
      recoverable: 0,
    });
    expect((await by.own('DELETE', path)).status).toBe(204);
    expect((await by.own('GET', path)).status).toBe(404);
    expect((await by.own('GET', base)).json()).toMatchObject({ endpoints: [] });
    const actor = { actor_kind: 'person', actor_id: person.id };
    expect(await eventsOf(platform, id)).toEqual(
      ['created', 'updated', 'updated', 'disabled', 'enabled', 'deleted'].map((verb) => ({
        action: `webhook_endpoint.${verb}`,
        ...actor,
      })),
    );
    const audit = (await by.own('GET', '/audit-events?action=webhook_endpoint.*')).json();
    expect(audit).toMatchObject({
      events: [{ words: `Deleted the webhook endpoint ${receiver.url}` }, {}, {}, {}, {}, {}],
    });
  });

  test('of an app chooses no events of API keys, and gets no test of them', async () => {
    const { id } = await platform.createApplication({ businessId: person.businessId });
    const query = `?applicationId=${id}`;
    const events = ['order.paid', 'api_key.expired'];
    expect(refused(await by.own('POST', base + query, { url: receiver.url, events }))).toEqual([
      400,
      ['events.1'],
    ]);
    const { path } = await add({}, query);
    expect(refused(await by.own('PATCH', path + query, { events }))).toEqual([400, ['events.1']]);
    const test = await by.own('POST', `${path}/test${query}`, { type: 'api_key.expired' });
    expect(refused(test)).toEqual([400, ['type']]);
    expect((await by.own('PATCH', path + query, { events: ['application.connected'] })).status).toBe(200);
  });

  test.each<[string, object, readonly string[]]>([
    ['an address inside the network', { url: 'https://10.0.0.1/hook' }, ['url']],
    ['an unknown event', { events: ['order.paid', 'order.lost'] }, ['events.1']],
    ['control characters', { description: 'a\u0000b' }, ['description']],
  ])('is refused with %s, at its field', async (_, body, fields) => {
    expect(refused(await by.own('POST', base, { url: receiver.url, ...body }))).toEqual([400, fields]);
    const { path } = await add();
    expect(refused(await by.own('PATCH', path, body))).toEqual([400, fields]);
    expect((await by.own('GET', base)).json()).toMatchObject({ endpoints: [{ url: receiver.url }] });
  });

  test('is one of five at most', async () => {
    for (let i = 0; i < 5; i++) await add();
    expect(refused(await by.own('POST', base, { url: receiver.url }))).toEqual([
      409,
      'endpoint_limit_reached',
    ]);
  });

  test('of an application is apart from those of the business, and of another application', async () => {
    const [one, other] = [await register(by, person), await register(by, person)];
    const { id, path } = await add({}, `?applicationId=${one.id}`);
    const listed = async (query: string) => (await by.own('GET', `${base}${query}`)).json();
    expect(await listed(`?applicationId=${one.id}`)).toMatchObject({ endpoints: [{ id }] });
    for (const query of ['', `?applicationId=${other.id}`]) {
      expect(await listed(query)).toMatchObject({ endpoints: [] });
      expect((await by.own('DELETE', `${path}${query}`)).status).toBe(404);
    }
    expect(refused(await by.own('GET', `${base}?applicationId=mine`))).toEqual([400, ['applicationId']]);
    const audit = (await by.own('GET', '/audit-events?action=webhook_endpoint.created')).json();
    expect(audit).toMatchObject({ events: [{ subject: { name: one.application.name } }] });
  });
});

test('endpoints and deliveries of another business are not found by any request', async () => {
  const { person: stranger, dashboard: their } = await newOwner(platform);
  const app = await register(their, stranger);
  const { path } = await add({}, '', their);
  const test = await their.own('POST', `${path}/test`, { type: 'order.paid' });
  const delivery = `/webhook-deliveries/${deliveryRecord.parse(test.json()).id}`;
  const before = (await their.own('GET', base)).json();
  const attempts: readonly (readonly [string, string, object?])[] = [
    ['GET', path],
    ['PATCH', path, { description: 'mine' }],
    ['POST', `${path}/enable`],
    ['POST', `${path}/disable`],
    ['POST', `${path}/secret`, { endOld: true }],
    ['POST', `${path}/secret/reveal`, { password: person.password }],
    ['POST', `${path}/recover`, { since: '2026-01-01T00:00:00Z' }],
    ['POST', `${path}/test`, { type: 'order.paid' }],
    ['DELETE', path],
    ['GET', delivery],
    ['POST', `${delivery}/resend`],
    ['GET', `${base}/whe_short`],
    ['GET', `${base}?applicationId=${app.id}`],
    ['POST', `${base}?applicationId=${app.id}`, { url: receiver.url }],
    ['GET', `/webhook-deliveries?applicationId=${app.id}`],
  ];
  for (const [method, at, body] of attempts) {
    expect([at, (await by.own(method, at, body)).status]).toEqual([at, 404]);
    const foreign = await by.call(method, `/businesses/${stranger.businessId}${at}`, body);
    expect([at, foreign.status]).toEqual([at, 404]);
  }
  expect(await deliveries(`?endpointId=${path.split('/').at(-1)}`)).toEqual([]);
  const { pending: _, lastSuccessAt: __, nextAttemptAt: ___, recent: ____, ...kept } = firstOf(before);
  expect(firstOf((await their.own('GET', base)).json())).toMatchObject(kept);
});

test('members manage webhooks like owners, and the secret requires their own password', async () => {
  const member = await signUp(platform);
  await joinBusiness(platform, member, person.businessId, 'developer');
  const theirs = await openDashboard(person, member.browser);
  const { path, secret } = await add({}, '', theirs);
  expect((await theirs.own('POST', `${path}/disable`)).status).toBe(200);
  const reveal = (password: string) => theirs.own('POST', `${path}/secret/reveal`, { password });
  expect((await reveal(member.password)).json()).toMatchObject({ secret });
  expect((await theirs.own('DELETE', path)).status).toBe(204);
});

describe('the secret', () => {
  test('is shown again for the password only, and that is recorded', async () => {
    const { id, path, secret } = await add();
    const reveal = (body: object) => by.own('POST', `${path}/secret/reveal`, body);
    expect(refused(await reveal({ password: 'another password' }))).toEqual([400, ['password']]);
    expect(refused(await reveal({}))).toEqual([400, ['password']]);
    expect((await eventsOf(platform, id)).map(({ action }) => action)).toEqual(['webhook_endpoint.created']);
    expect((await reveal({ password: person.password })).json()).toEqual({
      secret,
      publicKey: expect.stringMatching(/^whpk_[A-Za-z0-9+/]{43}=$/),
    });
    expect(await eventsOf(platform, id)).toMatchObject([{}, { action: 'webhook_endpoint.secret_revealed' }]);
  });

  test('is rotated beside the old one for 24 hours, or in its place', async () => {
    const { path, secret } = await add();
    const rotate = async (endOld: boolean) => {
      const response = await by.own('POST', `${path}/secret`, { endOld });
      return created.parse(response.json());
    };
    const kept = await rotate(false);
    expect(Date.parse(String(kept.endpoint.oldSecretEndsAt))).toBeGreaterThan(Date.now() + 23 * 3_600_000);
    const ended = await rotate(true);
    expect(ended.endpoint.oldSecretEndsAt).toBeNull();
    expect(new Set([secret, kept.secret, ended.secret]).size).toBe(3);
    expect(refused(await by.own('POST', `${path}/secret`, {}))).toEqual([400, ['endOld']]);
  });
});

describe('deliveries', () => {
  test('are listed with filters, shown with body and attempts, and resent', async () => {
    const { id, path, secret } = await add({ events: ['order.created'] });
    const orderId = await order();
    const [got] = await awaitAbout(orderId, 1);
    await awaitDeliveries('delivered', 1);
    const [delivery] = await deliveries();
    const shown = (await by.own('GET', `/webhook-deliveries/${delivery?.id}`)).json();
    expect(shown).toMatchObject({
      delivery: {
        type: 'order.created',
        endpointId: id,
        isTest: false,
        status: 'delivered',
        nextAttemptAt: null,
      },
      body: got?.body,
      attempts: [{ number: 1, outcome: 'delivered', status: 204, errorCode: null }],
    });
    const counts = [
      '?type=order.created',
      '?type=order.paid',
      `?endpointId=${id}`,
      '?status=failed',
      '?since=2999-01-01T00:00:00Z',
      '?until=2999-01-01T00:00:00Z',
    ].map(async (query) => (await deliveries(query)).length);
    expect(await Promise.all(counts)).toEqual([1, 0, 1, 0, 0, 1]);
    for (const [query, field] of [
      ['?cursor=x', 'cursor'],
      ['?status=lost', 'status'],
    ]) {
      expect(refused(await by.own('GET', `/webhook-deliveries${query}`))).toEqual([400, [field]]);
    }
    expect((await by.own('POST', `/webhook-deliveries/${delivery?.id}/resend`)).status).toBe(200);
    const [, again] = await awaitAbout(orderId, 2);
    expect([again?.id, again?.body]).toEqual([got?.id, got?.body]);
    if (again !== undefined) verified(secret, again);
    expect((await eventsOf(platform, id)).map(({ action }) => action)).toContain('webhook_endpoint.resent');
    expect((await by.own('DELETE', path)).status).toBe(204);
  });

  test('are not resent to a disabled endpoint, and stay as they were', async () => {
    const { id, path } = await add({ events: ['order.created'] });
    await order();
    await awaitDeliveries('delivered', 1);
    const [delivery] = await deliveries();
    await by.own('POST', `${path}/disable`);
    const resent = await by.own('POST', `/webhook-deliveries/${delivery?.id}/resend`);
    expect(refused(resent)).toEqual([409, 'endpoint_disabled']);
    expect(await deliveries()).toMatchObject([{ id: delivery?.id, status: 'delivered' }]);
    expect((await eventsOf(platform, id)).map(({ action }) => action)).not.toContain(
      'webhook_endpoint.resent',
    );
  });

  test('that were skipped are recovered once the endpoint is enabled', async () => {
    const { id, path } = await add({ events: ['order.created'] });
    await by.own('POST', `${path}/disable`);
    const orderId = await order();
    await awaitDeliveries('skipped', 1);
    const recover = (since: unknown) => by.own('POST', `${path}/recover`, { since });
    expect(refused(await recover('2026-01-01T00:00:00Z'))).toEqual([409, 'endpoint_disabled']);
    expect(refused(await by.own('POST', `${path}/test`, { type: 'order.paid' }))).toEqual([
      409,
      'endpoint_disabled',
    ]);
    expect((await by.own('POST', `${path}/enable`)).json()).toMatchObject({ recoverable: 1 });
    expect(refused(await recover('yesterday'))).toEqual([400, ['since']]);
    expect((await recover('2026-01-01T00:00:00Z')).json()).toEqual({ deliveries: 1 });
    await awaitAbout(orderId, 1);
    expect((await eventsOf(platform, id)).map(({ action }) => action)).toContain(
      'webhook_endpoint.recovered',
    );
  });

  test('of test events match the catalogue for every type', async () => {
    const document = (await platform.request(0, 'GET', '/docs/openapi.json')).json() as { webhooks: object };
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addSchema(document, 'document');
    const types = [
      'api_key.expired',
      'api_key.expiring',
      'application.connected',
      'application.disconnected',
      'business.banned',
      'business.unbanned',
      'business.updated',
      'business.verification_rejected',
      'business.verification_submitted',
      'business.verified',
      'order.cancelled',
      'order.created',
      'order.fulfilled',
      'order.paid',
      'order.updated',
    ];
    const { path } = await add({ events: ['order.paid'] });
    const before = receiver.received.length;
    for (const type of types) {
      const response = await by.own('POST', `${path}/test`, { type });
      expect([response.status, response.json()]).toMatchObject([201, { type, isTest: true }]);
    }
    await awaitDeliveries('delivered', types.length);
    expect(refused(await by.own('POST', `${path}/test`, { type: 'order.lost' }))).toEqual([400, ['type']]);
    for (const { event } of receiver.received.slice(before)) {
      const pointer = `document#/webhooks/${event.type}/post/requestBody/content/application~1json/schema`;
      // The sequence of a test event is 0: it is no event of the feed.
      const isValid = ajv.validate({ $ref: pointer }, { ...event, sequence: 1 });
      expect([event.type, isValid ? null : ajv.errorsText()]).toEqual([event.type, null]);
    }
  });
});

test('pages of webhooks report that webhook-service does not respond, and the rest works', async () => {
  await platform.webhooks[0]?.stop();
  try {
    expect((await by.own('GET', base)).status).toBe(503);
    expect((await by.own('POST', base, { url: receiver.url })).status).toBe(503);
    expect((await by.own('GET', '/applications')).status).toBe(200);
  } finally {
    await platform.webhooks[0]?.start();
  }
});
