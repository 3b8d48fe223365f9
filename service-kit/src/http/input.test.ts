import { expect, test } from '@jest/globals';
import { readParameters } from './input.ts';

const read = (query: string) => readParameters({ originalUrl: `/order${query}` });

test.each([
  ['', {}],
  ['?', {}],
  ['?a=1&b=x+y%2B', { a: '1', b: 'x y+' }],
  ['?a=&b=2&c', { b: '2' }],
  ['?a=?', { a: '?' }],
])('the query %j is read, and parameters without a value are absent', (query, parameters) => {
  expect(read(query)).toEqual(parameters);
});

test.each([
  ['?a=1&a=2', 'a: is given twice'],
  ['?a=1&%61=1', 'a: is given twice'],
  ['?a=&a=1', 'a: is given twice'],
  ['?a=b%00', 'a: must not contain NUL'],
])('the query %j is refused, and the error names the parameter', (query, message) => {
  expect(() => read(query)).toThrow(expect.objectContaining({ status: 400, message }));
});

test('a parameter named __proto__ is an ordinary one and changes no prototype', () => {
  expect(Object.entries(read('?__proto__=x'))).toEqual([['__proto__', 'x']]);
});
