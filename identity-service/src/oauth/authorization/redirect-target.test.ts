import { describe, expect, test } from '@jest/globals';
import { parseQuery } from './query.ts';
import { redirectTarget } from './redirect-target.ts';

const issuer = 'https://api.example';
const redirectUri = 'https://app.example/cb';

test('a code goes back with the state and the issuer', () => {
  expect(redirectTarget({ redirectUri, state: 'xyz' }, { code: 'ac_1' }, issuer)).toBe(
    'https://app.example/cb?code=ac_1&state=xyz&iss=https%3A%2F%2Fapi.example',
  );
});

test('an error goes back with its description, which is plain ASCII', () => {
  const answer = { error: 'access_denied', description: 'nein: "Übung" \\ ok' } as const;
  const url = new URL(redirectTarget({ redirectUri, state: undefined }, answer, issuer));
  expect(Object.fromEntries(url.searchParams)).toEqual({
    error: 'access_denied',
    error_description: 'nein: ??bung? ? ok',
    iss: issuer,
  });
});

test.each([
  ['https://app.example/cb?tenant=7', 'https://app.example/cb?tenant=7&code='],
  ['https://app.example/cb?', 'https://app.example/cb?code='],
  ['https://app.example/cb?a=1&', 'https://app.example/cb?a=1&code='],
])('the query of %s stays', (uri, start) => {
  expect(redirectTarget({ redirectUri: uri, state: 'x' }, { code: 'c' }, issuer).startsWith(start)).toBe(
    true,
  );
});

describe('a state is handed back byte for byte', () => {
  test.each([
    'abc',
    'a+b%20c',
    '%E2%9C%93',
    '%ff%FE',
    '%zz%',
    'a%26b%3Dc%23d',
    "!$'()*,-./:;=?@_~",
    '%2F%2f',
    '%00',
    '%0d%0aSet-Cookie:x',
    '%22%3E%3Cscript%3E',
  ])('%s', (raw) => {
    const state = parseQuery(`state=${raw}`).getRaw('state');
    expect(redirectTarget({ redirectUri, state }, { code: 'c' }, issuer)).toContain(`&state=${raw}&iss=`);
  });

  test('also when it holds what a query cannot: that is encoded', () => {
    const target = redirectTarget({ redirectUri, state: '<"\u00e9^#>' }, { code: 'c' }, issuer);
    expect(target).toContain('&state=%3C%22%E9%5E%23%3E&iss=');
  });
});

describe('a query', () => {
  test('knows what comes twice, also under an encoded name', () => {
    const query = parseQuery('a=1&b=2&%61=3');
    expect(query.repeated).toEqual(['a']);
    expect(query.get('a')).toBeUndefined();
    expect(query.get('b')).toBe('2');
  });

  test('takes what has no value for absent', () => {
    const query = parseQuery('a&b=&&c=1');
    expect([query.get('a'), query.get('b'), query.get('c')]).toEqual([undefined, undefined, '1']);
  });

  test('has no names of its own', () => {
    expect(parseQuery('__proto__=1').get('__proto__')).toBe('1');
    expect(parseQuery('').get('constructor')).toBeUndefined();
  });
});
