import { expect, test } from '@jest/globals';
import { consentPolicy } from './consent-page.ts';

test.each([
  ['https://app.example/cb', "form-action 'self' https:;"],
  ['http://127.0.0.1:3000/cb', "form-action 'self' https: http:;"],
  ['http://[::1]:3000/cb', "form-action 'self' https: http:;"],
])('form-action allows a consent form to redirect to %s', (uri, directive) => {
  expect(consentPolicy(uri)).toContain(directive);
});

test('no text of the redirect URI is copied into the policy', () => {
  expect(consentPolicy("https://a.example/;script-src 'unsafe-inline'")).not.toContain('script-src');
});
