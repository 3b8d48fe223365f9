import { expect, test } from '@jest/globals';
import { parseQuery } from './parameters.ts';
import { afterLogin, requestedPrompt } from './prompt.ts';

test.each([
  ['', []],
  ['prompt=', []],
  ['prompt=none', ['none']],
  ['prompt=login+consent', ['login', 'consent']],
  ['prompt=select_account%20login', ['login', 'select_account']],
])('the query %j requests the prompts %j', (query, values) => {
  expect([...requestedPrompt(parseQuery(query))]).toEqual(values);
});

test.each(['none login', 'none consent select_account', 'create', 'LOGIN'])(
  'prompt %j is refused',
  (prompt) => {
    const query = parseQuery(`prompt=${encodeURIComponent(prompt)}`);
    expect(() => requestedPrompt(query)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  },
);

test.each([
  ['a=1&prompt=login&state=%C3%BC+%', 'a=1&state=%C3%BC+%'],
  ['a=1&pro%6Dpt=consent%20login', 'a=1&prompt=consent'],
  ['a=1', 'a=1'],
])('the query %j becomes %j after the login', (text, rest) => {
  const query = parseQuery(text);
  expect(afterLogin('/oauth/authorize', query, requestedPrompt(query))).toBe(`/oauth/authorize?${rest}`);
});
