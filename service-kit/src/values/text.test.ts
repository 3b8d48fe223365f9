import { expect, test } from '@jest/globals';
import { isLine, isPlainText, withAsciiDigits } from './text.ts';

test.each([
  ['letters of any script', 'Ünïcödé 漢字 👍', true, true],
  ['a line break', 'a\nb', false, true],
  ['a tab', 'a\tb', false, true],
  ['NUL', 'a\u0000b', false, false],
  ['an escape', '\u001b[31m', false, false],
  ['a lone surrogate', 'a\ud83d', false, false],
  ...['\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069'].map(
    (control): [string, string, boolean, boolean] => [
      `U+${control.charCodeAt(0).toString(16)}`,
      `a${control}b`,
      false,
      false,
    ],
  ),
  ['a joined emoji, and a non-joiner', '\u{1f469}\u200d\u{1f4bb} \u0645\u06cc\u200c', true, true],
])('a line and a multi-line text with %s are accepted or refused', (_, text, line, plain) => {
  expect([isLine(text), isPlainText(text)]).toEqual([line, plain]);
});

test.each([
  ['0123456789', '0123456789'],
  ['of full width', '０１２３４５６７８９'],
  ['Arabic', '٠١٢٣٤٥٦٧٨٩'],
  ['Persian', '۰۱۲۳۴۵۶۷۸۹'],
  ['Devanagari', '०१२३४५६७८९'],
  ['bold', '𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗'],
])('digits that are %s become those of ASCII', (_, digits) => {
  expect(withAsciiDigits(`a ${digits} é`)).toBe('a 0123456789 é');
});
