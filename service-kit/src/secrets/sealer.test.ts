import { createSecretKey, randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createSealer } from './sealer.ts';

const newKey = () => createSecretKey(randomBytes(32));

const [old, current] = [newKey(), newKey()];

test('sealed text can be opened only with the context for which it was sealed', () => {
  const sealer = createSealer([current]);
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const sealed = sealer.seal(text, 'totp:per_1');
      expect(sealer.open(sealed, 'totp:per_1')).toBe(text);
      expect(sealer.open(sealed, 'totp:per_2')).toBeUndefined();
    }),
  );
});

test('a retired key still opens sealed text, but no longer seals', () => {
  const sealedBefore = createSealer([old]).seal('secret', 'a');
  const sealer = createSealer([current, old]);
  expect(sealer.open(sealedBefore, 'a')).toBe('secret');
  expect(createSealer([old]).open(sealer.seal('secret', 'a'), 'a')).toBeUndefined();
});

test('sealed text with a changed bit or a missing end cannot be opened', () => {
  const sealer = createSealer([current]);
  const sealed = sealer.seal('secret', 'a');
  for (let index = 0; index < sealed.length; index++) {
    const changed = Buffer.from(sealed);
    changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
    expect(sealer.open(changed, 'a')).toBeUndefined();
    expect(sealer.open(sealed.subarray(0, index), 'a')).toBeUndefined();
  }
});

test('sealing the same text twice gives different results', () => {
  const sealer = createSealer([current]);
  expect(sealer.seal('secret', 'a').equals(sealer.seal('secret', 'a'))).toBe(false);
});

test('text sealed with a retired or unknown key is not current', () => {
  const sealer = createSealer([current, old]);
  expect(sealer.isCurrent(sealer.seal('secret', 'a'), 'a')).toBe(true);
  expect(sealer.isCurrent(sealer.seal('secret', 'a'), 'b')).toBe(false);
  expect(sealer.isCurrent(createSealer([old]).seal('secret', 'a'), 'a')).toBe(false);
});
