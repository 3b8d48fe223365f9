import { expect, test } from '@jest/globals';
import { shortenSecret } from './shorten-secret.ts';

const random = '0123456789abcdefghijklmnopqrstuvwxyzABCDE';

test.each([
  [`sk_${random}ucbY`, 'ucbY'],
  [`rk_${random}ucbY`, 'ucbY'],
  [` Authorization: Bearer rk_${random}ucbY `, 'ucbY'],
  [`whsec_${random}ucb/`, 'ucb/'],
  ['sk_…ucbY', 'ucbY'],
  ['rk_...ucbY', 'ucbY'],
  ['sk_…ucb', 'sk_…ucb'],
  ['ucbY', 'ucbY'],
  ['Web shop ', 'Web shop '],
  ['key_0123456789abcdefghij', 'key_0123456789abcdefghij'],
  ['app_0123456789abcdef0123456789abcdef', 'app_0123456789abcdef0123456789abcdef'],
])('"%s" is searched for as "%s"', (text, searched) => {
  expect(shortenSecret(text)).toBe(searched);
});
