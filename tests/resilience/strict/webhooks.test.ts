import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { expectEventually } from '../../harness/expect-eventually.ts';
import { holdTable } from '../../harness/hold-table.ts';
import { request } from '../../harness/http-request.ts';
import { metricOf } from '../../harness/metrics.ts';
import { call, strictDatabase } from '../../harness/patience.ts';
import { type Platform, startPlatform } from '../../harness/platform.ts';
import { query, startPostgres, type TestPostgres } from '../../harness/postgres.ts';
import type { TestService } from '../../harness/service.ts';
import { startTcpProxy, type TcpProxy } from '../../harness/tcp-proxy.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../harness/webhook-receiver.ts';
import {
  awaitReceived,
  connectWebhooks,
  makeOrder,
  ordersOf,
  type Webhooks,
} from '../../harness/webhooks.ts';

/*
 * Promise: an event that is committed is delivered or shown as failed, never lost: through outages of webhook-service, of
 * PostgreSQL and of the services that it calls. webhook-crashes.test.ts kills them at every step.
 */

/** Attempts in flight per endpoint. */
const maxInFlight = 5;

let postgres: TestPostgres;
let platform: Platform;
let webhooks: Webhooks;
let key: string;
let proxy: TcpProxy;
beforeAll(async () => {
  // A crash must keep what was committed. The machine goes on, so nothing has to reach its disk.
  postgres = await startPostgres({ synchronous_commit: 'on' });
  proxy = await startTcpProxy(postgres.port);
  const createDatabase = async () => {
    const url = new URL(await postgres.createDatabase());
    url.port = `${proxy.port}`;
    return url.href;
  };
  platform = await startPlatform({
    webhooks: 2,
    createDatabase,
    identityEnv: strictDatabase,
    businessEnv: strictDatabase,
    webhookEnv: strictDatabase,
  });
  webhooks = connectWebhooks(platform);
});
afterAll(async () => {
  webhooks.close();
  await platform.close();
  await proxy.close();
  await postgres.close();
});

let receiver: WebhookReceiver;
let owner: { readonly businessId: number; readonly applicationId: string };
let endpointId: string;
/** A business of the test's own with an endpoint. */
beforeEach(async () => {
  receiver = await startWebhookReceiver();
  owner = { businessId: await platform.createVerifiedBusiness('shop'), applicationId: '' };
  ({ keyString: key } = await platform.createKey({ businessId: owner.businessId }));
  ({ id: endpointId } = await webhooks.createEndpoint(owner, receiver.url, ['order.created']));
});
afterEach(async () => {
  await postgres.start();
  for (const service of [...platform.businesses, ...platform.identities, ...platform.webhooks]) {
    service.thaw();
    await service.start();
    await untilReady(service);
  }
  await receiver.close();
});

const untilReady = ({ ports }: TestService) =>
  expectEventually(async () => expect((await request(ports.ops ?? 0, 'GET', '/readyz')).status).toBe(200), {
    withinMs: 5_000,
  });
/** One after the other: orders of a business wait for each other, on a busy machine longer than these databases may. */
async function orders(count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push(await makeOrder(platform, key));
  return ids;
}
const onAll = (act: (service: TestService) => Promise<unknown>) => Promise.all(platform.webhooks.map(act));

/** Waits until every order has arrived, at least once, and its delivery is shown as delivered. */
async function expectDelivered(ids: readonly string[], withinMs = 20_000): Promise<void> {
  await expectEventually(
    async () => {
      const arrived = new Set(ordersOf(receiver));
      expect(ids.filter((id) => !arrived.has(id))).toEqual([]);
      const { deliveries } = await webhooks.deliveries(owner);
      expect(deliveries.filter(({ status }) => status !== 'DELIVERY_STATUS_DELIVERED')).toEqual([]);
      expect(deliveries).toHaveLength(ids.length);
    },
    { withinMs },
  );
}

test('events of an outage of every webhook-service arrive afterwards, once identity-service is there', async () => {
  await onAll((service) => service.kill());
  const ids = await orders(20);
  const [identity] = platform.identities;
  const [business] = platform.businesses;
  await Promise.all([identity?.kill(), business?.kill()]);
  await onAll((service) => service.start());
  await onAll(untilReady);
  await business?.start();
  expect(receiver.received).toEqual([]);
  await identity?.start();
  await expectDelivered(ids);
  expect(receiver.received).toHaveLength(ids.length);
});

