import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { toCsv } from './csv.ts';

/** The lines of a file, which begins with a byte order mark. */
function linesOf(rows: readonly (readonly string[])[]): string {
  const csv = toCsv(rows);
  expect(csv.startsWith('\ufeff')).toBe(true);
  return csv.slice(1);
}

test('each row is a line, and cells are quoted where needed', () => {
  const rows = [
    ['when', 'what'],
    ['now', 'a, "b"\r\nand c'],
    ['a;b', 'Zoë'],
  ];
  expect(linesOf(rows)).toBe('when,what\r\nnow,"a, ""b""\r\nand c"\r\n"a;b",Zoë\r\n');
});

describe('a cell is not run as a formula:', () => {
  test.each([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['  =1', "'  =1"],
    ['\uff1d1', "'\uff1d1"],
    ['\t=1', `"'\t'=1"`],
    ['\r=1', `"'\r'=1"`],
    ['x;=1', `"x;'=1"`],
    ['x,@y', `"x,'@y"`],
    ['x\n-1', `"x\n'-1"`],
    ['x"=1', `"x""'=1"`],
    ['=HYPERLINK("https://x.example","y")', `"'=HYPERLINK(""https://x.example"",""y"")"`],
  ])('%j', (cell, line) => {
    expect(linesOf([[cell]])).toBe(`${line}\r\n`);
  });
});

test('a sign inside a cell is kept', () => {
  expect(linesOf([['a=b', '1-2', 'x@y']])).toBe('a=b,1-2,x@y\r\n');
});

/** Rows of a text as spreadsheets read them: a quote counts at the start of a cell only, or nowhere. */
function readRows(text: string, separator: string, knowsQuotes: boolean): string[][] {
  const quoted = knowsQuotes ? '(?:"(?:[^"]|"")*")?' : '';
  const cells = new RegExp(`(${quoted}[^${separator}\r\n]*)(${separator}|\r\n|\r|\n)`, 'gy');
  const rows: string[][] = [[]];
  for (const [, cell = '', end] of text.matchAll(cells)) {
    const unquoted = (_: string, inner: string) => inner.replaceAll('""', '"');
    rows.at(-1)?.push(knowsQuotes ? cell.replace(/^"((?:[^"]|"")*)"/, unquoted) : cell);
    if (end !== separator) rows.push([]);
  }
  return rows.slice(0, -1);
}

const parts = fc.constantFrom(
  '=',
  '+',
  '-',
  '@',
  '\t',
  '\r',
  '\n',
  ';',
  ',',
  '"',
  "'",
  ' ',
  'a',
  '1',
  '\uff1d',
);
const hostile = fc.array(parts, { maxLength: 8 }).map((list) => list.join(''));
const table = fc.array(fc.array(fc.oneof(hostile, fc.string()), { minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 4,
});

describe.each([',', ';', '\t'])('where %j separates cells', (separator) => {
  test.each([
    ['with quotes', true],
    ['without quotes', false],
  ])('no cell can be run as a formula, regardless of its text: %s', (_, knowsQuotes) => {
    const isFormula = (cell: string) => /^"*[ \u00a0]*[=+\-@\uff1d\uff0b\uff0d\uff20]/.test(cell);
    fc.assert(
      fc.property(table, (rows) => {
        expect(readRows(linesOf(rows), separator, knowsQuotes).flat().filter(isFormula)).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });
});

test('a program that reads the file gets the same cells, apart from the apostrophes', () => {
  const plain = (text: string) => text.replaceAll("'", '').replaceAll('\r\n', '\n').replaceAll('\r', '\n');
  const isBlank = (text: string) => plain(text).trim() === '';
  fc.assert(
    fc.property(table, (rows) => {
      fc.pre(!rows.flat().some(isBlank));
      const read = readRows(linesOf(rows), ',', true);
      expect(read.map((row) => row.map(plain))).toEqual(rows.map((row) => row.map(plain)));
    }),
    { numRuns: 1_000 },
  );
});
