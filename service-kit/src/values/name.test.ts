import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isDescription, isName, nameKeys } from './name.ts';

describe('a name may be', () => {
  test.each([
    'Acme Ltd',
    "O'Reilly & Søn, S.à r.l.",
    '株式会社　漢字',
    'حساب التاجر',
    'בית עסק',
    'ร้านค้าที่ดี',
    'Việt Nam',
    'हिन्दी व्यापार',
    'Zoë\u0301',
    'Acme 👍',
    'Prix\u00a0: 5 €',
    '7',
  ])('%s', (name) => {
    expect([isName(name), isDescription(name)]).toEqual([true, true]);
  });
});

describe('a name may not have', () => {
  test.each([
    ['a zero-width space', 'Ac\u200bme'],
    ['a zero-width joiner', 'Ac\u200dme'],
    ['a byte order mark', '\ufeffAcme'],
    ['a soft hyphen', 'Ac\u00adme'],
    ['a word joiner', 'Ac\u2060me'],
    ['an override of the direction', 'Acme \u202egnp.exe'],
    ['an isolate of a direction', 'Acme \u2066x\u2069'],
    ['an Arabic letter mark', 'Acme\u061c'],
    ['a Hangul filler', 'Acme\u3164'],
    ['a half-width Hangul filler', '\uffa0Acme'],
    ['a Hangul jamo filler', 'Ac\u115fme'],
    ['a grapheme joiner', 'Ac\u034fme'],
    ['a tag', 'Acme\u{e0041}'],
    ['a variation selector', 'Acme\ufe0f'],
    ['a blank of Braille', 'Ac\u2800me'],
    ['an invisible note', 'Ac\u{1d159}me'],
    ['a character of private use', 'Acme \uf8ff'],
    ['a noncharacter', 'Acme\uffff'],
    ['a hair space', 'Ac\u200ame'],
    ['a line separator', 'Ac\u2028me'],
    ['a control character', 'Ac\u0007me'],
    ['a line break', 'Ac\nme'],
    ['a lone surrogate', 'Acme\ud800'],
    ['a tower of marks', `Acme${'\u0301'.repeat(5)}`],
    ['nothing that shows', ' \u0301 '],
    ['nothing at all', ''],
  ])('%s', (_, name) => {
    expect(isName(name)).toBe(false);
  });

  test('any default ignorable or format character, wherever it stands', () => {
    const ignorable = fc.integer({ min: 0, max: 0x10ffff }).filter((code) => {
      const text = String.fromCodePoint(code);
      return /[\p{Default_Ignorable_Code_Point}\p{Cf}]/u.test(text);
    });
    fc.assert(
      fc.property(fc.string(), ignorable, fc.string(), (before, code, after) => {
        expect(isName(before + String.fromCodePoint(code) + after)).toBe(false);
      }),
      { numRuns: 300 },
    );
  });
});

test('a description may have several lines, but no hidden characters', () => {
  expect([isDescription('one\n\ttwo'), isDescription('one\n\u202etwo'), isDescription('\n')]).toEqual([
    true,
    false,
    false,
  ]);
});

describe('names that look alike share a key', () => {
  test.each([
    ['Analytical Engines', 'Аnаlуtісаl Еngіnеs'],
    ['PayPal', 'PayPaI'],
    ['PayPal', 'paypa1'],
    ['PayPal', 'РАYРАL'],
    ['Modern', 'Rnodern'],
    ['Acme', 'ACME'],
    ['Acme', '𝐀𝐜𝐦𝐞'],
    ['Acme', 'Ａｃｍｅ'],
    ['Acme', 'Аcme'],
    ['Google', 'G00gle'],
    ['Acme Pay', ' Acme\u00a0 Pay '],
    ['Ac\u200bme', 'Acme'],
  ])('%s and %s', (one, other) => {
    const keys = new Set(nameKeys(one));
    expect(nameKeys(other).some((key) => keys.has(key))).toBe(true);
  });
});

test.each([
  ['Acme', 'Acne'],
  ['Acme', 'Acme Pay'],
  ['Mali', 'Malt'],
  ['株式会社', '有限会社'],
])('%s and %s do not share a key', (one, other) => {
  expect(nameKeys(one).filter((key) => nameKeys(other).includes(key))).toEqual([]);
});
