import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { expectEventually } from '../harness/expect-eventually.ts';
import { logLines } from '../harness/log-lines.ts';
import { call } from '../harness/patience.ts';
import { startPlatform } from '../harness/platform.ts';
import { running } from '../harness/running.ts';
import { startWebhookReceiver, verified, type WebhookReceiver } from '../harness/webhook-receiver.ts';
import { awaitReceived, connectWebhooks, makeOrder } from '../harness/webhooks.ts';

/* The encryption keys of webhook-service are replaced as docs/operations/rotate-secrets.md says. */

const platform = running(() => startPlatform({ webhooks: 1 }));
const webhooks = running(() => connectWebhooks(platform));
let receiver: WebhookReceiver;
beforeEach(async () => {
  receiver = await startWebhookReceiver();
});
afterEach(() => receiver.close());

const rounds = () =>
  platform.webhooks.map(
    (service) => logLines(service).filter(({ msg }) => msg === 'secrets of endpoints looked through').length,
  );

/** Restarts webhook-service with these keys, until it has looked through all secrets. */
async function restart(...keys: readonly string[]): Promise<void> {
  await Promise.all(platform.webhooks.map((service) => service.stop()));
  const before = rounds();
  const env = { ENCRYPTION_KEYS: keys.join(',') };
  await Promise.all(platform.webhooks.map((service) => service.start(env)));
  await expectEventually(
    () => expect(rounds().every((count, index) => count > (before[index] ?? 0))).toBe(true),
    { withinMs: 5_000 },
  );
}

test('once the new key was used, endpoints sign without the old one', async () => {
  const owner = { businessId: await platform.createVerifiedBusiness('shop'), applicationId: '' };
  const { keyString: key } = await platform.createKey({ businessId: owner.businessId });
  const { id: endpointId, secret } = await webhooks.createEndpoint(owner, receiver.url, ['order.created']);
  const { webhookEncryptionKey: old } = platform.secrets;
  const next = randomBytes(32).toString('base64');
  await restart(old, next);
  await restart(next, old);
  await restart(next);
  const revealed = await webhooks.endpointRpc.RevealSecret({ owner, endpointId }, call);
  expect(revealed.secret).toBe(secret);
  await makeOrder(platform, key);
  await awaitReceived(receiver, 1);
  const [webhook] = receiver.received;
  expect(webhook && verified(secret, webhook)).toMatchObject({ type: 'order.created' });
});

test('an endpoint that no key opens can still be seen, disabled and deleted', async () => {
  const owner = { businessId: await platform.createVerifiedBusiness('shop'), applicationId: '' };
  const { id: endpointId } = await webhooks.createEndpoint(owner, receiver.url, ['order.created']);
  await restart(randomBytes(32).toString('base64'));
  const reference = { owner, endpointId };
  const list = async () => (await webhooks.endpointRpc.ListEndpoints({ owner }, call)).endpoints;
  expect(await list()).toMatchObject([{ id: endpointId, enabled: true }]);
  const { endpoint } = await webhooks.endpointRpc.DisableEndpoint(reference, call);
  expect(endpoint).toMatchObject({ id: endpointId, enabled: false });
  await webhooks.endpointRpc.DeleteEndpoint(reference, call);
  expect(await list()).toEqual([]);
});
