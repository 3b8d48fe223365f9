import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { apiScopes } from '../../testing/api-scopes.ts';
import type { Application } from '../credentials/applications/application.ts';
import { checkAuthorizationRequest, findReturnAddress, redirectTarget } from './authorization-request.ts';
import { errorParameters } from './oauth-error.ts';
import { parseQuery } from './parameters.ts';

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
  repeatLostRefresh: false,
  connectedUserLimit: 50,
  connectedUsers: 0,
  secrets: [],
  suspensions: [],
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

function check(query: ReturnType<typeof parseQuery>, asked = application) {
  const address = findReturnAddress(application, query);
  if (address === undefined) throw new Error('no address to return to');
  return checkAuthorizationRequest(apiScopes, asked, address, query);
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

  test('neither gets nor may ask for a scope that the API has no longer', () => {
    const older = { ...application, scopes: ['invoices:read', 'orders:read'] };
    expect(check(queryWith({}), older).scopes).toEqual(['orders:read']);
    for (const [scopes, scope] of [
      [older.scopes, 'invoices:read'],
      [['invoices:read'], undefined],
    ] as const) {
      expect(() => check(queryWith({ scope }), { ...application, scopes: [...scopes] })).toThrow(
        expect.objectContaining({ code: 'invalid_scope' }),
      );
    }
  });

  test('may ask for some of them', () => {
    expect(check(queryWith({ scope: 'orders:read' })).scopes).toEqual(['orders:read']);
  });

  test('may hold unknown parameters', () => {
    expect(() => check(queryWith({ max_age: '5', nonce: 'x', response_mode: 'query' }))).not.toThrow();
  });

  test.each([
    ['response_type missing', { response_type: undefined }, 'invalid_request'],
    ['response_type empty', { response_type: '' }, 'invalid_request'],
    ['response_type token', { response_type: 'token' }, 'unsupported_response_type'],
    ['response_type with more', { response_type: 'code id_token' }, 'unsupported_response_type'],
    ['request', { request: 'a.b.c' }, 'request_not_supported'],
    ['request_uri', { request_uri: 'urn:x' }, 'request_uri_not_supported'],
    ['response_mode form_post', { response_mode: 'form_post' }, 'invalid_request'],
    ['response_mode fragment', { response_mode: 'fragment' }, 'invalid_request'],
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
    ['response_type=code', 'response_type'],
    ['state=xyz', 'state'],
    ['scope=orders:read&scope=orders:read', 'scope'],
    ['x=1&x=2', 'x'],
    [`code_challenge=${challenge}`, 'code_challenge'],
    ['%22=1&%22=2', 'a parameter'],
  ])('with a repeated parameter (%s) is refused, and names it', (more, name) => {
    expect(() => check(queryWith({}, `&${more}`))).toThrow(
      expect.objectContaining({ code: 'invalid_request', message: `${name} is given twice` }),
    );
  });
});

describe('the return address of an authorization request', () => {
  test.each([
    ['missing', { redirect_uri: undefined }, ''],
    ['empty', { redirect_uri: '' }, ''],
    ['not registered', { redirect_uri: 'https://evil.example/cb' }, ''],
    ['given twice', {}, '&redirect_uri=https%3A%2F%2Fapp.example%2Fcb'],
    ['longer than the registered one', { redirect_uri: 'https://app.example/cb/x' }, ''],
  ])('is not known when redirect_uri is %s', (_, change, more) => {
    expect(findReturnAddress(application, queryWith(change, more))).toBeUndefined();
  });

  test('may have any port on loopback', () => {
    const query = queryWith({ redirect_uri: 'http://127.0.0.1:49152/cb' });
    expect(findReturnAddress(application, query)?.redirectUri).toBe('http://127.0.0.1:49152/cb');
  });

  test('has no state when it was repeated', () => {
    expect(findReturnAddress(application, queryWith({}, '&state=other'))?.state).toBeUndefined();
  });
});

const server = { issuer: 'https://api.example', errorPage: 'https://docs.example/errors' };

const redirectUri = 'https://app.example/cb';

test('a redirect with a code has the state and the issuer', () => {
  expect(redirectTarget({ redirectUri, state: 'xyz' }, { code: 'ac_1' }, server)).toBe(
    'https://app.example/cb?code=ac_1&state=xyz&iss=https%3A%2F%2Fapi.example',
  );
});

test('a redirect with an error has its description in plain ASCII', () => {
  const denial = { error: 'access_denied', description: 'nein: "Übung" \\ ok' } as const;
  const url = new URL(redirectTarget({ redirectUri, state: undefined }, denial, server));
  expect(Object.fromEntries(url.searchParams)).toEqual({
    error: 'access_denied',
    error_description: 'nein: ??bung? ? ok',
    error_uri: 'https://docs.example/errors#access_denied',
    iss: server.issuer,
  });
});

test.each([
  ['consent_required', 'login_required'],
  ['interaction_required', 'login_required'],
  ['request_uri_not_supported', 'request_not_supported'],
  ['invalid_scope', 'invalid_scope'],
] as const)('%s is explained in the section %s', (code, section) => {
  const { error_uri } = errorParameters(server, code, '');
  expect(error_uri).toBe(`${server.errorPage}#${section}`);
  expect(readFileSync('docs-site/guides/errors.md', 'utf8')).toContain(`{#${section}}\n`);
});

test.each([
  ['https://app.example/cb?tenant=7', 'https://app.example/cb?tenant=7&code='],
  ['https://app.example/cb?', 'https://app.example/cb?code='],
  ['https://app.example/cb?a=1&', 'https://app.example/cb?a=1&code='],
])('the query of the redirect URI %s is kept', (uri, start) => {
  expect(redirectTarget({ redirectUri: uri, state: 'x' }, { code: 'c' }, server).startsWith(start)).toBe(
    true,
  );
});

describe('the state is returned byte for byte', () => {
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
    expect(redirectTarget({ redirectUri, state }, { code: 'c' }, server)).toContain(`&state=${raw}&iss=`);
  });

  test('and characters that a query cannot hold are percent-encoded', () => {
    const target = redirectTarget({ redirectUri, state: '<"\u00e9^#>' }, { code: 'c' }, server);
    expect(target).toContain('&state=%3C%22%E9%5E%23%3E&iss=');
  });
});

describe('the parser of a query', () => {
  test('reports repeated parameters, also under an encoded name', () => {
    const query = parseQuery('a=1&b=2&%61=3');
    expect(query.repeated).toEqual(['a']);
    expect(query.get('a')).toBeUndefined();
    expect(query.get('b')).toBe('2');
  });

  test('treats parameters without a value as absent', () => {
    const query = parseQuery('a&b=&&c=1');
    expect([query.get('a'), query.get('b'), query.get('c')]).toEqual([undefined, undefined, '1']);
  });

  test('finds no properties of Object.prototype', () => {
    expect(parseQuery('__proto__=1').get('__proto__')).toBe('1');
    expect(parseQuery('').get('constructor')).toBeUndefined();
  });
});
