import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { AuthorizationCode, type ModuleOptions } from 'simple-oauth2';
import { type ClientPlatform, scopes, startClientPlatform } from '../harness/client-platform.ts';
import { pkce } from '../harness/oauth.ts';

/** simple-oauth2, as it is. It knows no metadata, checks no state, and leaves PKCE to parameters of its caller. */

let world: ClientPlatform;
beforeAll(async () => {
  world = await startClientPlatform();
});
afterAll(() => world?.platform.close());

function createClient(options: ModuleOptions['options'], secret = world.application.clientSecret) {
  const [, secondGateway] = world.platform.gatewayPorts;
  return new AuthorizationCode({
    client: { id: world.application.clientId, secret },
    auth: {
      authorizeHost: world.platform.publicUrl,
      tokenHost: `http://127.0.0.1:${secondGateway}`,
      tokenPath: '/v2/oauth/token',
      revokePath: '/v2/oauth/revoke',
    },
    ...(options && { options }),
  });
}

async function exchange(client: AuthorizationCode) {
  const { verifier, challenge } = pkce();
  const state = randomUUID();
  const redirectUri = world.application.redirectUri;
  // Its types do not list what it passes on.
  const asked = { redirect_uri: redirectUri, scope: [...scopes], state };
  const more = { code_challenge: challenge, code_challenge_method: 'S256' };
  const { searchParams } = await world.visit(client.authorizeURL({ ...asked, ...more }));
  expect(searchParams.get('state')).toBe(state);
  const given = { code: searchParams.get('code') ?? '', redirect_uri: redirectUri };
  return client.getToken({ ...given, ...{ code_verifier: verifier } });
}

const inHeader = { authorizationMethod: 'header' } as const;
const inForm = { authorizationMethod: 'body', bodyFormat: 'form' } as const;
const inJson = { authorizationMethod: 'body', bodyFormat: 'json' } as const;

test.each([
  ['the header', inHeader],
  ['a form', inForm],
  ['JSON', inJson],
])('simple-oauth2 goes through the whole flow with its secret in %s', async (_, options) => {
  const first = await exchange(createClient(options));
  expect(first.token).toMatchObject({ token_type: 'Bearer', scope: scopes.join(' ') });
  expect([first.expired(), first.expired(3_601)]).toEqual([false, true]);
  expect(await world.apiStatuses(String(first.token.access_token))).toEqual([200, 200]);

  const second = await first.refresh();
  const accessToken = String(second.token.access_token);
  expect(await world.apiStatuses(accessToken)).toEqual([200, 200]);

  await second.revokeAll();
  expect(await world.apiStatuses(accessToken)).toEqual([401, 401]);
  await expect(second.refresh()).rejects.toMatchObject({
    output: { statusCode: 400 },
    data: { payload: { error: 'invalid_grant' } },
  });
});

test.each([
  ['the header', inHeader],
  ['the body', inForm],
])('simple-oauth2 reports a wrong secret in %s', async (_, options) => {
  await expect(exchange(createClient(options, 'cs_wrong'))).rejects.toMatchObject({
    output: { statusCode: 401 },
    data: { payload: { error: 'invalid_client' } },
  });
});
