import { expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { createSecret, isSecret, sign } from './forward.ts';

test('a library of receivers accepts the signature', () => {
  const secret = createSecret();
  const seconds = Math.floor(Date.now() / 1_000);
  const body = '{"type":"order.paid"}';
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(seconds),
    'webhook-signature': sign(secret, 'evt_1', seconds, body),
  };
  expect(new Webhook(secret).verify(body, headers)).toEqual({ type: 'order.paid' });
  expect(() => new Webhook(createSecret()).verify(body, headers)).toThrow('No matching signature');
});

test.each([
  [createSecret(), true],
  [`whsec_${Buffer.alloc(24).toString('base64')}`, true],
  [`whsec_${Buffer.alloc(23).toString('base64')}`, false],
  [`whsec_${Buffer.alloc(65).toString('base64')}`, false],
  [Buffer.alloc(32).toString('base64'), false],
  ['whsec_not base64, but long enough for it', false],
])('whether %s is a secret: %s', (text, expected) => expect(isSecret(text)).toBe(expected));
