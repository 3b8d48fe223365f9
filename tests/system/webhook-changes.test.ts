import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { expectEventually } from '../harness/expect-eventually.ts';
import { holdTable } from '../harness/hold-table.ts';
import { attemptPatience, call } from '../harness/patience.ts';
import { startPlatform } from '../harness/platform.ts';
import { query } from '../harness/postgres.ts';
import { running } from '../harness/running.ts';
import {
  type Reply,
  startWebhookReceiver,
  verified,
  type WebhookReceiver,
} from '../harness/webhook-receiver.ts';
import { awaitReceived, connectWebhooks, makeOrder } from '../harness/webhooks.ts';

/* Changes of an endpoint at the same time as others, and while attempts to it are in flight. */

const platform = running(() => startPlatform({ webhooks: 1, webhookEnv: attemptPatience }));
const webhooks = running(() => connectWebhooks(platform));

let receiver: WebhookReceiver;
let owner: { readonly businessId: number; readonly applicationId: string };
let key: string;
let secret: string;
let reference: { readonly owner: typeof owner; readonly endpointId: string };
beforeEach(async () => {
  receiver = await startWebhookReceiver();
  owner = { businessId: await platform.createVerifiedBusiness('shop'), applicationId: '' };
  ({ keyString: key } = await platform.createKey({ businessId: owner.businessId }));
  const created = await webhooks.createEndpoint(owner, receiver.url, ['order.created']);
  reference = { owner, endpointId: created.id };
  secret = created.secret;
});
afterEach(async () => {
  await webhooks.endpointRpc.DeleteEndpoint(reference, call);
  await receiver.close();
});

const order = () => makeOrder(platform, key);
const database = () => platform.databases.webhook ?? '';
const found = async () => (await webhooks.endpointRpc.GetEndpoint(reference, call)).endpoint;
/** States and attempts of the deliveries, newest first. */
const deliveries = async () =>
  (await webhooks.deliveries(owner)).deliveries.map(({ status, attempts }) => [status, attempts]);
const becomes = (expected: readonly (readonly [string, number])[]) =>
  expectEventually(async () => expect(await deliveries()).toEqual(expected), { withinMs: 5_000 });

/** A receiver that responds when the returned function is called. */
function hangs(): (reply: Reply) => void {
  const { promise, resolve } = Promise.withResolvers<Reply>();
  receiver.respond(() => promise);
  return resolve;
}

describe('rotations of a signing secret at the same time', () => {
  const rotate = (endOld: boolean) => webhooks.endpointRpc.RotateSecret({ ...reference, endOld }, call);

  /** Results of rotations that have all read the secrets before the first one writes. */
  const rotations = async (...endsOld: readonly boolean[]) => {
    const held = await holdTable(database(), 'endpoints', 'writes');
    const results = Promise.allSettled(endsOld.map(rotate));
    await expectEventually(
      async () => expect(await held.waiting('UPDATE%sealed_secrets%')).toBe(endsOld.length),
      { withinMs: 2_000 },
    ).finally(held.release);
    return results;
  };
  const delivered = async () => {
    await order();
    await awaitReceived(receiver, 1);
    const [webhook] = receiver.received;
    if (webhook === undefined) throw new Error('nothing arrived');
    return webhook;
  };

  test('either return a secret that signs deliveries, or are refused', async () => {
    const results = await rotations(false, false);
    const secrets = results.flatMap((each) => (each.status === 'fulfilled' ? [each.value.secret] : []));
    const refusals = results.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    const webhook = await delivered();
    expect(secrets.length).toBeGreaterThan(0);
    for (const returned of secrets) verified(returned, webhook);
    for (const refusal of refusals) {
      expect(refusal).toMatchObject({ kind: 'conflict', reason: 'webhook_secret_changed' });
    }
  });

  test('do not restore a secret that one of them ended', async () => {
    const [ending] = await rotations(true, false);
    const webhook = await delivered();
    // Refused, the rotation has ended nothing, and its caller knows.
    if (ending?.status === 'fulfilled') expect(() => verified(secret, webhook)).toThrow('signature');
    else verified(secret, webhook);
  });
});

