import { expect, test } from '@jest/globals';
import { decodeRequestCursor, encodeRequestCursor } from './request-cursor.ts';

const position = { at: 1_795_250_000_123, id: '6f8d9bb2-6f0b-4b8e-9a52-7a9f0a4b4f60' };

test('a cursor leads back to its place', () => {
  expect(decodeRequestCursor(encodeRequestCursor(position))).toEqual(position);
});

test.each([
  ['nothing', ''],
  ['nonsense', 'nonsense'],
  ['another kind', Buffer.from('n1:17').toString('base64url')],
  ['no moment', Buffer.from(`r1:x:${position.id}`).toString('base64url')],
  ['padding', `${encodeRequestCursor(position)}=`],
])('%s is none', (_, cursor) => {
  expect(decodeRequestCursor(cursor)).toBeUndefined();
});
