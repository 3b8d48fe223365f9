import { expect, test } from '@jest/globals';
import { addressBlock } from './address-block.ts';

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['::1', '::/64'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['no address', 'no address'],
])('%s counts as %s', (address, block) => {
  expect(addressBlock(address)).toBe(block);
});
