import { afterAll, beforeAll, expect, test } from '@jest/globals';
import * as openid from 'openid-client';
import {
  type ClientPlatform,
  otherRedirectUris,
  scopes,
  startClientPlatform,
} from '../harness/client-platform.ts';

/** openid-client, as it is: found by RFC 8414, state and issuer checked by the library. */

let world: ClientPlatform;
beforeAll(async () => {
  world = await startClientPlatform();
});
afterAll(() => world?.platform.close());

function discover(clientSecret = world.application.clientSecret, authenticate = openid.ClientSecretPost) {
  const { application, platform } = world;
  return openid.discovery(
    new URL(platform.publicUrl),
    application.clientId,
    undefined,
    authenticate(clientSecret),
    {
      algorithm: 'oauth2',
      // The issuer of tests is on loopback, without TLS.
      execute: [openid.allowInsecureRequests],
    },
  );
}

interface Request {
  readonly decision?: 'approve' | 'deny';
  readonly redirectUri?: string;
}

async function authorize(
  config: openid.Configuration,
  { decision, redirectUri = world.application.redirectUri }: Request = {},
) {
  const checks = { pkceCodeVerifier: openid.randomPKCECodeVerifier(), expectedState: openid.randomState() };
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: scopes.join(' '),
    state: checks.expectedState,
    code_challenge: await openid.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  const callback = await world.visit(url, decision);
  return { callback, exchange: () => openid.authorizationCodeGrant(config, callback, checks) };
}

test.each([
  ['the header', openid.ClientSecretBasic],
  ['the body', openid.ClientSecretPost],
])('openid-client goes through the whole flow with its secret in %s', async (_, authenticate) => {
  const config = await discover(undefined, authenticate);
  expect(config.serverMetadata().supportsPKCE()).toBe(true);
  const { exchange } = await authorize(config);
  const first = await exchange();
  expect(first.expiresIn()).toBeGreaterThan(3_590);

  const api = new URL('/v2/businesses/me', world.platform.publicUrl);
  const me = await openid.fetchProtectedResource(config, first.access_token, api, 'GET');
  expect(await me.json()).toMatchObject({ id: world.businessId });

  const second = await openid.refreshTokenGrant(config, first.refresh_token ?? '');
  expect(await world.apiStatuses(second.access_token)).toEqual([200, 200]);

  await openid.tokenRevocation(config, second.refresh_token ?? '', { token_type_hint: 'refresh_token' });
  expect(await world.apiStatuses(second.access_token)).toEqual([401, 401]);
  await expect(openid.refreshTokenGrant(config, second.refresh_token ?? '')).rejects.toMatchObject({
    code: 'OAUTH_RESPONSE_BODY_ERROR',
    status: 400,
    error: 'invalid_grant',
  });
});

test.each([
  ['has no path', otherRedirectUris[0], undefined],
  ['has a query, once it sends no redirect_uri with the code', otherRedirectUris[1], withoutRedirectUri],
])('openid-client exchanges a code of a redirect URI that %s', async (_, redirectUri, customFetch) => {
  const config = await discover();
  if (customFetch) config[openid.customFetch] = customFetch;
  const { callback, exchange } = await authorize(config, { redirectUri });
  expect(callback.href.startsWith(redirectUri)).toBe(true);
  expect(await world.apiStatuses((await exchange()).access_token)).toEqual([200, 200]);
});

/** As docs-site/guides/connect.md has it. */
function withoutRedirectUri(url: string, options: openid.CustomFetchOptions) {
  if (options.body instanceof URLSearchParams) options.body.delete('redirect_uri');
  return fetch(url, { ...options, body: options.body ?? null });
}

test('openid-client tells a denial from everything else', async () => {
  const { exchange } = await authorize(await discover(), { decision: 'deny' });
  await expect(exchange()).rejects.toMatchObject({
    code: 'OAUTH_AUTHORIZATION_RESPONSE_ERROR',
    error: 'access_denied',
  });
});

test.each(['state', 'iss'])('openid-client refuses a callback with another %s', async (name) => {
  const { callback, exchange } = await authorize(await discover());
  callback.searchParams.set(name, 'https://elsewhere.example');
  await expect(exchange()).rejects.toMatchObject({
    code: 'OAUTH_INVALID_RESPONSE',
    cause: { message: expect.stringContaining(`"${name}"`) },
  });
});

test('openid-client reports a wrong secret as the challenge of the response', async () => {
  const { exchange } = await authorize(await discover('cs_wrong'));
  await expect(exchange()).rejects.toMatchObject({
    code: 'OAUTH_WWW_AUTHENTICATE_CHALLENGE',
    status: 401,
    cause: [{ scheme: 'basic' }],
  });
});
