import { describe, expect, test } from '@jest/globals';
import type { Application } from '../../applications/application.ts';
import { checkAuthorizationRequest, findReturnAddress } from './authorization-request.ts';
import { parseQuery } from './query.ts';

const application: Application = {
  id: 'apl_1',
  clientId: 'app_1',
  businessId: 7,
  name: 'Shop',
  description: 'text',
  redirectUris: ['https://app.example/cb', 'http://127.0.0.1/cb'],
  scopes: ['business:read', 'orders:read'],
  ipWhitelist: ['192.0.2.1'],
  webhooksEnabled: false,
  webhookEvents: [],
  allowedOrigins: [],
  connectedUserLimit: 50,
  connectedUsers: 0,
  secrets: [],
  createdAt: 0,
  updatedAt: 0,
};

const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const good = {
  client_id: 'app_1',
  redirect_uri: 'https://app.example/cb',
  response_type: 'code',
  state: 'xyz',
  code_challenge: challenge,
  code_challenge_method: 'S256',
};

const queryWith = (change: Record<string, string | undefined>, more = '') => {
  const fields = Object.entries({ ...good, ...change }).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  );
  return parseQuery(`${new URLSearchParams(fields)}${more}`);
};

function check(query: ReturnType<typeof parseQuery>) {
  const address = findReturnAddress(application, query);
  if (address === undefined) throw new Error('no address to return to');
  return checkAuthorizationRequest(application, address, query);
}

describe('an authorization request', () => {
  test('in order asks for all scopes of the application', () => {
    expect(check(queryWith({}))).toEqual({
      applicationId: 'apl_1',
      redirectUri: 'https://app.example/cb',
      state: 'xyz',
      codeChallenge: challenge,
      scopes: ['business:read', 'orders:read'],
    });
  });

  test('may ask for some of them', () => {
    expect(check(queryWith({ scope: 'orders:read' })).scopes).toEqual(['orders:read']);
  });

  test('may hold parameters that nobody knows', () => {
    expect(() => check(queryWith({ prompt: 'login', nonce: 'x' }))).not.toThrow();
  });

  test.each([
    ['response_type missing', { response_type: undefined }, 'invalid_request'],
    ['response_type empty', { response_type: '' }, 'invalid_request'],
    ['response_type token', { response_type: 'token' }, 'unsupported_response_type'],
    ['response_type with more', { response_type: 'code id_token' }, 'unsupported_response_type'],
    ['state missing', { state: undefined }, 'invalid_request'],
    ['state empty', { state: '' }, 'invalid_request'],
    ['code_challenge missing', { code_challenge: undefined }, 'invalid_request'],
    ['code_challenge padded', { code_challenge: `${challenge}=` }, 'invalid_request'],
    ['code_challenge short', { code_challenge: 'abc' }, 'invalid_request'],
    ['code_challenge_method missing', { code_challenge_method: undefined }, 'invalid_request'],
    ['code_challenge_method plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['code_challenge_method in another case', { code_challenge_method: 's256' }, 'invalid_request'],
    ['scope unknown', { scope: 'admin' }, 'invalid_scope'],
    ['scope beyond the application', { scope: 'orders:read orders:write' }, 'invalid_scope'],
  ])('with %s is refused', (_, change, code) => {
    expect(() => check(queryWith(change))).toThrow(expect.objectContaining({ code }));
  });

  test.each([
    'response_type=code',
    'state=xyz',
    'scope=orders:read&scope=orders:read',
    'x=1&x=2',
    `code_challenge=${challenge}`,
  ])('with a repeated parameter (%s) is refused', (more) => {
    expect(() => check(queryWith({}, `&${more}`))).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });
});

describe('the address to return to', () => {
  test.each([
    ['missing', { redirect_uri: undefined }, ''],
    ['empty', { redirect_uri: '' }, ''],
    ['not registered', { redirect_uri: 'https://evil.example/cb' }, ''],
    ['given twice', {}, '&redirect_uri=https%3A%2F%2Fapp.example%2Fcb'],
    ['longer than the registered one', { redirect_uri: 'https://app.example/cb/x' }, ''],
  ])('is not known when redirect_uri is %s', (_, change, more) => {
    expect(findReturnAddress(application, queryWith(change, more))).toBeUndefined();
  });

  test('may be any port on loopback', () => {
    const query = queryWith({ redirect_uri: 'http://127.0.0.1:49152/cb' });
    expect(findReturnAddress(application, query)?.redirectUri).toBe('http://127.0.0.1:49152/cb');
  });

  test('has no state when it was repeated', () => {
    expect(findReturnAddress(application, queryWith({}, '&state=other'))?.state).toBeUndefined();
  });
});
