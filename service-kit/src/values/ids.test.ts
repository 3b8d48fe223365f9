import { expect, test } from '@jest/globals';
import { base62, randomBase62, randomHexId, randomId } from './ids.ts';

test('ids have a prefix and a fixed length', () => {
  expect(randomId('ord')).toMatch(/^ord_[0-9A-Za-z]{20}$/);
  expect(randomHexId('key')).toMatch(/^key_[0-9a-f]{24}$/);
  expect(randomHexId('app', 16)).toMatch(/^app_[0-9a-f]{32}$/);
});

test('every base62 character occurs', () => {
  expect(new Set(randomBase62(5_000))).toEqual(new Set(base62));
});
