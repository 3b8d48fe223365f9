import { describe, expect, test } from '@jest/globals';
import { createCheckedToken } from '../secrets/checked-token.ts';
import { AppError } from '../values/app-error.ts';
import { errorFields, redactPath, redactSecrets } from './logger.ts';

test('an error is logged with its kind, code and causes', () => {
  const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  const error = new AppError('unavailable', 'database_unavailable', 'the database is not available', cause);
  expect(errorFields(error)).toMatchObject({
    type: 'AppError',
    message: 'the database is not available',
    reason: 'database_unavailable',
    cause: { type: 'Error', message: 'refused', code: 'ECONNREFUSED' },
  });
});

test('properties that a driver attaches to an error are left out', () => {
  const error = Object.assign(new Error('lost'), { client: { password: 'hunter2hunter2' } });
  expect(JSON.stringify(errorFields(error))).not.toContain('hunter2');
});

test('an error with a cycle of causes can be logged', () => {
  const error = new Error('round');
  error.cause = error;
  expect(JSON.stringify(errorFields(error)).match(/round/g)?.length).toBeLessThan(20);
});

test('a thrown value that is not an Error is logged', () => {
  expect(errorFields('oops')).toEqual({ type: 'string', message: 'oops' });
});

const secret = createCheckedToken('sk');

const jwt = 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJrZXlfMSJ9.c2lnbmF0dXJl-_x';

describe('a secret is redacted', () => {
  test.each([
    ['alone', secret, 'sk_[redacted]'],
    ['in a path', `/v2/order/${secret}/x`, '/v2/order/sk_[redacted]/x'],
    ['behind a letter, as in an escaped line break', `"\\n${secret}"`, '"\\nsk_[redacted]"'],
    ['with something at its end', `${secret}x`, 'sk_[redacted]'],
    ['more than once', `${secret} ${secret}`, 'sk_[redacted] sk_[redacted]'],
    ['when it is a passport', `{"token":"${jwt}"}`, '{"token":"jwt_[redacted]"}'],
  ])('%s', (_, text, redacted) => {
    expect(redactSecrets(text)).toBe(redacted);
  });
});

test.each(['key_0123456789abcdef01234567', '6f8d9bb2-6f0b-4b8e-9a52-7a9f0a4b4f60', '/v2/order/ord_1', ''])(
  '%j stays as it is in a log',
  (text) => {
    expect(redactSecrets(text)).toBe(text);
  },
);

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
  [
    'a secret with a foreign character',
    `/${secret.slice(0, 20)}%E2%80%8B${secret.slice(20)}`,
    '/sk_[redacted]',
  ],
  ['a half of a secret in a text', 'no sk_aB3dE5fG7hJ9', 'no sk_[redacted]'],
  ['an email address', '/v2/order/ada.l+x@example.com/y', '/v2/order/[redacted]/y'],
  ['an email address that is encoded', '/v2/customers/%61da%40example%2Ecom', '/v2/customers/[redacted]'],
  ['an email address beyond ASCII', `/v2/${encodeURIComponent('пример@пример.рф')}`, '/v2/[redacted]'],
  ['an email address in a text', 'unknown field "ada@example.com"', 'unknown field "[redacted]"'],
  ['the secret of a webhook', '/v2/whsec_C2FVsBQIhrscChlQIMV+b5sSY/spob7oD', '/v2/whsec_[redacted]'],
])('%s is redacted', (_, path, kept) => {
  expect(redactPath(path)).toBe(kept);
});

test('unprintable characters are replaced', () => {
  expect(redactPath('/\u0000\u00e9\u{1f600}/a')).toBe('/????/a');
});
