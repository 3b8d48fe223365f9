import { beforeAll, describe, expect, test } from '@jest/globals';
import type { TestApplication } from '../harness/applications.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { completedAfter, startLoad } from '../harness/load.ts';
import { authorizePath, connect, oauthClient, returned } from '../harness/oauth.ts';
import { signUpVerified, type TestPerson } from '../harness/people.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/** Access tokens at the gateways, and connected applications. */

const platform = running(sharedPlatform);
let owner: TestPerson;
let application: TestApplication;
beforeAll(async () => {
  owner = await signUpVerified(platform);
  application = await platform.createApplication({ businessId: platform.businessId });
});

/** Rows of the owner's connections. */
const mine = 'grant_id IN (SELECT id FROM grants WHERE business_id = $1)';

const connected = (change = {}) => connect(platform, owner.browser, application, change);
const get = (key: string, path = '/v2/businesses/me', gateway = 0) =>
  platform.request(gateway, 'GET', path, { key });
const grantsOf = (businessId = owner.businessId) => platform.listGrants(businessId);
const disconnect = (grant: { readonly id: string } | undefined) =>
  platform.disconnectGrant(owner.businessId, grant?.id ?? '');

describe('an access token', () => {
  test('gives access to what its scopes allow, for the approving business', async () => {
    const { accessToken } = await connected({ scope: 'orders:read' });
    expect((await get(accessToken, '/v2/order')).status).toBe(200);
    const denied = await get(accessToken);
    expect([denied.status, denied.json()]).toEqual([403, { status: 'Forbidden', code: 403 }]);
  });

  test('shares its rolling hour with all other tokens of its Grant', async () => {
    const [first, second] = [await connected(), await connected()];
    const remaining = async (key: string) => Number((await get(key)).headers['x-ratelimit-remaining']);
    const before = await remaining(first.accessToken);
    expect(await remaining(second.accessToken)).toBe(before - 1);
  });

  test('is expired after an hour, on the clock of the database', async () => {
    const { accessToken } = await connected();
    const [token] = await platform.sql(
      `SELECT extract(epoch FROM expires_at - created_at)::float8 AS seconds FROM access_tokens
       WHERE ${mine} ORDER BY created_at DESC LIMIT 1`,
      [owner.businessId],
    );
    // The expiry counts from the lock, the creation from the insert.
    expect(Math.round(Number(token?.seconds) / 60)).toBe(60);
    await platform.sql(`UPDATE access_tokens SET expires_at = clock_timestamp() WHERE ${mine}`, [
      owner.businessId,
    ]);
    const response = await get(accessToken);
    expect([response.status, response.json()]).toEqual([
      401,
      { error: 'Access token has expired', status: 'Unauthorized', code: 401 },
    ]);
    expect(response.headers.link).toBe('</docs/errors#access_token_expired>; rel="help"');
  });

  test('ends at its moment on gateways that have it in memory', async () => {
    const { accessToken } = await connected();
    const [token] = await platform.sql(
      `UPDATE access_tokens SET expires_at = clock_timestamp() + interval '7 seconds'
       WHERE created_at = (SELECT max(created_at) FROM access_tokens WHERE ${mine})
       RETURNING extract(epoch FROM expires_at)::float8 * 1000 AS end`,
      [owner.businessId],
    );
    expect((await get(accessToken)).status).toBe(200);
    for (let status = 200; Date.now() <= Number(token?.end); ) {
      expect([200, 401]).toContain(status);
      ({ status } = await get(accessToken));
    }
    expect((await get(accessToken)).status).toBe(401);
  });

  test('that was revoked is reported as invalid, even after it has expired', async () => {
    const { accessToken } = await connected();
    await oauthClient(platform, application).revoke(accessToken);
    await platform.sql(`UPDATE access_tokens SET expires_at = clock_timestamp() WHERE ${mine}`, [
      owner.businessId,
    ]);
    expect((await get(accessToken)).json()).toMatchObject({ error: 'Invalid access token' });
  });

  test.each(['refresh', 'code'])('cannot be replaced by a %s token', async (kind) => {
    const { refreshToken } = await connected();
    const { code = '' } = returned(await owner.browser.open(authorizePath(application)));
    expect((await get(kind === 'code' ? code : refreshToken)).status).toBe(401);
  });
});

