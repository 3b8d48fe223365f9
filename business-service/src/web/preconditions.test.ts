import { describe, expect, test } from '@jest/globals';
import { entityTag, parseTags } from './preconditions.ts';

describe('a list of entity tags', () => {
  test.each([
    ['"a"', ['"a"']],
    ['W/"a"', ['"a"']],
    [' "a" ,\tW/"b",, "c"', ['"a"', '"b"', '"c"']],
    ['"a,b", "*"', ['"a,b"', '"*"']],
    ['""', ['""']],
    ['"\u00e9"', ['"\u00e9"']],
    [' * ', ['*']],
  ])('%j is read', (value, tags) => {
    expect([...(parseTags(value) ?? [])]).toEqual(tags);
  });

  test.each([
    '',
    ',',
    'a',
    '"a',
    'a"',
    '"a","',
    '"a" "b"',
    '"a";"b"',
    'w/"a"',
    'W/ "a"',
    '*, "a"',
    '"a b"',
    '"a\u0000"',
    "'a'",
  ])('%j is rejected', (value) => {
    expect(parseTags(value)).toBeUndefined();
  });

  test.each([
    '"'.repeat(100_001),
    ', '.repeat(100_000),
    'W/'.repeat(100_000),
    `${'"a",'.repeat(50_000)}x`,
    `"a"${' \t'.repeat(100_000)}x`,
  ])('a hundred thousand invalid characters take little time', (value) => {
    const startedAt = performance.now();
    expect(parseTags(value)).toBeUndefined();
    // A scan that starts anew at every character would take minutes.
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});

describe('the tag of a record', () => {
  const order = { id: 'ord_1', metadata: { b: '1', aa: '2' }, line_items: [{ n: 1 }, { n: 2 }] };

  test('is one text in double quotes', () => {
    expect(entityTag(order)).toMatch(/^"[\w-]{43}"$/);
  });

  test('does not depend on the order of fields, which JSONB does not keep', () => {
    expect(entityTag({ ...order, metadata: { aa: '2', b: '1' } })).toBe(entityTag(order));
  });

  test.each([
    ['another value', { ...order, metadata: { b: '1', aa: '3' } }],
    ['one entry less', { ...order, metadata: { b: '1' } }],
    ['the same items in another order', { ...order, line_items: [{ n: 2 }, { n: 1 }] }],
  ])('differs for %s', (_, other) => {
    expect(entityTag(other)).not.toBe(entityTag(order));
  });
});
