import { expect, test } from '@jest/globals';
import { isSameName } from './same-name.ts';

test.each([
  ['Web  shop', 'Web shop'],
  ['Web\u{a0}shop', 'Web shop'],
  ['Web\u{3000}shop', 'Web shop'],
  [' \u{a0}Web shop\u{3000}', 'Web shop'],
  ['Cafe\u{301}', 'Caf\u{e9}'],
  ['\u{ff21}\u{ff22}', 'AB'],
])('%j is the name that a person types as %j', (name, typed) => {
  expect(isSameName(name, typed)).toBe(true);
  expect(isSameName(typed, name)).toBe(true);
});

test.each(['', 'shop', 'Sho', 'Shop 2', 'Sh op'])('%j is not Shop', (typed) => {
  expect(isSameName('Shop', typed)).toBe(false);
});