test('a frozen webhook-service holds deliveries up for seconds, and the other one sends them', async () => {
  const [first, second] = platform.webhooks;
  // More than one attempt is in flight after a first success only.
  const [proof = ''] = await orders(1);
  await expectDelivered([proof]);
  await second?.kill();
  let respond = () => {};
  const isFrozen = new Promise<204>((resolve) => {
    respond = () => resolve(204);
  });
  receiver.respond(() => isFrozen);
  // They become due together, so that one claim takes all of them.
  const reference = { owner, endpointId };
  // The first call may meet the connection to the killed one.
  const disable = () => webhooks.endpointRpc.DisableEndpoint(reference, call);
  await expectEventually(disable, { withinMs: 5_000 });
  const early = await orders(12);
  await expectEventually(
    async () => {
      const skipped = await webhooks.deliveries(owner, { statuses: ['DELIVERY_STATUS_SKIPPED'] });
      expect(skipped.deliveries).toHaveLength(early.length);
    },
    { withinMs: 5_000 },
  );
  await webhooks.endpointRpc.EnableEndpoint(reference, call);
  await webhooks.deliveryRpc.RecoverDeliveries({ ...reference, sinceUnixMs: 0 }, call);
  await awaitReceived(receiver, 1 + maxInFlight);
  first?.freeze();
  respond();
  await second?.start();
  await expectDelivered([proof, ...early]);
  first?.thaw();
  await expectEventually(async () => expect(await metricOf(first, 'webhook_turns')).toBe(0), {
    withinMs: 5_000,
  });
  // What the first one had claimed and not sent, it leaves to the second one.
  expect(receiver.received).toHaveLength(1 + maxInFlight + early.length);
});

test('an endpoint that is disabled while its attempt waits for permission gets no request', async () => {
  await expectDelivered(await orders(1));
  const { webhook = '' } = platform.databases;
  const turn = async () =>
    (
      await query(webhook, 'SELECT turn, clock_timestamp() AS at FROM endpoints WHERE id = $1', [endpointId])
    )[0];
  for (const identity of platform.identities) identity.freeze();
  const [delivery] = (await webhooks.deliveries(owner)).deliveries;
  await webhooks.deliveryRpc.ResendDelivery({ owner, deliveryId: delivery?.id ?? '' }, call);
  let begun = await turn();
  // A claim of more than a second is not believed.
  await expectEventually(
    async () => {
      const now = await turn();
      if (now?.turn !== begun?.turn) begun = now;
      const held = await Promise.all(platform.webhooks.map((service) => metricOf(service, 'webhook_turns')));
      expect(held.reduce((sum = 0, count = 0) => sum + count)).toBe(1);
      expect(Number(now?.at) - Number(begun?.at)).toBeGreaterThan(1_000);
    },
    { withinMs: 5_000 },
  );
  await webhooks.endpointRpc.DisableEndpoint({ owner, endpointId }, call);
  for (const identity of platform.identities) identity.thaw();
  await expectEventually(
    async () => {
      const { deliveries } = await webhooks.deliveries(owner);
      expect(deliveries.map(({ status }) => status)).toEqual(['DELIVERY_STATUS_SKIPPED']);
    },
    { withinMs: 10_000 },
  );
  expect(receiver.received).toHaveLength(1);
});

test('a result waits for a database that cannot store it: the event is not sent again', async () => {
  const { webhook = '' } = platform.databases;
  const attempts = await holdTable(webhook, 'attempts');
  const ids = await orders(1);
  const tries = new Set<string>();
  await expectEventually(
    async () => {
      const held = `SELECT query_start::text FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE $1`;
      for (const row of await query(webhook, held, ['%WITH result AS%'])) tries.add(row.query_start);
      expect(tries.size).toBeGreaterThan(2);
    },
    { withinMs: 10_000 },
  );
  await attempts.release();
  await expectDelivered(ids);
  expect(receiver.received).toHaveLength(ids.length);
});

test('connections to PostgreSQL that fall silent are replaced, also those of the queue', async () => {
  const ids = await orders(1);
  await expectDelivered(ids);
  expect(proxy.silence()).toBeGreaterThan(5);
  await expectEventually(async () => void ids.push(await makeOrder(platform, key)), { withinMs: 12_000 });
  await expectDelivered(ids);
});
