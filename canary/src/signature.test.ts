import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { readSecret, signatureError } from './signature.ts';

const text = `whsec_${randomBytes(32).toString('base64')}`;
const secret = readSecret(text) ?? Buffer.alloc(0);
const body = Buffer.from('{"type":"order.updated"}');
const sentAt = 1_795_253_460;

function headersOf(signedBody = body) {
  const signature = new Webhook(text).sign('evt_1', new Date(sentAt * 1000), signedBody.toString());
  return { 'webhook-id': 'evt_1', 'webhook-timestamp': String(sentAt), 'webhook-signature': signature };
}

test('a Standard Webhooks signature is accepted, also among several signatures', () => {
  expect(signatureError(secret, headersOf(), body, sentAt + 299)).toBeUndefined();
  const several = {
    ...headersOf(),
    'webhook-signature': `v1a,AAAA v1,AAAA ${headersOf()['webhook-signature']}`,
  };
  expect(signatureError(secret, several, body, sentAt)).toBeUndefined();
});

test('a signature of another body, secret, id or version is rejected', () => {
  const wrong = 'with a wrong signature';
  expect(signatureError(secret, headersOf(Buffer.from('{}')), body, sentAt)).toBe(wrong);
  expect(signatureError(Buffer.alloc(32), headersOf(), body, sentAt)).toBe(wrong);
  expect(signatureError(secret, { ...headersOf(), 'webhook-id': 'evt_2' }, body, sentAt)).toBe(wrong);
  const asymmetric = headersOf()['webhook-signature'].replace('v1,', 'v1a,');
  expect(signatureError(secret, { ...headersOf(), 'webhook-signature': asymmetric }, body, sentAt)).toBe(
    wrong,
  );
});

test('a missing header and a timestamp more than five minutes away are rejected', () => {
  for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
    expect(signatureError(secret, { ...headersOf(), [name]: undefined }, body, sentAt)).toBe(
      'without a signature',
    );
  }
  for (const now of [sentAt + 301, sentAt - 301]) {
    expect(signatureError(secret, headersOf(), body, now)).toBe('with a wrong time');
  }
  const noTime = { ...headersOf(), 'webhook-timestamp': 'now' };
  expect(signatureError(secret, noTime, body, sentAt)).toBe('with a wrong time');
});

test('a secret is whsec_ followed by at least 24 bytes in base64', () => {
  expect(readSecret(text)).toHaveLength(32);
  expect(['', 'whsec_', 'whsec_AAAA', text.slice(6)].map(readSecret)).toEqual(Array(4).fill(undefined));
});
