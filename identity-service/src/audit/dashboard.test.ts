import { expect, test } from '@jest/globals';
import { toCsv } from './dashboard.ts';

test('a row is a line, and cells that need it are quoted', () => {
  const rows = [
    ['when', 'what'],
    ['now', 'a, "b"\r\nand c'],
    ['', 'Zoë'],
  ];
  expect(toCsv(rows)).toBe('when,what\r\nnow,"a, ""b""\r\nand c"\r\n,Zoë\r\n');
});

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1'])('%j is not run as a formula', (cell) => {
  expect(toCsv([[cell]])).toBe(`'${cell}\r\n`);
});

test('neither is one behind a carriage return, or with a comma in it', () => {
  expect(toCsv([['\r=1'], ['=HYPERLINK("https://x.example","y")']])).toBe(
    `"'\r=1"\r\n"'=HYPERLINK(""https://x.example"",""y"")"\r\n`,
  );
});

test('a sign within a cell is left alone', () => {
  expect(toCsv([['a=b', '1-2', 'x@y']])).toBe('a=b,1-2,x@y\r\n');
});
