import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { adminJsonOn, adminOn } from '../harness/admin.ts';
import { eventsOf } from '../harness/audit-events.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';
import { awaitReceived, connectWebhooks, makeOrder, ordersOf, type Webhooks } from '../harness/webhooks.ts';

/* npm run admin -- webhooks: what operators see of endpoints, and how they stop and repeat deliveries. */

let platform: Platform;
let webhooks: Webhooks;
let key: string;
beforeAll(async () => {
  platform = await startPlatform({ webhooks: 1 });
  webhooks = connectWebhooks(platform);
  ({ keyString: key } = await platform.createKey());
});
afterAll(async () => {
  await Promise.all(receivers.map(({ close }) => close()));
  webhooks.close();
  await platform.close();
});

const receivers: WebhookReceiver[] = [];

/** A receiver and an endpoint of its own, and the options that name it. */
async function openEndpoint() {
  const receiver = await startWebhookReceiver();
  receivers.push(receiver);
  const owner = { businessId: platform.businessId, applicationId: '' };
  const { id } = await webhooks.createEndpoint(owner, receiver.url, ['order.created']);
  return { receiver, id, which: ['--business', String(platform.businessId), '--endpoint', id] };
}

const admin = (...args: string[]) => adminOn(platform, 'webhooks', ...args);
const adminJson = (...args: string[]) => adminJsonOn(platform, 'webhooks', ...args);

test('an endpoint is listed, shown, paused and resumed, and its missed events are sent again', async () => {
  const { receiver, id: endpointId, which } = await openEndpoint();
  const listed = await adminJson('list', '--business', String(platform.businessId));
  expect(listed).toMatchObject([{ id: endpointId, url: receiver.url, enabled: true, lastSuccessAt: null }]);

  expect(await adminJson('pause', ...which)).toMatchObject({ enabled: false, disabledReason: 'owner' });
  const order = await makeOrder(platform, key);
  await expectEventually(
    async () => {
      const { deliveries } = await adminJson('show', ...which);
      expect(deliveries).toMatchObject([{ type: 'order.created', status: 'skipped', attempts: 0 }]);
    },
    { withinMs: 10_000, everyMs: 200 },
  );
  expect(receiver.received).toEqual([]);

  expect(await adminJson('resume', ...which)).toMatchObject({ enabled: true, recoverable: 1 });
  expect(await adminJson('replay', ...which, '--since', '1h')).toMatchObject({ deliveries: 1 });
  await awaitReceived(receiver, 1);
  expect(ordersOf(receiver)).toEqual([order]);
  expect(await eventsOf(platform, endpointId)).toMatchObject([
    { action: 'webhook_endpoint.disabled', actor_kind: 'operator' },
    { action: 'webhook_endpoint.enabled', actor_kind: 'operator' },
    { action: 'webhook_endpoint.recovered', actor_kind: 'operator' },
  ]);

  // The receiver knows of a delivery before it is recorded.
  await expectEventually(
    async () => {
      const table = await admin('list', '--business', String(platform.businessId));
      expect(table.out).toMatch(/^ID +STATE +PENDING .*\nwhe_\w+ +enabled +0 /);
    },
    { withinMs: 10_000, everyMs: 200 },
  );
  const shown = await admin('show', ...which);
  expect(shown.out).toMatch(/^id +whe_.*\n\nID +EVENT +TYPE .*\ndlv_\w+ +evt_\w+ +order\.created /s);
});

test('a drained backlog is skipped, later events are sent, and a replay sends the skipped ones', async () => {
  const { receiver, id, which } = await openEndpoint();
  receiver.respond(() => ({ status: 503, headers: { 'Retry-After': '3600' } }));
  const backlog = [await makeOrder(platform, key), await makeOrder(platform, key)];
  const waiting = { status: 'pending', attempts: 1 };
  await expectEventually(
    async () => expect(await adminJson('show', ...which)).toMatchObject({ deliveries: [waiting, waiting] }),
    { withinMs: 10_000, everyMs: 200 },
  );
  expect(await adminJson('drain', ...which)).toEqual({ endpoint: id, deliveries: 2 });
  expect(await adminJson('drain', ...which)).toMatchObject({ deliveries: 0 });

  receiver.respond(() => 204);
  const next = await makeOrder(platform, key);
  await awaitReceived(receiver, 3);
  expect(ordersOf(receiver).at(-1)).toEqual(next);
  const skipped = { status: 'skipped', attempts: 1 };
  expect(await adminJson('show', ...which)).toMatchObject({ deliveries: [{}, skipped, skipped] });

  expect(await adminJson('replay', ...which, '--since', '1h')).toMatchObject({ deliveries: 2 });
  await awaitReceived(receiver, 5);
  expect(ordersOf(receiver).slice(3).sort()).toEqual(backlog.sort());
  expect(await eventsOf(platform, id)).toMatchObject([
    { action: 'webhook_endpoint.drained', actor_kind: 'operator' },
    { action: 'webhook_endpoint.drained' },
    { action: 'webhook_endpoint.recovered', actor_kind: 'operator' },
  ]);
});

test.each([
  [
    'an unknown endpoint',
    ['show', '--business', '1', '--endpoint', `whe_${'0'.repeat(20)}`],
    1,
    'no such endpoint',
  ],
  ['no endpoint', ['pause', '--business', '1'], 2, '--endpoint'],
  [
    'a wrong time',
    ['replay', '--business', '1', '--endpoint', 'whe_1', '--since', 'monday'],
    2,
    '--since must be',
  ],
])('%s is an error', async (_, args, code, text) => {
  const run = await admin(...args);
  expect(run.code).toBe(code);
  expect(run.err).toContain(text);
});

test('a command without the address of webhook-service names the missing variable', async () => {
  const { code, err } = await adminOn({ ...platform, webhooks: [] }, 'webhooks', 'list', '--business', '1');
  expect([code, err]).toEqual([
    1,
    'error: WEBHOOK_GRPC_TARGET is not set: the address of webhook-service.\n',
  ]);
});
