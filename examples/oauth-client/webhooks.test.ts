import { expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { renderEvent } from './page.ts';
import { createWebhookInbox } from './webhooks.ts';

const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;

function deliveryOf(id: string, by = secret, at = new Date()) {
  const body = JSON.stringify({
    id,
    type: 'order.paid',
    business: 'biz_1',
    sequence: 2,
    data: { name: 'Zoë <b>' },
  });
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(by).sign(id, at, body),
  };
  return [Buffer.from(body), headers] as const;
}

test('a delivery is taken once, and watchers see it', async () => {
  const inbox = createWebhookInbox(secret);
  const seen: string[] = [];
  const end = inbox.watch(({ id }) => seen.push(id));
  await inbox.receive(...deliveryOf('evt_1'));
  await inbox.receive(...deliveryOf('evt_1'));
  end();
  await inbox.receive(...deliveryOf('evt_2'));
  expect(seen).toEqual(['evt_1']);
  expect(inbox.events().map(({ id }) => id)).toEqual(['evt_1', 'evt_2']);
});

test('a delivery with another signature or an old timestamp is not taken', async () => {
  const inbox = createWebhookInbox(secret);
  const other = `whsec_${Buffer.alloc(32, 4).toString('base64')}`;
  await expect(inbox.receive(...deliveryOf('evt_1', other))).rejects.toThrow('no signature is right');
  const stale = deliveryOf('evt_1', secret, new Date(Date.now() - 400_000));
  await expect(inbox.receive(...stale)).rejects.toThrow('too old');
  expect(inbox.events()).toEqual([]);
});

test('the last 50 events are shown, as text', async () => {
  const inbox = createWebhookInbox(secret);
  for (let i = 0; i < 60; i++) await inbox.receive(...deliveryOf(`evt_${i}`));
  expect(inbox.events()).toHaveLength(50);
  const html = inbox.events().map(renderEvent).join('');
  expect(html).toContain('Zoë &#60;b&#62;');
  expect(html).not.toContain('<b>');
});
