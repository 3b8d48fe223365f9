import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { expectEventually } from '../harness/expect-eventually.ts';
import { call } from '../harness/patience.ts';
import { startPlatform } from '../harness/platform.ts';
import { query } from '../harness/postgres.ts';
import { running } from '../harness/running.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';
import { awaitReceived, connectWebhooks, makeOrder } from '../harness/webhooks.ts';

/* When failures of an endpoint count as five days of failures only, and disable it. */

const platform = running(() => startPlatform({ webhooks: 1, webhookEnv: { ENDPOINT_INTERVAL_MS: '200' } }));
const webhooks = running(() => connectWebhooks(platform));

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

/** Makes it one that has failed for more than five days, with the last failure so many hours ago. */
const hasFailed = (lastHoursAgo: number, id = reference.endpointId) =>
  sql(
    `UPDATE endpoints SET failing_since = now() - interval '121 hours',
       last_failure_at = now() - make_interval(hours => $2) WHERE id = $1`,
    id,
    lastHoursAgo,
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
  test('for five days is disabled, also when a day lies between two attempts', async () => {
    await hasFailed(27);
    expect(await afterNextAttempt()).toMatchObject({
      enabled: false,
      disabledReason: 'DISABLED_REASON_FAILING',
    });
    const { endpoint } = await webhooks.endpointRpc.EnableEndpoint(reference, call);
    expect(endpoint).toMatchObject({ enabled: true, failingSinceUnixMs: 0, pausedUntilUnixMs: 0 });
  });

  test('for five days but succeeds at the next attempt stays enabled', async () => {
    await hasFailed(1);
    receiver.respond(() => 204);
    const endpoint = await afterNextAttempt();
    expect(endpoint).toMatchObject({ enabled: true, failingSinceUnixMs: 0 });
    expect(endpoint?.lastSuccessAtUnixMs).toBeGreaterThan(recent());
  });

  test('starts a new period of failures after more than a day without attempts', async () => {
    await hasFailed(31);
    const endpoint = await afterNextAttempt();
    expect(endpoint).toMatchObject({ enabled: true, pending: 1 });
    expect(endpoint?.failingSinceUnixMs).toBeGreaterThan(recent());
  });

  test('starts a new period of failures at a new URL, and loses its last success', async () => {
    await hasFailed(1);
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

test('owners are not warned of failures that precede a day without attempts', async () => {
  const other = await webhooks.createEndpoint(owner, receiver.url, ['order.created']);
  const { endpointId } = reference;
  // Deliveries wait, and are not attempted.
  await sql(
    `UPDATE endpoints SET paused_until = now() + interval '1 hour' WHERE business_id = $1`,
    owner.businessId,
  );
  await makeOrder(platform, key);
  await hasFailed(31);
  await hasFailed(1, other.id);
  // Twice: the first endpoint would have had its turn between them.
  for (let round = 0; round < 2; round++) {
    await sql('UPDATE endpoints SET warned_step = 0 WHERE id = $1', other.id);
    const text = 'SELECT warned_step FROM endpoints WHERE id = $1';
    await expectEventually(async () => expect(await sql(text, other.id)).toEqual([{ warned_step: 2 }]), {
      withinMs: 10_000,
    });
  }
  expect(await sql('SELECT warned_step, warn_after FROM endpoints WHERE id = $1', endpointId)).toEqual([
    { warned_step: 0, warn_after: null },
  ]);
});
