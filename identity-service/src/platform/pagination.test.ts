import { expect, test } from '@jest/globals';
import { type Page, type Position, pageCursor, pageSize, readPage } from './pagination.ts';

const position = { at: 1_795_250_000_123, id: '6f8d9bb2-6f0b-4b8e-9a52-7a9f0a4b4f60' };

const entries = (count: number): Position[] => Array.from({ length: count }, () => position);

const itself = (entry: Position) => entry;

const plain = (text: string) => Buffer.from(text).toString('base64url');

test('the last page has no cursor, which one entry more than the page size decides', async () => {
  const asked: Page[] = [];
  const page = await readPage(undefined, itself, async (wanted) => {
    asked.push(wanted);
    return entries(pageSize);
  });
  expect(page).toEqual({ entries: entries(pageSize), nextCursor: null });
  expect(asked).toEqual([{ after: undefined, limit: pageSize + 1 }]);
});

test('a page with a next page has a cursor to its last entry', async () => {
  const { entries: shown, nextCursor } = await readPage(undefined, itself, async () => entries(pageSize + 1));
  expect(shown).toHaveLength(pageSize);
  expect(pageCursor.parse(nextCursor)).toEqual(position);
});

test.each([
  ['nothing', ''],
  ['nonsense', 'nonsense'],
  ['another kind', plain('n1:17')],
  ['no moment', plain(`p1:x:${position.id}`)],
  ['a moment in two ways', plain(`p1:01:${position.id}`)],
  ['a moment after the year 9999', plain(`p1:253402300800000:${position.id}`)],
  ['padding', `${plain(`p1:17:${position.id}`)}=`],
  ['more than any cursor', plain(`p1:17:${'a'.repeat(200)}`)],
])('%s is no cursor', (_, text) => {
  const { error } = pageCursor.safeParse(text);
  expect(error?.issues).toHaveLength(1);
});
