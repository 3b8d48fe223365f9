import { createPublicKey, verify } from 'node:crypto';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { createSecret, publicKeyOf, readSigningKey, signatureHeaders } from './secret.ts';

const nowSeconds = () => Math.floor(Date.now() / 1000);

/** Verifies `v1a` as a receiver does that knows the public key alone. */
function verifiesAsymmetric(publicKey: string, headers: Record<string, string>, body: Buffer): boolean {
  const x = Buffer.from(publicKey.replace('whpk_', ''), 'base64').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const content = Buffer.concat([
    Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`),
    body,
  ]);
  return (headers['webhook-signature'] ?? '')
    .split(' ')
    .filter((signature) => signature.startsWith('v1a,'))
    .some((signature) => verify(null, content, key, Buffer.from(signature.slice(4), 'base64')));
}

const text = fc.string({ unit: 'grapheme', maxLength: 300 });

test('standardwebhooks and svix verify each signature on the raw bytes, and reject that of another secret', () => {
  fc.assert(
    fc.property(text, (data) => {
      const [secret, other] = [createSecret('whsec'), createSecret('whsec')];
      const keys = [readSigningKey(secret), readSigningKey(createSecret('whsk'))] as const;
      const body = JSON.stringify({ data, name: 'Zoë 東京 🧾' });
      const headers = { ...signatureHeaders(keys, 'evt_1', nowSeconds(), body) };
      const raw = Buffer.from(body);
      expect(new Webhook(secret).verify(raw, headers)).toEqual(JSON.parse(body));
      new SvixWebhook(secret).verify(raw, headers);
      expect(() => new SvixWebhook(other).verify(raw, headers)).toThrow('No matching signature');
      expect(() => new Webhook(other).verify(raw, headers)).toThrow('No matching signature');
      expect(() => new Webhook(secret).verify(Buffer.from(`${body} `), headers)).toThrow('No matching');
    }),
    { numRuns: 50 },
  );
});

test('the public key verifies the v1a signature of the signed content only', () => {
  const secret = createSecret('whsk');
  const headers = signatureHeaders([readSigningKey(secret)], 'evt_1', nowSeconds(), '{"é":1}');
  expect(publicKeyOf(secret)).toMatch(/^whpk_[A-Za-z0-9+/]{43}=$/);
  expect(verifiesAsymmetric(publicKeyOf(secret), headers, Buffer.from('{"é":1}'))).toBe(true);
  expect(verifiesAsymmetric(publicKeyOf(secret), headers, Buffer.from('{"é":2}'))).toBe(false);
  expect(verifiesAsymmetric(publicKeyOf(createSecret('whsk')), headers, Buffer.from('{"é":1}'))).toBe(false);
});

test('the reference vector of v1a is reproduced to the byte', () => {
  // svix-server, test_asymmetric_key_signing; the standard quotes its signature.
  const secret =
    'whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6Kvg==';
  expect(publicKeyOf(secret)).toBe('whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=');
  const body = '{"test": 2432232314}';
  expect(
    signatureHeaders([readSigningKey(secret)], 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1_614_265_330, body),
  ).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature':
      'v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==',
  });
});

test('a body with a lone surrogate is signed as it is sent', () => {
  const secret = createSecret('whsec');
  const body = '{"name":"\ud800"}';
  const headers = { ...signatureHeaders([readSigningKey(secret)], 'evt_1', nowSeconds(), body) };
  expect(new Webhook(secret).verify(Buffer.from(body), headers)).toBeDefined();
});

test('new secrets differ and have 32 random bytes', () => {
  const secrets = Array.from({ length: 20 }, () => createSecret('whsec'));
  expect(new Set(secrets).size).toBe(20);
  for (const secret of secrets) expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
});

test.each([
  'whsec_',
  'whsec_c2hvcnQ=',
  'whsec_%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%',
  `whsec_${Buffer.alloc(65).toString('base64')}`,
  'whsk_c2hvcnQ=',
  `whsk_${Buffer.alloc(64, 1).toString('base64')}`,
  'whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=',
  'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  '',
])('%j is no signing secret, and the error does not quote it', (secret) => {
  expect(() => readSigningKey(secret)).toThrow(RangeError);
  if (secret.length > 8) expect(() => readSigningKey(secret)).not.toThrow(secret);
});

test.each(['evt.1', '', 'evt_1\r\nx: y', 'evt 1', 'é'])('%j is no event id', (id) => {
  expect(() => signatureHeaders([readSigningKey(createSecret('whsec'))], id, 1, '{}')).toThrow(RangeError);
});

test.each([1.5, Number.NaN, Number.POSITIVE_INFINITY])('%p is no timestamp', (seconds) => {
  expect(() => signatureHeaders([readSigningKey(createSecret('whsec'))], 'evt_1', seconds, '{}')).toThrow(
    RangeError,
  );
});
