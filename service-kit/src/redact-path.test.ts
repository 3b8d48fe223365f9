import { expect, test } from '@jest/globals';
import { createCheckedToken } from './checked-token.ts';
import { redactPath } from './logger.ts';

const secret = createCheckedToken('sk');

const encoded = (text: string) =>
  [...text].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('');

test.each(['/v2/order', '/v2/order/ord_0123456789abcdef01234567', '/', '/caf%C3%A9/%2e', '*'])(
  '%s is kept as it is',
  (path) => {
    expect(redactPath(path)).toBe(path);
  },
);

test.each([
  ['a secret', `/v2/order/${secret}`, '/v2/order/sk_[redacted]'],
  ['a secret that is encoded', `/v2/${encoded(secret)}`, '/v2/sk_[redacted]'],
  [
    'a secret of which one character is encoded',
    `/v2/${secret.replace('_', '%5F')}/%2e`,
    '/v2/sk_[redacted]/.',
  ],
  ['a secret behind much else', `/${'x-'.repeat(80)}/${secret}`, `/${'x-'.repeat(80)}/sk_[redacted]`],
  ['a passport', '/eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJrZXlfMSJ9.c2lnbmF0dXJl-_x', '/jwt_[redacted]'],
  ['a secret without its prefix', `/v2/order/${secret.slice(3)}`, '/v2/order/[redacted]'],
  ['a secret without its end', `/v2/order/${secret.slice(0, -5)}`, '/v2/order/sk_[redacted]'],
])('%s is redacted', (_, path, kept) => {
  expect(redactPath(path)).toBe(kept);
});

test('what cannot be printed is not kept', () => {
  expect(redactPath('/\u0000\u00e9\u{1f600}/a')).toBe('/????/a');
});
