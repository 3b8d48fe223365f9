import { expect, test } from '@jest/globals';
import { findCodeError } from './authorization-code-grant.ts';

// RFC 7636 appendix B.
const claim = { verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk', redirectUri: undefined };

const code = {
  grantIsLive: true,
  redirectUri: 'https://app.example/cb',
  challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  scopes: ['orders:read' as const],
  expiresAt: 2_000,
  readAt: 1_999,
};

test.each([
  ['without a redirect_uri', {}, claim],
  ['with the redirect_uri of the request', {}, { ...claim, redirectUri: code.redirectUri }],
  [
    'with the redirect_uri in its other form',
    { redirectUri: 'https://app.example' },
    { ...claim, redirectUri: 'https://app.example/' },
  ],
])('a code is good %s', (_, change, shown) => {
  expect(findCodeError({ ...code, ...change }, shown)).toBeUndefined();
});

test.each([
  ['at its expiry', { readAt: 2_000 }, claim, 'code_expired', /is not valid: unknown/],
  [
    'when its Grant has ended',
    { grantIsLive: false },
    claim,
    'oauth_connection_ended',
    /is not valid: unknown/,
  ],
  [
    'with another redirect_uri',
    {},
    { ...claim, redirectUri: `${code.redirectUri}/` },
    'code_redirect_uri',
    /redirect_uri/,
  ],
  [
    'with another verifier',
    {},
    { ...claim, verifier: `${claim.verifier}x` },
    'code_verifier',
    /code_verifier/,
  ],
  ['when nothing is left to ask for', { scopes: [] }, claim, 'oauth_scopes', /no longer/],
])('a code is refused %s', (_, change, shown, reason, text) => {
  expect(findCodeError({ ...code, ...change }, shown)).toEqual({ reason, text: expect.stringMatching(text) });
});
