import { afterAll, beforeAll, expect, test } from '@jest/globals';
import * as oauth from 'oauth4webapi';
import { type ClientPlatform, scopes, startClientPlatform } from '../harness/client-platform.ts';

/** oauth4webapi, as it is: every check that it makes is made. */

// The issuer of tests is on loopback, without TLS.
const insecure = { [oauth.allowInsecureRequests]: true };

let world: ClientPlatform;
let server: oauth.AuthorizationServer;
let client: oauth.Client;
beforeAll(async () => {
  world = await startClientPlatform();
  const issuer = new URL(world.platform.publicUrl);
  const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
  server = await oauth.processDiscoveryResponse(issuer, response);
  client = { client_id: world.application.clientId };
});
afterAll(() => world?.platform.close());

/** Sends the person through the authorization request; the callback has passed the library's checks. */
async function authorize(decision?: 'approve' | 'deny') {
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const url = new URL(server.authorization_endpoint ?? '');
  url.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: world.application.redirectUri,
    response_type: 'code',
    scope: scopes.join(' '),
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString();
  const callback = await world.visit(url, decision);
  return {
    callback,
    verifier,
    state,
    check: () => oauth.validateAuthResponse(server, client, callback, state),
  };
}

async function exchange(clientAuth: oauth.ClientAuth) {
  const { check, verifier } = await authorize();
  const { redirectUri } = world.application;
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    clientAuth,
    check(),
    redirectUri,
    verifier,
    insecure,
  );
  return oauth.processAuthorizationCodeResponse(server, client, response);
}

async function refresh(clientAuth: oauth.ClientAuth, refreshToken: string | undefined) {
  const response = await oauth.refreshTokenGrantRequest(
    server,
    client,
    clientAuth,
    refreshToken ?? '',
    insecure,
  );
  return oauth.processRefreshTokenResponse(server, client, response);
}

test.each([
  ['the header', oauth.ClientSecretBasic],
  ['the body', oauth.ClientSecretPost],
])('oauth4webapi goes through the whole flow with its secret in %s', async (_, authenticate) => {
  const clientAuth = authenticate(world.application.clientSecret);
  const first = await exchange(clientAuth);
  expect(first).toMatchObject({ token_type: 'bearer', expires_in: 3_600, scope: scopes.join(' ') });

  const api = new URL('/v2/businesses/me', world.platform.publicUrl);
  const me = await oauth.protectedResourceRequest(
    first.access_token,
    'GET',
    api,
    new Headers(),
    null,
    insecure,
  );
  expect(await me.json()).toMatchObject({ id: world.businessId });

  const second = await refresh(clientAuth, first.refresh_token);
  expect(await world.apiStatuses(second.access_token)).toEqual([200, 200]);

  const token = second.refresh_token ?? '';
  const revoked = await oauth.revocationRequest(server, client, clientAuth, token, {
    ...insecure,
    additionalParameters: { token_type_hint: 'refresh_token' },
  });
  await oauth.processRevocationResponse(revoked);
  expect(await world.apiStatuses(second.access_token)).toEqual([401, 401]);
  await expect(refresh(clientAuth, second.refresh_token)).rejects.toMatchObject({
    code: oauth.RESPONSE_BODY_ERROR,
    status: 400,
    error: 'invalid_grant',
  });
});

test('oauth4webapi tells a denial from everything else', async () => {
  const { check } = await authorize('deny');
  expect(check).toThrow(
    expect.objectContaining({ code: oauth.AUTHORIZATION_RESPONSE_ERROR, error: 'access_denied' }),
  );
});

test('oauth4webapi refuses a callback with another state or issuer', async () => {
  const { callback, state } = await authorize();
  expect(() => oauth.validateAuthResponse(server, client, callback, 'another')).toThrow(/state/);
  callback.searchParams.set('iss', 'https://elsewhere.example');
  expect(() => oauth.validateAuthResponse(server, client, callback, state)).toThrow(/iss/);
});

test('oauth4webapi reports a wrong secret as the challenge of the response', async () => {
  const error: unknown = await exchange(oauth.ClientSecretPost('cs_wrong')).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(oauth.WWWAuthenticateChallengeError);
  if (!(error instanceof oauth.WWWAuthenticateChallengeError)) return;
  expect([error.status, error.cause]).toMatchObject([401, [{ scheme: 'basic' }]]);
  expect(await error.response.json()).toMatchObject({ error: 'invalid_client' });
});
