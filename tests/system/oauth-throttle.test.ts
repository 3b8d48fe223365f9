import { beforeAll, expect, test } from '@jest/globals';
import type { TestApplication } from '../harness/applications.ts';
import { createBrowser } from '../harness/browser.ts';
import { oauthError } from '../harness/error-responses.ts';
import { authorizePath, oauthClient } from '../harness/oauth.ts';
import { startPlatform } from '../harness/platform.ts';
import { running } from '../harness/running.ts';

/** Too many requests: 429 with Retry-After. Limits are scaled down to a few. */

const platform = running(() =>
  startPlatform({
    identities: 2,
    gatewayEnv: { TRUSTED_PROXIES: '127.0.0.1' },
    identityEnv: { THROTTLE_SCALE: '0.01' },
  }),
);
let application: TestApplication;
beforeAll(async () => {
  application = await platform.createApplication({ businessId: platform.businessId });
});

test.each(['/v2/oauth/token', '/v2/oauth/revoke'])('%s is throttled by address', async (path) => {
  const client = oauthClient(platform, application);
  const responses = [];
  for (let n = 0; n < 14; n++) responses.push(await client.post(path, { client_secret: 'wrong' }));
  const refused = responses.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThanOrEqual(2);
  for (const { body, response } of refused) {
    expect(body).toEqual(oauthError('temporarily_unavailable'));
    expect(Number(response.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(Number(response.headers['retry-after'])).toBeLessThanOrEqual(60);
  }
});

test('a client is counted only after it has authenticated, so that others cannot lock it out', async () => {
  const counted = await platform.sql<{ key: string }>(
    "SELECT DISTINCT split_part(key, ':', 1) || ':' || split_part(key, ':', 2) AS key FROM throttle_counts",
  );
  const keys = counted.map(({ key }) => key);
  expect(keys).toContain('token:address');
  expect(keys).not.toContain('token:client');
});

test('a network of IPv6 counts as one address', async () => {
  const requests = {
    token: (from: object) => oauthClient(platform, application).post('/v2/oauth/token', {}, { ...from }),
    revoke: (from: object) => oauthClient(platform, application).post('/v2/oauth/revoke', {}, { ...from }),
    authorize: (from: object) =>
      createBrowser(platform.gatewayPorts[0] ?? 0).send('GET', authorizePath(application), {
        headers: { ...from },
      }),
  };
  for (const [name, send] of Object.entries(requests)) {
    const responses = await Promise.all(
      Array.from({ length: 14 }, (_, n) => send({ 'X-Forwarded-For': `2001:db8::${n}` })),
    );
    const limits = responses.filter(({ status }) => status === 429);
    expect([name, limits.length >= 2]).toEqual([name, true]);
    expect((await send({ 'X-Forwarded-For': '2001:db8:0:1::1' })).status).not.toBe(429);
  }
});

test('strangers keep no user of a client from the authorization page', async () => {
  const from = (address: string) =>
    createBrowser(platform.gatewayPorts[0] ?? 0).send('GET', authorizePath(application), {
      headers: { 'X-Forwarded-For': address },
    });
  const strangers = Array.from({ length: 45 }, (_, n) => from(`198.51.100.${n % 15}`));
  await Promise.all(strangers);
  expect((await from('203.0.113.1')).status).toBe(303);
});

test('the authorization page is throttled by address, with an error page', async () => {
  const browser = createBrowser(platform.gatewayPorts[0] ?? 0);
  const responses = [];
  for (let n = 0; n < 9; n++) responses.push(await browser.send('GET', authorizePath(application)));
  const [refused] = responses.filter(({ status }) => status === 429);
  expect(refused?.headers).toMatchObject({
    'retry-after': expect.stringMatching(/^\d+$/),
    'content-type': expect.stringMatching(/^text\/html/),
  });
});
