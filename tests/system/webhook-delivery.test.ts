import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { TestApplication } from '../harness/applications.ts';
import { type Dashboard, openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { metricOf } from '../harness/metrics.ts';
import { connect } from '../harness/oauth.ts';
import { attemptPatience, call } from '../harness/patience.ts';
import { signUpVerified, type TestPerson } from '../harness/people.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { query } from '../harness/postgres.ts';
import { startWebhookReceiver, verified, type WebhookReceiver } from '../harness/webhook-receiver.ts';
import {
  awaitReceived,
  connectWebhooks,
  makeOrder,
  ordersOf,
  ownerOf,
  type Webhooks,
} from '../harness/webhooks.ts';

/* Events on their way from an order at the gateway to receivers, through two webhook-services. */

let platform: Platform;
let webhooks: Webhooks;
let owner: TestPerson;
let dashboard: Dashboard;
let ownerKey: string;
beforeAll(async () => {
  // Endpoints of a deleted application stay until a round finds them, and one of these tests needs them meanwhile.
  const webhookEnv = { ENDPOINT_INTERVAL_MS: '3600000', ...attemptPatience };
  platform = await startPlatform({ webhooks: 2, webhookEnv });
  webhooks = connectWebhooks(platform);
  owner = await signUpVerified(platform);
  dashboard = await openDashboard(owner, owner.browser);
  ({ keyString: ownerKey } = await platform.createKey({ businessId: owner.businessId }));
});
afterAll(async () => {
  webhooks.close();
  await platform.close();
});

let receiver: WebhookReceiver;
let application: TestApplication;
let endpoint: { readonly id: string; readonly secret: string };
/** An application of a business of its own, connected to the owner's business, with an endpoint. */
beforeEach(async () => {
  receiver = await startWebhookReceiver();
  const businessId = await platform.createVerifiedBusiness('publisher');
  application = await platform.createApplication({ businessId });
  await webhooks.enable(application);
  await connect(platform, owner.browser, application);
  endpoint = await webhooks.createEndpoint(ownerOf(application), receiver.url);
});
afterEach(async () => {
  await webhooks.endpointRpc.DeleteEndpoint({ owner: ownerOf(application), endpointId: endpoint.id }, call);
  await receiver.close();
});

const order = () => makeOrder(platform, ownerKey);
const liveGrant = async () => {
  const grants = await platform.listGrants(owner.businessId);
  return grants.find(({ applicationId }) => applicationId === application.id);
};
const statuses = async () => {
  const { deliveries } = await webhooks.deliveries(ownerOf(application));
  return deliveries.map(({ status }) => status);
};
const expectStatuses = (expected: readonly string[]) =>
  expectEventually(async () => expect(await statuses()).toEqual(expected), { withinMs: 5_000 });

describe('a delivery', () => {
  test('arrives once, signed, and with the same data as in the API', async () => {
    const id = await order();
    await awaitReceived(receiver, 1);
    const [webhook] = receiver.received;
    if (webhook === undefined) throw new Error('nothing arrived');
    expect(verified(endpoint.secret, webhook)).toMatchObject({
      id: webhook.id,
      type: 'order.created',
      data: { id, status: 'pending' },
    });
    const feed = await platform.request(0, 'GET', '/v2/order', { key: ownerKey });
    expect((feed.json() as { data: unknown[] }).data).toContainEqual(webhook.event.data);
    await expectStatuses(['DELIVERY_STATUS_DELIVERED']);
    expect(receiver.received).toHaveLength(1);
  });

  test('names the event before it, so that a receiver sees a gap', async () => {
    await order();
    await order();
    await awaitReceived(receiver, 2);
    const events = receiver.received
      .map(({ event }) => event)
      .sort((a, b) => Number(a.sequence) - Number(b.sequence));
    expect(events[1]?.previous).toBe(events[0]?.sequence);
  });

  test('is also sent to an endpoint of the business itself, but not to other businesses', async () => {
    const own = { businessId: owner.businessId, applicationId: '' };
    const mine = await webhooks.createEndpoint(own, receiver.url, ['order.created']);
    const other = await startWebhookReceiver();
    const others = { businessId: application.businessId, applicationId: '' };
    const foreign = await webhooks.createEndpoint(others, other.url);
    await order();
    await awaitReceived(receiver, 2);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
    // Deliveries of one event are planned together.
    expect((await webhooks.deliveries(others)).deliveries).toEqual([]);
    for (const [who, { id }] of [
      [own, mine],
      [others, foreign],
    ] as const) {
      await webhooks.endpointRpc.DeleteEndpoint({ owner: who, endpointId: id }, call);
    }
    await other.close();
  });

  test('is repeated after a 500, with the same id and bytes and a new timestamp', async () => {
    let responses = 0;
    receiver.respond(() => (responses++ === 0 ? 500 : 204));
    await order();
    await awaitReceived(receiver, 2, 10_000);
    const [first, second] = receiver.received;
    if (first === undefined || second === undefined) throw new Error('too few');
    expect([second.id, second.body]).toEqual([first.id, first.body]);
    expect(second.at - first.at).toBeGreaterThan(4_400);
    verified(endpoint.secret, second);
    await expectStatuses(['DELIVERY_STATUS_DELIVERED']);
    const [delivery] = (await webhooks.deliveries(ownerOf(application))).deliveries;
    const request = { owner: ownerOf(application), deliveryId: delivery?.id ?? '' };
    const { attempts, body } = await webhooks.deliveryRpc.GetDelivery(request, call);
    expect(attempts.map(({ number, outcome, status }) => [number, outcome, status])).toEqual([
      [1, 'refused', 500],
      [2, 'delivered', 204],
    ]);
    expect(body).toBe(first.body);
  });

  test('that gets a 410 disables the endpoint, and the skipped deliveries can be recovered', async () => {
    receiver.respond(() => 410);
    await order();
    const reference = { owner: ownerOf(application), endpointId: endpoint.id };
    await expectEventually(
      async () => {
        const { endpoint: read } = await webhooks.endpointRpc.GetEndpoint(reference, call);
        expect([read?.enabled, read?.disabledReason]).toEqual([false, 'DISABLED_REASON_GONE']);
      },
      { withinMs: 5_000 },
    );
    await order();
    await expectStatuses(['DELIVERY_STATUS_SKIPPED', 'DELIVERY_STATUS_SKIPPED']);
    expect(receiver.received).toHaveLength(1);
    receiver.respond(() => 204);
    const { recoverable } = await webhooks.endpointRpc.EnableEndpoint(reference, call);
    expect(recoverable).toBe(2);
    const { deliveries } = await webhooks.deliveryRpc.RecoverDeliveries(
      { ...reference, sinceUnixMs: 0 },
      call,
    );
    expect(deliveries).toBe(2);
    await expectStatuses(['DELIVERY_STATUS_DELIVERED', 'DELIVERY_STATUS_DELIVERED']);
  });

  test('is resent on request with the same bytes', async () => {
    await order();
    await expectStatuses(['DELIVERY_STATUS_DELIVERED']);
    const [delivery] = (await webhooks.deliveries(ownerOf(application))).deliveries;
    const request = { owner: ownerOf(application), deliveryId: delivery?.id ?? '' };
    await webhooks.deliveryRpc.ResendDelivery(request, call);
    await awaitReceived(receiver, 2);
    const [first, second] = receiver.received;
    expect([second?.id, second?.body]).toEqual([first?.id, first?.body]);
  });

  test('of a test event arrives signed, whatever types are chosen', async () => {
    const request = { owner: ownerOf(application), endpointId: endpoint.id, type: 'order.cancelled' };
    await webhooks.deliveryRpc.SendTestEvent({ ...request, data: '{"id":"ord_1"}' }, call);
    await awaitReceived(receiver, 1);
    const [webhook] = receiver.received;
    expect(webhook && verified(endpoint.secret, webhook)).toMatchObject({
      type: 'order.cancelled',
      sequence: 0,
      data: { id: 'ord_1' },
    });
  });
});

describe('no attempt starts after', () => {
  const disconnect = async () => {
    const grant = await liveGrant();
    await platform.disconnectGrant(owner.businessId, grant?.id ?? '');
  };
  const ends: Readonly<Record<string, () => Promise<unknown>>> = {
    disconnect,
    'webhooks are switched off': () => webhooks.disable(application),
    'the application is deleted': () => platform.deleteApplication(application),
    'the application has given the scope up': () =>
      platform.updateApplication(application, { scopes: ['business:read'] }),
    'a freeze': () => dashboard.own('PUT', '/freeze', { reason: 'a test' }),
    'the application is suspended': () => platform.suspendApplication(application),
    'its connection is suspended': async () =>
      dashboard.own('PUT', `/connections/${(await liveGrant())?.id}/suspension`, {}),
    'a ban': () => platform.banBusiness(owner.businessId),
    'the endpoint is disabled': () =>
      webhooks.endpointRpc.DisableEndpoint({ owner: ownerOf(application), endpointId: endpoint.id }, call),
  };
  afterEach(async () => {
    await dashboard.own('DELETE', '/freeze');
    await platform.unbanBusiness(owner.businessId).catch(() => undefined);
  });

  test.each(Object.keys(ends))('%s, though a retry was due', async (end) => {
    // Not in five seconds, which a busy machine may need until the end.
    receiver.respond(() => ({ status: 429, headers: { 'Retry-After': '3600' } }));
    await order();
    await awaitReceived(receiver, 1);
    const tried = 'SELECT 1 FROM deliveries WHERE endpoint_id = $1 AND attempts = 1';
    await expectEventually(
      async () => expect(await query(platform.databases.webhook ?? '', tried, [endpoint.id])).toHaveLength(1),
      { withinMs: 5_000 },
    );
    await ends[end]?.();
    // Found due by one of the next looks.
    const now = 'UPDATE deliveries SET next_attempt_at = now() WHERE endpoint_id = $1';
    await query(platform.databases.webhook ?? '', now, [endpoint.id]);
    const ended = end === 'the endpoint is disabled' ? 'SKIPPED' : 'WITHDRAWN';
    await expectEventually(async () => expect(await statuses()).toEqual([`DELIVERY_STATUS_${ended}`]), {
      withinMs: 10_000,
    });
    expect(receiver.received).toHaveLength(1);
  });
});

describe('what was missed while', () => {
  const recover = async () => {
    const reference = { owner: ownerOf(application), endpointId: endpoint.id };
    await webhooks.deliveryRpc.RecoverDeliveries({ ...reference, sinceUnixMs: 0 }, call);
    await expectStatuses(['DELIVERY_STATUS_DELIVERED']);
  };
  afterEach(async () => {
    await dashboard.own('DELETE', '/freeze');
  });

  test('the application was suspended can be recovered afterwards', async () => {
    await platform.suspendApplication(application);
    const id = await order();
    await expectStatuses(['DELIVERY_STATUS_WITHDRAWN']);
    await platform.resumeApplication(application);
    await recover();
    expect(ordersOf(receiver)).toEqual([id]);
  });

  test('the business was frozen can be recovered afterwards', async () => {
    await webhooks.enable(application, ['business.updated']);
    await dashboard.own('PUT', '/freeze', { reason: 'a test' });
    await dashboard.own('PATCH', '', { accountHolder: 'Difference Engines' });
    await expectStatuses(['DELIVERY_STATUS_WITHDRAWN']);
    expect(receiver.received).toEqual([]);
    await dashboard.own('DELETE', '/freeze');
    await recover();
    expect(receiver.received.map(({ event }) => event.type)).toEqual(['business.updated']);
  });
});

test('an attempt without a response does not delay other attempts of its endpoint', async () => {
  await order();
  // More than one attempt is in flight after a first success only.
  await expectStatuses(['DELIVERY_STATUS_DELIVERED']);
  let isFirst = true;
  receiver.respond(() => {
    if (!isFirst) return 204;
    isFirst = false;
    return 'never';
  });
  await order();
  await awaitReceived(receiver, 2);
  const later = await Promise.all(Array.from({ length: 12 }, order));
  await expectEventually(() => expect(ordersOf(receiver)).toEqual(expect.arrayContaining(later)), {
    withinMs: 10_000,
  });
  // It is still in flight: none of them waited for its end. Their results are stored a moment later than they arrive.
  const isStill = async () => {
    const pending = { statuses: ['DELIVERY_STATUS_PENDING'] };
    const { deliveries } = await webhooks.deliveries(ownerOf(application), pending);
    expect(deliveries.map(({ attempts }) => attempts)).toEqual([0]);
  };
  await expectEventually(isStill, { withinMs: 5_000 });
});

test('two webhook-services share the work: every event arrives once', async () => {
  const attempts = () =>
    Promise.all(
      platform.webhooks.map(
        async (service) => (await metricOf(service, 'webhook_attempt_duration_seconds_count')) ?? 0,
      ),
    );
  const before = await attempts();
  const ids: string[] = [];
  for (let i = 0; i < 3; i++) ids.push(...(await Promise.all(Array.from({ length: 40 }, order))));
  // A replica may win every turn at the endpoint for a while.
  await expectEventually(
    async () => {
      ids.push(await order());
      const after = await attempts();
      expect(after.map((count, index) => count > (before[index] ?? 0))).toEqual([true, true]);
    },
    { withinMs: 5_000 },
  );
  await awaitReceived(receiver, ids.length, 10_000);
  await expectEventually(
    async () => expect(new Set(await statuses())).toEqual(new Set(['DELIVERY_STATUS_DELIVERED'])),
    { withinMs: 5_000 },
  );
  expect(ordersOf(receiver).sort()).toEqual(ids.sort());
});