describe('connected applications', () => {
  test('show application, scopes granted and used, last use and address', async () => {
    const { accessToken } = await connected();
    expect((await get(accessToken, '/v2/order')).status).toBe(200);
    await expectEventually(
      async () => {
        const [grant] = await grantsOf();
        expect(grant).toMatchObject({
          applicationName: 'Shop',
          scopes: ['business:read', 'orders:read'],
          scopesUsed: expect.arrayContaining(['orders:read']),
          lastUsedIp: '127.0.0.1',
        });
        expect(grant?.lastUsedAt).toBeGreaterThan(0);
      },
      { withinMs: 15_000 },
    );
    const page = await owner.browser.open('/account/applications');
    expect(page.text).toMatch(
      /Shop.*Last used .* from 127\.0\.0\.1.*See your orders[^<]*<span class="soft">\(used\)/s,
    );
  });

  test('are disconnected by their owner on the page: every token ends at once', async () => {
    const { accessToken, refreshToken } = await connected();
    expect((await get(accessToken)).status).toBe(200);
    await owner.browser.open('/account/applications');
    const done = await owner.browser.submitAndFollow('/account/applications');
    expect(done.text).toContain('Disconnected');
    expect(done.text).not.toContain('Shop');
    for (const gateway of [0, 1]) expect((await get(accessToken, undefined, gateway)).status).toBe(401);
    expect((await oauthClient(platform, application).refresh(refreshToken)).body.error).toBe('invalid_grant');
    expect(await grantsOf()).toEqual([]);
  });

  test('are not disconnected by others', async () => {
    const { accessToken } = await connected();
    const [grant] = await grantsOf();
    const stranger = await signUpVerified(platform);
    await connect(platform, stranger.browser, application);
    await stranger.browser.open('/account/applications');
    const own = { business: String(stranger.businessId), grant: grant?.id ?? '' };
    const foreign = { business: String(owner.businessId), grant: grant?.id ?? '' };
    for (const fields of [own, foreign]) {
      expect((await stranger.browser.submit('/account/applications', fields)).status).toBe(404);
    }
    const csrf = await owner.browser.send('POST', '/account/applications', { form: foreign });
    expect(csrf.status).toBe(403);
    expect((await get(accessToken)).status).toBe(200);
    await expect(platform.disconnectGrant(stranger.businessId, grant?.id ?? '')).rejects.toMatchObject({
      kind: 'not_found',
      reason: 'grant_not_found',
    });
  });

  test('ask for consent again after they were disconnected', async () => {
    await connected();
    const [grant] = await grantsOf();
    expect(await disconnect(grant)).toBe('confirmed');
    // Repeated, for a client that lost the response.
    expect(await disconnect(grant)).toBe('confirmed');
    expect((await owner.browser.open(authorizePath(application))).status).toBe(200);
  });

  test('lose codes that are not exchanged yet when they are disconnected', async () => {
    await connected();
    const { code = '' } = returned(await owner.browser.open(authorizePath(application)));
    const [grant] = await grantsOf();
    await disconnect(grant);
    const response = await oauthClient(platform, application).exchange(code, 'v'.repeat(43));
    expect(response.body.error).toBe('invalid_grant');
  });
});

describe('under load on both gateways no request that starts after the reply succeeds', () => {
  test.each([
    [
      'revoking the token',
      async (accessToken: string) => void (await oauthClient(platform, application).revoke(accessToken)),
    ],
    [
      'disconnecting',
      async () => {
        const [grant] = await grantsOf();
        await disconnect(grant);
      },
    ],
    [
      'deleting the application',
      async () => {
        await platform.deleteApplication(application);
        application = await platform.createApplication({ businessId: platform.businessId });
      },
    ],
  ])('%s', async (_, end) => {
    const { accessToken } = await connected();
    const load = startLoad({
      ports: platform.gatewayPorts,
      rate: 200,
      path: '/v2/businesses/me',
      key: accessToken,
    });
    await completedAfter(load, 0, 50);
    expect(load.report.failures(200)).toEqual([]);
    await end(accessToken);
    const endedAt = performance.now();
    await completedAfter(load, endedAt, 50);
    const report = await load.stop();
    expect(report.successesStartedAfter(endedAt)).toEqual([]);
    expect(report.failures(200, 401)).toEqual([]);
  });
});
