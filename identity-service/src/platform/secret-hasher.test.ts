import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createSecretHasher } from './secrets.ts';

const old = 'an old pepper of more than 32 characters';

const current = 'the current pepper, more than 32 characters';

test('the candidates of a secret include its hash under a retired pepper', () => {
  const stored = createSecretHasher([old]).hash('sk_1');
  expect(createSecretHasher([current, old]).candidates('sk_1')).toContainEqual(stored);
});

test('the candidates of a secret do not include its hash under an unknown pepper', () => {
  const stored = createSecretHasher([old]).hash('sk_1');
  expect(createSecretHasher([current]).candidates('sk_1')).not.toContainEqual(stored);
});

test('new secrets are hashed under the current pepper', () => {
  const hasher = createSecretHasher([current, old]);
  expect(hasher.hash('sk_1')).toEqual(createSecretHasher([current]).hash('sk_1'));
});

test('the hash is 32 bytes and does not contain the secret', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 4 }), (secret) => {
      const hash = createSecretHasher([current]).hash(secret);
      expect(hash).toHaveLength(32);
      expect(hash.includes(secret)).toBe(false);
    }),
  );
});
