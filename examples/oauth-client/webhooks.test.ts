import { expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { WebhookInbox } from './webhooks.ts';

const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;

function deliveryOf(id: string, by = secret, at = new Date()) {
  const data = { id: `ord_${id}` };
  const body = JSON.stringify({ id, type: 'order.paid', business: 'biz_1', sequence: 2, data });
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(by).sign(id, at, body),
  };
  return [Buffer.from(body), headers] as const;
}

const soonMs = 20;

test('an event is found whether it came before or comes later, and a repeated delivery is taken once', async () => {
  const inbox = new WebhookInbox(secret);
  const seen: string[] = [];
  const later = inbox.next(({ id }) => seen.push(id) > 0 && id === 'evt_2', 5_000);
  await inbox.receive(...deliveryOf('evt_1'));
  await inbox.receive(...deliveryOf('evt_1'));
  await inbox.receive(...deliveryOf('evt_2'));
  expect(await later).toMatchObject({ id: 'evt_2', data: { id: 'ord_evt_2' } });
  expect(seen).toEqual(['evt_1', 'evt_2']);
  expect(await inbox.next(({ id }) => id === 'evt_1', 5_000)).toMatchObject({ id: 'evt_1' });
  expect(await inbox.next(({ id }) => id === 'evt_3', soonMs)).toBeUndefined();
});

test('a delivery with another signature or an old timestamp is not taken', async () => {
  const inbox = new WebhookInbox(secret);
  const other = `whsec_${Buffer.alloc(32, 4).toString('base64')}`;
  await expect(inbox.receive(...deliveryOf('evt_1', other))).rejects.toThrow('no signature is right');
  const stale = deliveryOf('evt_1', secret, new Date(Date.now() - 400_000));
  await expect(inbox.receive(...stale)).rejects.toThrow('too old');
  expect(await inbox.next(() => true, soonMs)).toBeUndefined();
});
