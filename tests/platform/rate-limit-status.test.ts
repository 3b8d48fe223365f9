import { expect, test } from '@jest/globals';
import { findRedisServer } from '../../deploy/local/redis.ts';
import { connect } from '../harness/oauth.ts';
import { signUpVerified } from '../harness/people.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/** GET /v2/rate-limit: what is left of a credential's hour. */

/** A test of what replicas share, left out where there is no redis-server; the run says so at its start. */
const testWithRedis = findRedisServer(process.env) === undefined ? test.skip : test;

const platform = running(sharedPlatform);
const state = (key: string, gateway = 0) => platform.request(gateway, 'GET', '/v2/rate-limit', { key });
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

testWithRedis('GET /v2/rate-limit counts the requests at every gateway, and not itself', async () => {
  const { keyString } = await platform.createKey();
  for (let n = 1; n <= 4; n++) {
    expect((await platform.me(keyString, n % 2)).status).toBe(200);
    for (const gateway of [0, 1]) {
      const { status, headers, text } = await state(keyString, gateway);
      expect([status, headers['x-ratelimit-remaining'], headers['cache-control']]).toEqual([
        200,
        String(10_000 - n),
        'no-store',
      ]);
      expect(JSON.parse(text)).toEqual({
        limit: 10_000,
        used: n,
        remaining: 10_000 - n,
        reset_at: time,
        scopes: ['business:read', 'events:read', 'orders:read', 'orders:write'],
        expires_at: null,
      });
    }
  }
});

test('GET /v2/rate-limit responds with 200 in an hour that is used up, and says when it goes on', async () => {
  const key = await platform.createKey();
  await platform.setKeyLimit(key, 1);
  expect((await state(key.keyString)).json()).toMatchObject({ limit: 1, used: 0, remaining: 1 });
  expect((await platform.me(key.keyString)).status).toBe(200);
  expect((await platform.me(key.keyString)).status).toBe(429);
  const { status, text } = await state(key.keyString);
  const { reset_at: resetAt, ...counts } = JSON.parse(text);
  expect([status, counts]).toMatchObject([200, { limit: 1, used: 1, remaining: 0 }]);
  const leftMs = Date.parse(resetAt) - Date.now();
  expect(leftMs).toBeGreaterThan(3_500_000);
  expect(leftMs).toBeLessThanOrEqual(3_660_000);
});

test('GET /v2/rate-limit needs no scope, and lists the scopes and the end of a restricted key and of an access token', async () => {
  const expiresAt = new Date(Date.now() + 3_600_000);
  const key = await platform.createKey({ type: 'restricted', scopes: ['orders:read'], expiresAt });
  expect((await state(key.keyString)).json()).toMatchObject({
    scopes: ['orders:read'],
    expires_at: expiresAt.toISOString(),
  });
  const owner = await signUpVerified(platform);
  const application = await platform.createApplication({ businessId: platform.businessId });
  const { accessToken } = await connect(platform, owner.browser, application, { scope: 'business:read' });
  const { scopes, expires_at: end } = JSON.parse((await state(accessToken)).text);
  expect([scopes, Date.parse(end) > Date.now()]).toEqual([['business:read'], true]);
});

test('GET /v2/rate-limit is refused without a valid credential, and has no other method', async () => {
  expect((await state('sk_unknown')).status).toBe(401);
  const { keyString } = await platform.createKey();
  const refused = await platform.request(0, 'POST', '/v2/rate-limit', { key: keyString, body: {} });
  expect([refused.status, refused.headers.allow]).toEqual([405, 'GET, HEAD']);
  const head = await platform.request(0, 'HEAD', '/v2/rate-limit', { key: keyString });
  expect([head.status, head.text]).toEqual([200, '']);
});
