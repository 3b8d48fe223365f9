import { describe, expect, test } from '@jest/globals';
import { clean, cut, formatTable, widthOf } from './table.ts';

const rows = [
  { id: 'a1', name: '東京' },
  { id: 'b', name: 'Ada Lovelace' },
];
const columns = {
  id: ({ id }: (typeof rows)[number]) => id,
  name: ({ name }: (typeof rows)[number]) => name,
  last: () => null,
};

describe('a table', () => {
  test('has aligned columns, also with letters of double width', () => {
    const [titles, first, second] = formatTable(
      rows.map((row) => ({ ...row, name: `${row.name}` })),
      { name: ({ name }) => name, id: ({ id }) => id },
    );
    expect([titles, first, second]).toEqual(['NAME          ID', '東京          a1', 'Ada Lovelace  b']);
  });

  test('is cut to the width of a terminal, and to none where there is no terminal', () => {
    expect(formatTable(rows, columns, 10)).toEqual(['ID  NAME …', 'a1  東京', 'b   Ada L…']);
    expect(formatTable(rows, columns)[2]).toBe('b   Ada Lovelace');
  });

  test('hands no control character of a text to the terminal', () => {
    const [, line] = formatTable([{ id: '\u001b[2Jx\ny\u202e' }], { id: ({ id }) => id });
    expect(line).toBe('�[2Jx�y�');
  });
});

test.each([
  ['abc', 3],
  ['東京', 4],
  ['é', 1],
  ['e\u0301', 1],
  ['🙂', 2],
  ['', 0],
])('the width of %j is %i', (text, width) => expect(widthOf(text)).toBe(width));

test.each([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'ab…'],
  ['東京都', 4, '東…'],
])('%j in %i cells is %j', (text, width, expected) => expect(cut(text, width)).toBe(expected));

test('letters of other scripts stay as they are', () =>
  expect(clean('Ünïcode ‑ 東京 العربية')).toBe('Ünïcode ‑ 東京 العربية'));
