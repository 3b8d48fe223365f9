import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { defaultReturnTo, parseReturnTo, withReturnTo } from './browser-session.ts';

test.each([
  '/account/sessions',
  '/oauth/authorize?client_id=app_1&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&state=a%2Bb%20c',
  `/oauth/authorize?client_id=app_1&state=${'a'.repeat(12_000)}`,
])('a path of this origin is kept: %s', (path) => {
  expect(parseReturnTo(path)).toBe(path);
});

test.each([
  undefined,
  '',
  'account',
  'https://evil.example/',
  'HTTPS:evil.example',
  'javascript:alert(1)',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '\t//evil.example',
  ' //evil.example',
  '/.//evil.example',
  '/a/..//evil.example',
  '/%2e//evil.example',
  '/\u0000/evil.example',
  '/\u2028/evil.example',
  `/${'a'.repeat(12_300)}`,
  `/${'~'.repeat(4_100)}`,
])('anything else becomes the dashboard: %j', (value) => {
  expect(parseReturnTo(value)).toBe('/dashboard');
});

test('no value leads a browser to another origin', () => {
  const hostile = fc.array(
    fc.constantFrom('/', '\\', '.', '..', 'evil.example', ':', '@', '%2e', '%2f', '\t', '#', '?'),
  );
  fc.assert(
    fc.property(hostile, (parts) => {
      const path = parseReturnTo(parts.join(''));
      expect(new URL(path, 'https://here.example').origin).toBe('https://here.example');
    }),
    { numRuns: 2_000 },
  );
});

test('pages before the login keep the path to return to, unless it is the default', () => {
  const returnTo = '/dashboard/join?token=in_x&a=b';
  for (const path of ['/signup', '/signup/confirm?token=su_x']) {
    const { searchParams } = new URL(withReturnTo(path, returnTo), 'http://here');
    expect(searchParams.get('continue')).toBe(returnTo);
    expect(withReturnTo(path, defaultReturnTo)).toBe(path);
  }
});
