import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { continuePath, defaultPath, withContinue } from './browser-session.ts';

test.each([
  '/account/sessions',
  '/oauth/authorize?client_id=app_1&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&state=a%2Bb%20c',
])('a path of this origin stays as it is: %s', (path) => {
  expect(continuePath(path)).toBe(path);
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
  `/${'a'.repeat(5_000)}`,
])('everything else leads to the dashboard: %j', (wish) => {
  expect(continuePath(wish)).toBe('/dashboard');
});

test('whatever is wished for, a browser stays on this origin', () => {
  const hostile = fc.array(
    fc.constantFrom('/', '\\', '.', '..', 'evil.example', ':', '@', '%2e', '%2f', '\t', '#', '?'),
  );
  fc.assert(
    fc.property(hostile, (parts) => {
      const path = continuePath(parts.join(''));
      expect(new URL(path, 'https://here.example').origin).toBe('https://here.example');
    }),
    { numRuns: 2_000 },
  );
});

test('a page on the way leads on, and says nothing of where everybody goes', () => {
  const wish = '/dashboard/join?token=in_x&a=b';
  for (const path of ['/signup', '/signup/confirm?token=su_x']) {
    const { searchParams } = new URL(withContinue(path, wish), 'http://here');
    expect(searchParams.get('continue')).toBe(wish);
    expect(withContinue(path, defaultPath)).toBe(path);
  }
});
