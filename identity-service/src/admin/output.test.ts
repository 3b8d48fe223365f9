import { expect, test } from '@jest/globals';
import { formatRecord, formatTable } from './output.ts';

test('each column is as wide as its widest cell', () => {
  const table = formatTable(
    ['ID', 'NAME'],
    [
      ['1', 'a long name'],
      ['1000', 'b'],
    ],
  );
  expect(table).toBe('ID    NAME\n1     a long name\n1000  b\n');
});

test('an empty table shows its headings', () => {
  expect(formatTable(['ID', 'NAME'], [])).toBe('ID  NAME\n');
});

test('a record has a line per field, with aligned values', () => {
  expect(formatRecord({ id: '7', username: 'acme', logo: '' })).toBe('id        7\nusername  acme\nlogo\n');
});
