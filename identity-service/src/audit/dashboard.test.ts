import { expect, test } from '@jest/globals';
import { toCsv } from './dashboard.ts';

test('each row is a line, and cells are quoted where needed', () => {
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

test('nor is one after a carriage return, or one with a comma', () => {
  expect(toCsv([['\r=1'], ['=HYPERLINK("https://x.example","y")']])).toBe(
    `"'\r=1"\r\n"'=HYPERLINK(""https://x.example"",""y"")"\r\n`,
  );
});

test('a sign inside a cell is kept', () => {
  expect(toCsv([['a=b', '1-2', 'x@y']])).toBe('a=b,1-2,x@y\r\n');
});
