import { expect, test } from '@jest/globals';
import { authorizationUrl, tokenCommand } from './oauth-commands.ts';

const application = { clientId: 'app_1', scopes: ['business:read', 'orders:read'] } as const;

const values = { verifier: 'v'.repeat(43), challenge: 'c'.repeat(43), state: 's' };

test('the authorization URL requests all scopes of the app', () => {
  const url = new URL(
    authorizationUrl('https://api.example', application, 'https://shop.example/cb?a=b c', values),
  );
  expect(url.origin + url.pathname).toBe('https://api.example/oauth/authorize');
  expect(Object.fromEntries(url.searchParams)).toEqual({
    response_type: 'code',
    client_id: 'app_1',
    redirect_uri: 'https://shop.example/cb?a=b c',
    scope: 'business:read orders:read',
    state: 's',
    code_challenge: 'c'.repeat(43),
    code_challenge_method: 'S256',
  });
});

test('without values there are readable placeholders', () => {
  const url = authorizationUrl('https://api.example', application, 'https://shop.example/cb');
  expect(url).toContain('&state=<STATE>&code_challenge=<CODE_CHALLENGE>&');
  expect(tokenCommand('https://api.example', application)).toContain("-d code_verifier='<CODE_VERIFIER>'");
});

test('the command has the verifier of the URL, but no client secret', () => {
  const command = tokenCommand('https://api.example', application, values);
  expect(command).toContain(`-d code_verifier='${values.verifier}'`);
  expect(command).toContain("-d client_secret='<CLIENT_SECRET>'");
});
