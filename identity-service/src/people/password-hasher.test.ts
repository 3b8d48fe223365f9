import { expect, test } from '@jest/globals';
import { createPasswordHasher } from './password-hasher.ts';

const hasher = createPasswordHasher();

test('argon2id with the parameters of OWASP', async () => {
  expect(await hasher.hash('correct horse')).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
});

test('only the password itself matches, however it is composed', async () => {
  const stored = await hasher.hash('caf\u00e9 au lait');
  expect(await hasher.matches('cafe\u0301 au lait', stored)).toBe(true);
  expect(await hasher.matches('cafe au lait', stored)).toBe(false);
});

test('nothing matches nobody', async () => {
  expect(await hasher.matches('', undefined)).toBe(false);
});
