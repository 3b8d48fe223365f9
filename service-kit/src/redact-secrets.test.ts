import { describe, expect, test } from '@jest/globals';
import { createCheckedToken } from './checked-token.ts';
import { redactSecrets } from './logger.ts';

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
  '%j is none',
  (text) => {
    expect(redactSecrets(text)).toBe(text);
  },
);
