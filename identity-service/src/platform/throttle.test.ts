import { expect, test } from '@jest/globals';
import { addressBlock } from '@platform/service-kit/values/addresses.ts';
import { throttleKey } from './throttle.ts';

test('all IPv6 addresses of one customer count as a single address', () => {
  const block = addressBlock('2001:db8:1:2:3:4:5:6');
  expect(addressBlock('2001:db8:1:2:ffff::1')).toBe(block);
  expect(addressBlock('2001:db8:1:3::1')).not.toBe(block);
});

test('IPv4 addresses count separately, regardless of their notation', () => {
  expect(addressBlock('::ffff:192.0.2.1')).toBe(addressBlock('192.0.2.1'));
  expect(addressBlock('192.0.2.2')).not.toBe(addressBlock('192.0.2.1'));
});

test('a key is short, names its rule and shows no subject', () => {
  const key = throttleKey('login:account', `ada@${'x'.repeat(10_000)}.example`);
  expect(key).toMatch(/^login:account:[\w-]{43}$/);
});

test('different subjects never share a key', () => {
  expect(throttleKey('rule', 'ab', 'c')).not.toBe(throttleKey('rule', 'a', 'bc'));
});
