import { beforeAll, describe, expect, test } from '@jest/globals';
import type { TestApplication } from '../harness/applications.ts';
import { connect, type OAuthClient, oauthClient } from '../harness/oauth.ts';
import { signUpVerified, type TestPerson } from '../harness/people.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/** Contract 4.4: revocation by the client. */

const platform = running(sharedPlatform);
let owner: TestPerson;
let application: TestApplication;
let client: OAuthClient;
beforeAll(async () => {
  owner = await signUpVerified(platform);
  application = await platform.createApplication({ businessId: platform.businessId });
  client = oauthClient(platform, application);
});

const connected = () => connect(platform, owner.browser, application);
const statuses = (key: string) =>
  Promise.all([0, 1].map(async (gateway) => (await platform.me(key, gateway)).status));

describe('revoking', () => {
  test('an access token ends only that token, on every gateway', async () => {
    const { accessToken, refreshToken } = await connected();
    expect(await statuses(accessToken)).toEqual([200, 200]);
    const { status, body, response } = await client.revoke(accessToken, { token_type: 'access_token' });
    expect([status, body]).toEqual([200, {}]);
    expect(response.headers['cache-control']).toBe('no-store');
    expect(await statuses(accessToken)).toEqual([401, 401]);
    expect((await client.refresh(refreshToken)).status).toBe(200);
  });

  test('an access token again succeeds, and is not recorded again', async () => {
    const { accessToken } = await connected();
    const recorded = async () => {
      const [row] = await platform.sql<{ count: number }>(
        "SELECT count(*)::int AS count FROM audit_events WHERE action = 'access_token.revoked' AND business_id = $1",
        [owner.businessId],
      );
      return row?.count ?? 0;
    };
    const before = await recorded();
    for (let turn = 0; turn < 3; turn++) expect((await client.revoke(accessToken)).status).toBe(200);
    expect(await recorded()).toBe(before + 1);
  });

  test('a refresh token ends its whole Grant', async () => {
    const first = await connected();
    const second = await connected();
    expect(await statuses(first.accessToken)).toEqual([200, 200]);
    expect((await client.revoke(first.refreshToken, { token_type: 'refresh_token' })).status).toBe(200);
    for (const { accessToken, refreshToken } of [first, second]) {
      expect(await statuses(accessToken)).toEqual([401, 401]);
      expect((await client.refresh(refreshToken)).body.error).toBe('invalid_grant');
    }
    const grants = await platform.listGrants(owner.businessId);
    expect(grants).toEqual([]);
  });

  test.each([
    ['token_type', 'refresh_token'],
    ['token_type_hint', 'refresh_token'],
    ['token_type', 'access_token'],
    ['token_type_hint', 'access_token'],
  ])('works when %s names the other kind (%s)', async (name, kind) => {
    const { accessToken, refreshToken } = await connected();
    expect((await client.revoke(accessToken, { [name]: kind })).status).toBe(200);
    expect(await statuses(accessToken)).toEqual([401, 401]);
    expect((await client.revoke(refreshToken, { [name]: kind })).status).toBe(200);
    expect((await client.refresh(refreshToken)).status).toBe(400);
  });

  test.each([
    ['no token_type', {}],
    ['an empty one', { token_type: '' }],
    ['an unknown one', { token_type: 'nonsense' }],
    ['an unknown one beside a known hint', { token_type: 'id_token', token_type_hint: 'access_token' }],
    ['an unknown hint', { token_type_hint: 'Access_Token' }],
  ])('with %s is refused, and revokes nothing', async (_, kind) => {
    const { accessToken, refreshToken } = await connected();
    for (const token of [accessToken, refreshToken]) {
      const { status, body } = await client.revoke(token, kind);
      expect([status, body.error]).toEqual([400, 'invalid_request']);
      expect(body.error_description).toContain('must be access_token or refresh_token');
    }
    expect(await statuses(accessToken)).toEqual([200, 200]);
    expect((await client.refresh(refreshToken)).status).toBe(200);
  });

  test.each(['nonsense', 'at_000000000000000000000000000000000000000'])(
    'an unknown token (%s) succeeds',
    async (token) => {
      const { status, body } = await client.revoke(token);
      expect([status, body]).toEqual([200, {}]);
    },
  );

  test('a token twice succeeds', async () => {
    const { accessToken } = await connected();
    expect((await client.revoke(accessToken)).status).toBe(200);
    expect((await client.revoke(accessToken)).status).toBe(200);
  });

  test('a token of another client is refused, and the token stays valid', async () => {
    const other = await platform.createApplication({ businessId: owner.businessId });
    const { accessToken, refreshToken } = await connected();
    for (const token of [accessToken, refreshToken]) {
      const { status, body } = await oauthClient(platform, other).revoke(token);
      expect([status, body.error]).toEqual([400, 'invalid_grant']);
    }
    expect(await statuses(accessToken)).toEqual([200, 200]);
    expect((await client.refresh(refreshToken)).status).toBe(200);
  });

  test('without a token, with wrong credentials or with GET is refused', async () => {
    expect((await client.post('/v2/oauth/revoke', {})).body.error).toBe('invalid_request');
    expect((await client.post('/v2/oauth/revoke', { token: 'x', client_secret: 'wrong' })).status).toBe(401);
    expect((await platform.request(0, 'GET', '/v2/oauth/revoke')).status).toBe(405);
  });
});
