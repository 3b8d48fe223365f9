import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { expectEventually } from '../harness/expect-eventually.ts';
import { request } from '../harness/http-request.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { startPostgres, type TestPostgres } from '../harness/postgres.ts';
import type { TestService } from '../harness/service.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';
import { awaitReceived, connectWebhooks, makeOrder, ordersOf, type Webhooks } from '../harness/webhooks.ts';

/*
 * Promise: an event that is committed is delivered or shown as failed, never lost: through the end of webhook-service at
 * every step, of PostgreSQL and of the services that it calls.
 */

let postgres: TestPostgres;
let platform: Platform;
let webhooks: Webhooks;
let key: string;
beforeAll(async () => {
  // A crash must keep what was committed.
  postgres = await startPostgres({ fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' });
  platform = await startPlatform({ webhooks: 2, createDatabase: postgres.createDatabase });
  webhooks = connectWebhooks(platform);
}, 60_000);
afterAll(async () => {
  webhooks.close();
  await platform.close();
  await postgres.close();
});

let receiver: WebhookReceiver;
let owner: { readonly businessId: number; readonly applicationId: string };
/** A business of the test's own with an endpoint. */
beforeEach(async () => {
  receiver = await startWebhookReceiver();
  owner = { businessId: await platform.createVerifiedBusiness('shop'), applicationId: '' };
  ({ keyString: key } = await platform.createKey({ businessId: owner.businessId }));
  await webhooks.createEndpoint(owner, receiver.url, ['order.created']);
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
const orders = (count: number) => Promise.all(Array.from({ length: count }, () => makeOrder(platform, key)));
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

test('both webhook-services killed while attempts are in flight lose nothing', async () => {
  const first = await orders(1);
  await expectDelivered(first);
  receiver.respond(() => 'never');
  const ids = [...first, ...(await orders(12))];
  await awaitReceived(receiver, 6);
  await onAll((service) => service.kill());
  receiver.respond(() => 204);
  await onAll((service) => service.start());
  await expectDelivered(ids);
});

test('a webhook-service killed after a receiver has its event and before that is stored sends it again', async () => {
  let killed: Promise<unknown> | undefined;
  receiver.respond(() => {
    killed ??= onAll((service) => service.kill());
    return 204;
  });
  const ids = await orders(3);
  await expectEventually(() => expect(killed).toBeDefined(), { withinMs: 5_000 });
  await killed;
  await onAll((service) => service.start());
  await expectDelivered(ids);
});

test('webhook-services killed at any moment lose nothing', async () => {
  const ids: string[] = [];
  for (let round = 0; round < 4; round++) {
    const victim = platform.webhooks[round % 2];
    const arrived = receiver.received.length;
    const made = orders(4);
    // Somewhere else in each round, between the commit of the orders and the last result.
    if (round > 0) await Promise.race([awaitReceived(receiver, arrived + round), made]);
    await victim?.kill();
    ids.push(...(await made));
    await victim?.start();
  }
  await expectDelivered(ids);
}, 120_000);

test('events of an outage of every webhook-service arrive afterwards, once identity-service is there', async () => {
  await onAll((service) => service.kill());
  const ids = await orders(20);
  const [identity] = platform.identities;
  await identity?.kill();
  await onAll((service) => service.start());
  await onAll(untilReady);
  expect(receiver.received).toEqual([]);
  await identity?.start();
  await expectDelivered(ids);
  expect(receiver.received).toHaveLength(ids.length);
});

test('a webhook-service that starts while business-service is down reads the feed when it is back', async () => {
  const [business] = platform.businesses;
  await onAll((service) => service.kill());
  const ids = await orders(3);
  await business?.kill();
  await onAll((service) => service.start());
  await business?.start();
  await expectDelivered(ids);
});

test('PostgreSQL killed while attempts are in flight loses nothing', async () => {
  let isDown = false;
  receiver.respond(async () => {
    if (!isDown) {
      isDown = true;
      await postgres.kill();
      await postgres.start();
    }
    return 204;
  });
  const ids = await orders(1);
  await expectEventually(() => expect(isDown).toBe(true), { withinMs: 5_000 });
  await expectEventually(async () => void ids.push(await makeOrder(platform, key)), { withinMs: 10_000 });
  await expectDelivered(ids);
});

test('a frozen webhook-service holds deliveries up for seconds, and the other one sends them', async () => {
  const [first] = platform.webhooks;
  const before = await orders(1);
  await expectDelivered(before);
  receiver.respond(() => 'never');
  const early = [...before, ...(await orders(6))];
  await awaitReceived(receiver, 6);
  first?.freeze();
  receiver.respond(() => 204);
  const late = await orders(4);
  await expectEventually(
    () => {
      const arrived = new Set(ordersOf(receiver));
      expect([...early, ...late].filter((id) => !arrived.has(id))).toEqual([]);
    },
    { withinMs: 30_000 },
  );
  first?.thaw();
  await expectDelivered([...early, ...late]);
});
