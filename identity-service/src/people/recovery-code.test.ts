import { expect, test } from '@jest/globals';
import { newRecoveryCodes, recoveryCodeSecret } from './recovery-code.ts';

test('ten different codes that are easy to read', () => {
  const codes = newRecoveryCodes();
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) expect(code).toMatch(/^[0-9a-hjkmnp-tv-z]{5}-[0-9a-hjkmnp-tv-z]{5}$/);
});

test('a code is taken however it is typed', () => {
  const secret = recoveryCodeSecret('per_1', 'x7k2p-9q3mz');
  expect(recoveryCodeSecret('per_1', ' X7K2P 9Q3MZ ')).toBe(secret);
  expect(recoveryCodeSecret('per_2', 'x7k2p-9q3mz')).not.toBe(secret);
});

test.each(['', '123456', 'x7k2p-9q3m', 'x7k2p-9q3mzz', 'x7k2p_9q3mz'])('%j cannot be one', (code) => {
  expect(recoveryCodeSecret('per_1', code)).toBeUndefined();
});
