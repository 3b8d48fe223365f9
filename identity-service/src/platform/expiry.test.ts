import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { apiKeyStatus } from './expiry.ts';

test('a key is active until the last millisecond before its expiration, and expired from then on', () => {
  expect(apiKeyStatus(1_000, 999)).toBe('active');
  expect(apiKeyStatus(1_000, 1_000)).toBe('expired');
});

test('a key without an expiration never expires', () => {
  fc.assert(
    fc.property(fc.nat(), (now) => {
      expect(apiKeyStatus(undefined, now)).toBe('active');
    }),
  );
});

test('a key that has expired stays expired', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(), fc.nat(), (expiresAt, now, later) => {
      if (apiKeyStatus(expiresAt, now) === 'expired') {
        expect(apiKeyStatus(expiresAt, now + later)).toBe('expired');
      }
    }),
  );
});
