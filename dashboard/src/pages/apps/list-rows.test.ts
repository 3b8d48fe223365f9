import { expect, test } from '@jest/globals';
import { entryFaults, splitPasted } from './list-rows.ts';

test('faults of a list belong to its entries', () => {
  const faults = { name: 'x', 'ipWhitelist.0': 'first', 'ipWhitelist.2': 'third', 'redirectUris.1': 'y' };
  const found = entryFaults(faults, 'ipWhitelist', [' a', 'b', 'c']);
  expect([...found]).toEqual([
    ['a', 'first'],
    ['c', 'third'],
  ]);
  expect(entryFaults({ ipWhitelist: 'as a whole', 'ipWhitelist.0': null }, 'ipWhitelist', ['a']).size).toBe(
    0,
  );
});

test.each([
  ['192.0.2.1', ['192.0.2.1']],
  ['192.0.2.1\n192.0.2.0/24\r\n2001:db8::1\n', ['192.0.2.1', '192.0.2.0/24', '2001:db8::1']],
  ['192.0.2.1, 192.0.2.2;192.0.2.3', ['192.0.2.1', '192.0.2.2', '192.0.2.3']],
  ['  ', []],
])('%j is pasted as %j', (text, entries) => {
  expect(splitPasted(text)).toEqual(entries);
});
