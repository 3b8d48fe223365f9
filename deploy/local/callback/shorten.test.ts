import { describe, expect, test } from '@jest/globals';
import { createCheckedToken } from '@platform/service-kit/checked-token.ts';
import { shortenSecrets } from './shorten.ts';

describe('shortening secrets', () => {
  test('leaves of each no more than its two ends', () => {
    const secrets = ['at', 'rt', 'ac', 'cs'].map((prefix) => createCheckedToken(prefix));
    const text = shortenSecrets(`{"a":"${secrets.join('","b":"')}"}&code=${secrets[0]}&x=1`);
    for (const secret of secrets) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(secret.slice(7, -4));
      expect(text).toContain(`${secret.slice(0, 7)}…${secret.slice(-4)}`);
    }
  });

  test('leaves everything else as it is', () => {
    const text = '{"client_id":"app_0123456789abcdef0123456789abcdef","username":"demo"}';
    expect(shortenSecrets(text)).toBe(text);
  });
});
