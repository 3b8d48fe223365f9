import { expect, test } from '@jest/globals';
import {
  checkedTokenPrefix,
  containsSecret,
  createCheckedToken,
  createTagKey,
  hasTag,
} from './checked-token.ts';

const [current, retired, foreign] = ['a', 'b', 'c'].map((letter) => createTagKey(letter.repeat(32)));
if (current === undefined || retired === undefined || foreign === undefined) throw new Error('three keys');

const changed = (token: string, at: number) =>
  `${token.slice(0, at)}${token[at] === '0' ? '1' : '0'}${token.slice(at + 1)}`;

test.each([
  ['without a tag', createCheckedToken('sk')],
  ['with a tag', createCheckedToken('sk', current)],
])('a token %s has 45 characters behind its prefix, and its checksum holds', (_, token) => {
  expect(token).toMatch(/^sk_[0-9A-Za-z]{45}$/);
  expect(checkedTokenPrefix(token)).toBe('sk');
  for (let at = 3; at < token.length; at++) expect(checkedTokenPrefix(changed(token, at))).toBeUndefined();
});

test.each(['sk', 'rk', 'at', 'rt', 'cs', 'oi'])(
  'a whole %s_ secret is found wherever it is in a text',
  (prefix) => {
    const token = createCheckedToken(prefix, current);
    for (const text of [token, `has ${token}?`, `key${token}x`, `https://a.example/?t=${token}&b=1`]) {
      expect(containsSecret(text)).toBe(true);
    }
    expect(containsSecret(`${prefix}_…${token.slice(-4)} ends so, ${token.slice(0, 47)} is cut`)).toBe(false);
  },
);

test('a webhook secret is found in a text', () => {
  expect(containsSecret(`with whsec_${Buffer.alloc(32, 'secret').toString('base64')}`)).toBe(true);
  expect(containsSecret('whsec_ is its prefix')).toBe(false);
});

test('no two tokens are the same', () => {
  const tokens = Array.from({ length: 100 }, () => createCheckedToken('at', current));
  expect(new Set(tokens).size).toBe(tokens.length);
});

test('a tag is verified by every current or retired key', () => {
  expect(hasTag(createCheckedToken('sk', current), [current, retired])).toBe(true);
  expect(hasTag(createCheckedToken('sk', retired), [current, retired])).toBe(true);
});

test('a token with the tag of another key, prefix or random part is refused', () => {
  const token = createCheckedToken('sk', current);
  expect(hasTag(token, [retired, foreign])).toBe(false);
  expect(hasTag(token.replace('sk', 'rk'), [current])).toBe(false);
  expect(hasTag(changed(token, 10), [current])).toBe(false);
  expect(hasTag(changed(token, 3 + 33), [current])).toBe(false);
});

test('random tokens have no valid tag', () => {
  const tokens = Array.from({ length: 1_000 }, () => createCheckedToken('sk'));
  expect(tokens.filter((token) => hasTag(token, [current]))).toEqual([]);
});
