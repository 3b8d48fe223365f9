import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook, WebhookError } from './webhooks.ts';

const secret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
const other = `whsec_${Buffer.alloc(24, 2).toString('base64')}`;
const event = { id: 'evt_1', type: 'order.paid', data: { name: 'Zoë 東京' } };
const body = JSON.stringify(event);

const delivery = (at = Date.now(), signatures = [new Webhook(secret).sign('evt_1', new Date(at), body)]) => ({
  'webhook-id': 'evt_1',
  'webhook-timestamp': String(Math.floor(at / 1_000)),
  'webhook-signature': signatures.join(' '),
});

describe('a delivery is accepted', () => {
  test.each([
    ['text and an object', body, delivery()],
    ['bytes and Headers', new TextEncoder().encode(body), new Headers(delivery())],
  ])('as %s', async (_, payload, headers) => {
    expect(await verifyWebhook(payload, headers, secret)).toEqual(event);
  });

  test('with one of several secrets, and one of several signatures', async () => {
    const at = Date.now();
    const both = [other, secret].map((each) => new Webhook(each).sign('evt_1', new Date(at), body));
    expect(await verifyWebhook(body, delivery(at, ['v1a,AAAA', 'v1,?', ...both]), secret)).toEqual(event);
    expect(await verifyWebhook(body, delivery(), [other, secret])).toEqual(event);
  });

  test('with a public key, by its v1a signature', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
    const headers = delivery();
    const content = Buffer.from(`evt_1.${headers['webhook-timestamp']}.${body}`);
    const signature = `v1a,${sign(null, content, privateKey).toString('base64')}`;
    const key = `whpk_${raw.toString('base64')}`;
    const signed = { ...headers, 'webhook-signature': `${headers['webhook-signature']} ${signature}` };
    expect(await verifyWebhook(body, signed, key)).toEqual(event);
    await expect(verifyWebhook(`${body} `, signed, key)).rejects.toThrow('no signature is right');
  });
});

describe('a delivery is refused', () => {
  const now = Date.now();
  test.each<[string, string, Record<string, string>]>([
    ['another body', `${body} `, delivery(now)],
    ['another id', body, { ...delivery(now), 'webhook-id': 'evt_2' }],
    ['no header at all', body, {}],
    [
      'a signature of another version',
      body,
      delivery(now, [delivery(now)['webhook-signature'].replace('v1,', 'v2,')]),
    ],
    ['a signature that is no base64', body, delivery(now, ['v1,???', 'v1', ''])],
    ['a time that is older', body, delivery(now - 310_000)],
    ['a time that is ahead', body, delivery(now + 310_000)],
    ['a time that is no number', body, { ...delivery(now), 'webhook-timestamp': 'now' }],
  ])('with %s', async (_, payload, headers) => {
    await expect(verifyWebhook(payload, headers, secret)).rejects.toBeInstanceOf(WebhookError);
  });

  test('with another secret, and with one that is none', async () => {
    await expect(verifyWebhook(body, delivery(), other)).rejects.toThrow('no signature is right');
    await expect(verifyWebhook(body, delivery(), [])).rejects.toThrow('no signature is right');
    await expect(verifyWebhook(body, delivery(), 'secret')).rejects.toThrow('a secret begins with');
  });

  test('outside of its tolerance only', async () => {
    const headers = delivery(Date.now() - 310_000);
    expect(await verifyWebhook(body, headers, secret, { toleranceMs: 400_000 })).toEqual(event);
  });
});
