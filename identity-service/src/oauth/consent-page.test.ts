import { expect, test } from '@jest/globals';
import { apiScopes } from '../../testing/api-scopes.ts';
import { textOf } from '../web/html.ts';
import { consentPage, consentPolicy } from './consent-page.ts';

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

const pageFor = (scopes: readonly string[]) =>
  textOf(
    consentPage({
      apiScopes,
      presentation: {
        name: 'Shop',
        description: 'Sells',
        company: 'Shop Ltd, DE',
        publisher: 'Shop (@shop)',
      },
      lookalikes: [],
      request: {
        applicationId: 'apl_1',
        redirectUri: 'https://app.example/cb',
        state: 'x',
        codeChallenge: 'c',
        scopes,
      },
      candidates: [
        {
          business: {
            id: 7,
            accountHolder: 'Bakery',
            username: 'bakery',
            verification: 'verified',
            rejectionReason: '',
          },
          approved: [],
          changes: [],
          isCovered: false,
        },
      ],
      lacksSecondFactor: false,
      changed: undefined,
      ticket: 'ticket',
      session: { id: 'session', csrfToken: 'token', csrfTokens: ['token'] },
    }).body,
  );

test('The consent page names each scope by the text of its document, and shows no scope without one.', () => {
  expect(pageFor(['events:read', 'orders:read'])).toContain(
    '<li>See what happens</li><li>See your orders</li>',
  );
  expect(() => pageFor(['orders:read', 'invoices:read'])).toThrow('invoices:read, which has no text');
});
