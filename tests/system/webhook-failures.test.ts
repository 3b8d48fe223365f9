import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { call } from '../harness/applications.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { query } from '../harness/postgres.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';
import { awaitReceived, connectWebhooks, makeOrder, type Webhooks } from '../harness/webhooks.ts';

/* When failures of an endpoint count as five days of failures only, and disable it. */

let platform: Platform;
let webhooks: Webhooks;
beforeAll(async () => {
  platform = await startPlatform({ webhooks: 1 });
  webhooks = connectWebhooks(platform);
});
afterAll(async () => {
  webhooks.close();
  await platform.close();
});

let receiver: WebhookReceiver;
let owner: { readonly businessId: number; readonly applicationId: string };
let key: string;
let reference: { readonly owner: typeof owner; readonly endpointId: string };
beforeEach(async () => {
  receiver = await startWebhookReceiver();
  receiver.respond(() => 503);
  owner = { businessId: await platform.createVerifiedBusiness('shop'), applicationId: '' };
  ({ keyString: key } = await platform.createKey({ businessId: owner.businessId }));
  const { id } = await webhooks.createEndpoint(owner, receiver.url, ['order.created']);
  reference = { owner, endpointId: id };
});
afterEach(async () => {
  await webhooks.endpointRpc.DeleteEndpoint(reference, call);
  await receiver.close();
});

const sql = (text: string, ...values: unknown[]) =>
  query<Record<string, unknown>>(platform.databases.webhook ?? '', text, values);

/** Makes it one that has failed for more than five days. */
const hasFailed = () =>
  sql(
    `UPDATE endpoints SET failing_since = now() - interval '121 hours' WHERE id = $1`,
    reference.endpointId,
  );

/** The endpoint once the result of an attempt for a new order is stored. */
async function afterNextAttempt(at = receiver) {
  const before = at.received.length;
  await makeOrder(platform, key);
  await awaitReceived(at, before + 1);
  return expectEventually(
    async () => {
      const [delivery] = (await webhooks.deliveries(owner)).deliveries;
      expect(delivery?.attempts).toBeGreaterThan(0);
      return (await webhooks.endpointRpc.GetEndpoint(reference, call)).endpoint;
    },
    { withinMs: 5_000 },
  );
}

/** Milliseconds since 1970, for what has begun within this test. */
const recent = () => Date.now() - 600_000;

describe('an endpoint that only fails', () => {
  test('for five days is disabled', async () => {
    await hasFailed();
    expect(await afterNextAttempt()).toMatchObject({
      enabled: false,
      disabledReason: 'DISABLED_REASON_FAILING',
    });
    const { endpoint } = await webhooks.endpointRpc.EnableEndpoint(reference, call);
    expect(endpoint).toMatchObject({ enabled: true, failingSinceUnixMs: 0, pausedUntilUnixMs: 0 });
  });

  test('and succeeds once before stays enabled', async () => {
    await hasFailed();
    receiver.respond(() => 204);
    const endpoint = await afterNextAttempt();
    expect(endpoint).toMatchObject({ enabled: true, failingSinceUnixMs: 0 });
    expect(endpoint?.lastSuccessAtUnixMs).toBeGreaterThan(recent());
  });

  test('begins anew at a new URL, as one that has not succeeded yet', async () => {
    await hasFailed();
    await sql('UPDATE endpoints SET last_success_at = now() WHERE id = $1', reference.endpointId);
    const next = await startWebhookReceiver();
    next.respond(() => 503);
    const update = { ...reference, url: next.url, updateMask: { paths: ['url'] } };
    const { endpoint: moved } = await webhooks.endpointRpc.UpdateEndpoint(update, call);
    expect(moved).toMatchObject({ failingSinceUnixMs: 0, lastSuccessAtUnixMs: 0 });
    const endpoint = await afterNextAttempt(next);
    expect(endpoint).toMatchObject({ enabled: true, pending: 1 });
    expect(endpoint?.failingSinceUnixMs).toBeGreaterThan(recent());
    await next.close();
  });
});
