import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { orderBody } from '../harness/business-platform.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { examineReceiver, type GuideReceiver, prepareReceiver, sound } from '../harness/guide-receivers.ts';
import type { Platform } from '../harness/platform.ts';
import { rawRequest } from '../harness/raw-request.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';
import { awaitReceived, connectWebhooks, type Webhooks } from '../harness/webhooks.ts';

/*
 * The receivers of the guide "Receive webhooks", as programs, and the libraries that it names: against deliveries of the
 * platform and requests of strangers.
 */

const sections = ['Express', 'Next.js', 'Node.js without packages', 'Python'];

let platform: Platform;
let webhooks: Webhooks;
let plain: WebhookReceiver;
let plainSecret: string;
const receivers = new Map<string, { readonly receiver: GuideReceiver; readonly secret: string }>();
/** Order whose event every receiver gets. */
let order: string;

beforeAll(async () => {
  platform = await sharedPlatform();
  webhooks = connectWebhooks(platform);
  plain = await startWebhookReceiver();
  const owner = { businessId: platform.businessId, applicationId: '' };
  ({ secret: plainSecret } = await webhooks.createEndpoint(owner, plain.url, ['order.created']));
  for (const section of sections) {
    const receiver = await prepareReceiver(section);
    const { secret } = await webhooks.createEndpoint(owner, receiver.url, ['order.created']);
    receivers.set(section, { receiver, secret });
    await receiver.start(secret);
  }
  const { keyString: key } = await platform.createKey();
  const body = { ...orderBody, customer: { name: 'Zoë 東京 🧾' } };
  const { status, json } = await platform.request(0, 'POST', '/v2/order', { key, body });
  expect(status).toBe(201);
  ({ id: order } = json() as { id: string });
});
afterAll(async () => {
  for (const { receiver } of receivers.values()) await receiver.stop();
  await plain.close();
  webhooks.close();
  await platform.close();
});

const of = (section: string) => {
  const found = receivers.get(section);
  if (found === undefined) throw new Error(`no receiver ${section}`);
  return found;
};

describe.each(sections)('the receiver for %s', (section) => {
  test('accepts a delivery', async () => {
    const { receiver } = of(section);
    await expectEventually(() => expect(receiver.handled()).toContain(`order.created ${order}`), {
      withinMs: 10_000,
    });
  });

  test('refuses invalid deliveries, and handles each event once', async () => {
    const { receiver, secret } = of(section);
    expect(await examineReceiver(receiver, secret)).toEqual(sound);
  });
});

test.each(['Express', 'Node.js without packages'])(
  'the receiver for %s buffers at most 64 kB',
  async (section) => {
    const { receiver } = of(section);
    expect(await receiver.post({}, ' '.repeat(65_537))).toMatchObject({ status: 413 });
    expect(await receiver.post({}, ' '.repeat(65_536))).toMatchObject({ status: 400 });
  },
);

test.each([65_537, -1])('the receiver for Python reads no body of %i bytes', async (length) => {
  const head = `POST /hook HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;
  const { port } = new URL(of('Python').receiver.url);
  expect(await rawRequest(Number(port), head)).toMatchObject({ statuses: [413] });
});

test.each([
  ['standardwebhooks', (secret: string) => new Webhook(secret)],
  ['svix', (secret: string) => new SvixWebhook(secret)],
] as const)('%s verifies a delivery, and rejects any other bytes', async (_, create) => {
  await awaitReceived(plain, 1);
  const [delivery] = plain.received;
  if (delivery === undefined) throw new Error('nothing arrived');
  const { body, headers, event } = delivery;
  expect(event).toMatchObject({ data: { id: order, customer: { name: 'Zoë 東京 🧾' } } });
  const verify = (secret: string, text: string) => () =>
    create(secret).verify(Buffer.from(text), { ...headers });
  expect(verify(plainSecret, body)).not.toThrow();
  expect(verify(plainSecret, body.replace('Zoë', 'Zoe'))).toThrow('No matching signature');
  expect(verify(of('Express').secret, body)).toThrow('No matching signature');
});