describe('an attempt in flight', () => {
  const ends: Readonly<Record<string, () => Promise<unknown>>> = {
    disabled: () => webhooks.endpointRpc.DisableEndpoint(reference, call),
    drained: () => webhooks.deliveryRpc.DrainDeliveries(reference, call),
  };

  test.each([
    ['disabled', 204, 'DELIVERED'],
    ['drained', 204, 'DELIVERED'],
    ['disabled', 500, 'SKIPPED'],
  ] as const)('keeps its result when the endpoint is %s: %i', async (end, reply, result) => {
    await order();
    // A turn looks for more while an attempt is in flight after a first success only.
    const first = ['DELIVERY_STATUS_DELIVERED', 1] as const;
    await becomes([first]);
    const respond = hangs();
    await order();
    await awaitReceived(receiver, 2);
    await ends[end]?.();
    await becomes([['DELIVERY_STATUS_SKIPPED', 0], first]);
    respond(reply);
    await becomes([[`DELIVERY_STATUS_${result}`, 1], first]);
    expect(receiver.received).toHaveLength(2);
  });

  test('does not end a delivery that is resent meanwhile', async () => {
    receiver.respond(() => 500);
    await order();
    await becomes([['DELIVERY_STATUS_PENDING', 1]]);
    const respond = hangs();
    // The last attempt of its schedule.
    await query(
      database(),
      'UPDATE deliveries SET round = 9, next_attempt_at = now() WHERE endpoint_id = $1',
      [reference.endpointId],
    );
    await awaitReceived(receiver, 2, 15_000);
    const [delivery] = (await webhooks.deliveries(owner)).deliveries;
    await webhooks.deliveryRpc.ResendDelivery({ owner, deliveryId: delivery?.id ?? '' }, call);
    receiver.respond(() => 204);
    respond(500);
    await becomes([['DELIVERY_STATUS_DELIVERED', 3]]);
  });

  test('or a retry is not skipped once the endpoint is enabled again', async () => {
    // Not in five seconds, which a busy machine may need until its end.
    receiver.respond(() => ({ status: 429, headers: { 'Retry-After': '3600' } }));
    await order();
    await becomes([['DELIVERY_STATUS_PENDING', 1]]);
    const held = await holdTable(database(), 'deliveries', 'writes');
    await webhooks.endpointRpc.DisableEndpoint(reference, call);
    await expectEventually(async () => expect(await held.waiting('%UPDATE deliveries%skipped%')).toBe(1), {
      withinMs: 2_000,
    });
    await webhooks.endpointRpc.EnableEndpoint(reference, call);
    receiver.respond(() => 204);
    await held.release();
    // Found due by one of the next looks.
    const now = 'UPDATE deliveries SET next_attempt_at = now() WHERE endpoint_id = $1';
    await query(database(), now, [reference.endpointId]);
    await becomes([['DELIVERY_STATUS_DELIVERED', 2]]);
  });
});

describe('an attempt to a URL that was replaced meanwhile', () => {
  test.each([503, 410])('does not pause or disable the endpoint, even with a %i', async (reply) => {
    // The circuit is half open: one more outage would pause the endpoint for minutes.
    await query(database(), 'UPDATE endpoints SET consecutive_outages = 8 WHERE id = $1', [
      reference.endpointId,
    ]);
    const respond = hangs();
    await order();
    await awaitReceived(receiver, 1);
    const next = await startWebhookReceiver();
    // The next attempt, in five seconds, changes nothing that is looked at before.
    const looked = Promise.withResolvers<Reply>();
    next.respond(() => looked.promise);
    const update = { ...reference, url: next.url, updateMask: { paths: ['url'] } };
    await webhooks.endpointRpc.UpdateEndpoint(update, call);
    respond(reply);
    await becomes([['DELIVERY_STATUS_PENDING', 1]]);
    expect(await found()).toMatchObject({ enabled: true, pausedUntilUnixMs: 0, failingSinceUnixMs: 0 });
    looked.resolve(204);
    await awaitReceived(next, 1, 10_000);
    await becomes([['DELIVERY_STATUS_DELIVERED', 2]]);
    await next.close();
  });
});
