import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseStrictJson } from './strict-json.ts';

test('every JSON text without repeated names has the same value as with JSON.parse', () => {
  const values = fc
    .jsonValue({ noUnicodeString: false, maxDepth: 6 })
    // Refused, as a test below shows.
    .filter((value) => !JSON.stringify(value).includes('"__proto__":'));
  fc.assert(
    fc.property(values, fc.constantFrom(undefined, 1, '\t'), (value, space) => {
      const text = JSON.stringify(value, numbersInRange, space);
      expect(parseStrictJson(text)).toEqual(JSON.parse(text));
    }),
  );
});

const numbersInRange = (_name: string, value: unknown) =>
  typeof value === 'number' ? value % Number.MAX_SAFE_INTEGER : value;

const levels = (count: number) => `${'['.repeat(count)}${']'.repeat(count)}`;

describe('a JSON text is read', () => {
  test.each([
    ['the same name in different objects', '{"a":{"a":1},"b":[{"a":2},{"a":3}]}'],
    ['a name that is also a value', '{"a":"a","b":["a","b"],"c":"a"}'],
    ['names that differ in case', '{"a":1,"A":2}'],
    ['text that looks like JSON', String.raw`{"a":"{\"a\":1,\"a\":2}","b":"\\","c":"[1e400"}`],
    ['names of the prototype', '{"constructor":1,"toString":2,"hasOwnProperty":3}'],
    ['a surrogate pair, escaped', String.raw`{"a":"\ud83c\udf75"}`],
    ['32 levels', levels(32)],
    ['the largest exact number', '[9007199254740991,-9007199254740991,1.5e-7,-0,5e-324]'],
    ['nothing but a text', '"a"'],
  ])('with %s', (_, text) => {
    expect(parseStrictJson(text)).toEqual(JSON.parse(text));
  });
});

describe('a JSON text is refused with 400, naming the field, with', () => {
  test.each([
    ['a name twice', '{"currency":"EUR","currency":"USD"}', 'currency: is given twice'],
    ['a name twice, once escaped', String.raw`{"a":1,"\u0061":1}`, 'a: is given twice'],
    ['a name twice, apart', '{"a":{"b":1},"c":[2,{}],"a":null}', 'a: is given twice'],
    [
      'a name twice further down',
      '{"line_items":[{},{"price":{"a":[1,[]],"b":1,"a":2}}]}',
      'line_items[1].price.a: is given twice',
    ],
    ['__proto__ as a name', '{"a":{"__proto__":{}}}', 'a.__proto__: is not a usable name'],
    ['__proto__, escaped', String.raw`{"__\u0070roto__":1}`, '__proto__: is not a usable name'],
    ['half of a surrogate pair', String.raw`{"a":["b","\ud83c"]}`, 'a[1]: has half of a character'],
    ['half of a surrogate pair in a name', String.raw`{"\udf75":1}`, '\udf75: has half of a character'],
    ['a body that is one', '9007199254740993', 'the body is a number that is too large'],
    ['an infinite number', '{"a":1e400}', 'a: is a number that is too large'],
    [
      'an integer that would be rounded',
      '{"a":[0,-9007199254740993]}',
      'a[1]: is a number that is too large',
    ],
    ['33 levels', levels(33), 'the body is nested deeper than 32 levels'],
    ['100,000 levels', levels(100_000), 'the body is nested deeper than 32 levels'],
    ['half of it', '{"a":', 'the body is not valid JSON'],
    ['a comment', '{"a":1/**/}', 'the body is not valid JSON'],
    ['NaN', '{"a":NaN}', 'the body is not valid JSON'],
    ['a comma too many', '[1,]', 'the body is not valid JSON'],
  ])('%s', (_, text, message) => {
    expect(() => parseStrictJson(text)).toThrow(expect.objectContaining({ status: 400, message }));
  });
});

test('a long name is repeated up to a hundred characters', () => {
  const name = 'x'.repeat(50_000);
  expect(() => parseStrictJson(`{"${name}":1,"${name}":1}`)).toThrow(/^x{100}…: is given twice$/);
});
