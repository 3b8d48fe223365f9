import { expect, test } from '@jest/globals';
import { Secret } from 'otpauth';
import { newTotpSecret, stepOfCode, totpUri } from './totp.ts';

// RFC 6238 appendix B, cut to six digits.
const secret = Secret.fromUTF8('12345678901234567890').base32;
const vectors = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_234_567_890, '005924'],
  [20_000_000_000, '353130'],
] as const;

test.each(vectors)('RFC 6238: at second %d the code is %s', (second, code) => {
  expect(stepOfCode(secret, code, second * 1000)).toBe(Math.floor(second / 30));
});

test('a code works one step early and one late, not two', () => {
  const at = (steps: number) => stepOfCode(secret, '081804', (1_111_111_109 + steps * 30) * 1000);
  expect([at(-1), at(0), at(1)]).toEqual([37_037_036, 37_037_036, 37_037_036]);
  expect([at(-2), at(2)]).toEqual([undefined, undefined]);
});

test.each(['', '28708', '2870821', 'abcdef', '28 708', '-87082'])('%j is no code', (code) => {
  expect(stepOfCode(secret, code, 59_000)).toBeUndefined();
});

test('a secret has 160 bits, and its URI names us and the account', () => {
  const fresh = newTotpSecret();
  expect(fresh).toMatch(/^[A-Z2-7]{32}$/);
  const uri = new URL(totpUri(fresh, 'ada@example.com'));
  expect(uri.href).toMatch(/^otpauth:\/\/totp\/Business%20API:ada/);
  expect(uri.searchParams.get('secret')).toBe(fresh);
});
