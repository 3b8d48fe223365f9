import { describe, expect, test } from '@jest/globals';
import { parseFormParameters, parseJsonParameters, requestedScopes } from './parameters.ts';

const invalidRequest = expect.objectContaining({ code: 'invalid_request' });

describe('a JSON body', () => {
  test('is parsed to its parameters', () => {
    expect([...parseJsonParameters('{"a":"1","b":"x\\"y\\\\"}')]).toEqual([
      ['a', '1'],
      ['b', 'x"y\\'],
    ]);
  });

  test('has no parameter for an empty value', () => {
    expect(parseJsonParameters('{"a":""}').has('a')).toBe(false);
  });

  test.each([
    ['nothing', ''],
    ['an array', '[]'],
    ['a string', '"grant_type"'],
    ['null', 'null'],
    ['a number for a value', '{"code":1}'],
    ['null for a value', '{"code":null}'],
    ['a list for a value', '{"code":["a"]}'],
    ['an object for a value', '{"code":{"a":"b"}}'],
    ['a truth value', '{"code":true}'],
    ['an object as prototype', '{"__proto__":{"code":"a"}}'],
    ['NUL in a value', '{"code":"a\\u0000"}'],
    ['a comment', '{"code":"a"/**/}'],
    ['20,000 levels', `${'['.repeat(20_000)}${']'.repeat(20_000)}`],
    ['20,000 levels in a value', `{"code":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`],
    ['half of it', '{"code":"a"'],
    ['half of a surrogate pair', '{"code":"\\ud83c"}'],
  ])('with %s is malformed', (_, body) => {
    expect(() => parseJsonParameters(body)).toThrow(invalidRequest);
  });
});

describe('a form body', () => {
  test('is parsed to its decoded parameters', () => {
    expect([...parseFormParameters('a=1%2B2&b=x+y&c=')]).toEqual([
      ['a', '1+2'],
      ['b', 'x y'],
    ]);
  });

  test.each([
    ['a parameter twice', 'code=a&code=a'],
    ['a parameter twice, once empty', 'code=a&code='],
    ['a parameter twice, once encoded', 'code=a&c%6fde=b'],
    ['NUL in a value', 'code=a%00'],
  ])('with %s is malformed', (_, body) => {
    expect(() => parseFormParameters(body)).toThrow(invalidRequest);
  });

  test('has brackets as part of a parameter name', () => {
    expect(parseFormParameters('code[]=a&code[x]=b').has('code')).toBe(false);
  });
});

test.each([
  ['{"code":"a","\\u0063ode":"a"}', 'code is given twice'],
  ['{"c\u00f6de":"a","c\u00f6de":"a"}', 'a parameter is given twice'],
  ['{"a\\"":"a","a\\"":"a"}', 'a parameter is given twice'],
])('the body %j is refused, and the error names the parameter as far as RFC 6749 permits', (body, text) => {
  expect(() => parseJsonParameters(body)).toThrow(expect.objectContaining({ message: text }));
});

test('a form with a repeated parameter is refused, and the error names the parameter', () => {
  expect(() => parseFormParameters('code=a&code=b')).toThrow('code is given twice');
});

const offered = ['business:read', 'orders:read'] as const;

test.each([
  ['nothing, which means all offered scopes', undefined, ['business:read', 'orders:read']],
  ['one scope', 'orders:read', ['orders:read']],
  ['all scopes in another order', 'orders:read business:read', ['business:read', 'orders:read']],
  ['the same scope twice', 'orders:read orders:read', ['orders:read']],
  ['a scope between blanks', ' orders:read ', ['orders:read']],
])('a scope parameter may request %s', (_, scope, expected) => {
  expect(requestedScopes(scope, offered)).toEqual(expected);
});

test.each([
  'orders:write',
  'orders:read orders:write',
  'unknown',
  ' ',
  'orders:read,business:read',
  'ORDERS:READ',
])('a request for the scopes %j is refused', (scope) => {
  expect(() => requestedScopes(scope, offered)).toThrow(expect.objectContaining({ code: 'invalid_scope' }));
});
