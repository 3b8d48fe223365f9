import { expect, test } from '@jest/globals';
import { Secret } from 'otpauth';
import { newRecoveryCodes, newTotpSecret, recoveryCodeSecret, stepOfCode, totpUri } from './second-factor.ts';

test('recovery codes are ten, different and easy to read', () => {
  const codes = newRecoveryCodes();
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) expect(code).toMatch(/^[0-9a-hjkmnp-tv-z]{5}-[0-9a-hjkmnp-tv-z]{5}$/);
});

test('a recovery code is accepted in any spelling', () => {
  const secret = recoveryCodeSecret('per_1', 'x7k2p-9q3mz');
  expect(recoveryCodeSecret('per_1', ' X7K2P 9Q3MZ ')).toBe(secret);
  expect(recoveryCodeSecret('per_2', 'x7k2p-9q3mz')).not.toBe(secret);
});

test.each(['', '123456', 'x7k2p-9q3m', 'x7k2p-9q3mzz', 'x7k2p_9q3mz'])(
  '%j is not a recovery code',
  (code) => {
    expect(recoveryCodeSecret('per_1', code)).toBeUndefined();
  },
);

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

test('a code is valid one step early and one step late, but not two', () => {
  const at = (steps: number) => stepOfCode(secret, '081804', (1_111_111_109 + steps * 30) * 1000);
  expect([at(-1), at(0), at(1)]).toEqual([37_037_036, 37_037_036, 37_037_036]);
  expect([at(-2), at(2)]).toEqual([undefined, undefined]);
});

test.each(['287 082', ' 287082\n', '２８７０８２', '۲۸۷۰۸۲', '٢٨٧٠٨٢'])(
  '%j is read as the code 287082',
  (code) => {
    expect(stepOfCode(secret, code, 59_000)).toBe(1);
  },
);

test.each(['', '28708', '2870821', 'abcdef', '28 708', '-87082', '28708é', '28708😀', 'éééééé'])(
  '%j is not a code',
  (code) => {
    expect(stepOfCode(secret, code, 59_000)).toBeUndefined();
  },
);

test('a secret has 160 bits, and its URI names issuer and account', () => {
  const fresh = newTotpSecret();
  expect(fresh).toMatch(/^[A-Z2-7]{32}$/);
  const uri = new URL(totpUri(fresh, 'ada@example.com'));
  expect(uri.href).toMatch(/^otpauth:\/\/totp\/Business%20API:ada/);
  expect(uri.searchParams.get('secret')).toBe(fresh);
});
