import { beforeEach, describe, expect, test } from '@jest/globals';
import { findRedisServer } from '../../deploy/local/redis.ts';
import type { TestKey } from '../harness/api-keys.ts';
import { orderBody } from '../harness/business-platform.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/** A test of what replicas share, left out where there is no redis-server; the run says so at its start. */
const testWithRedis = findRedisServer(process.env) === undefined ? test.skip : test;

/** Contract 3.1, 7 and 8: API keys at the door of every gateway. */

const platform = running(sharedPlatform);

const gateways = [0, 1];
const statuses = async (key: string) =>
  Promise.all(gateways.map(async (gateway) => (await platform.me(key, gateway)).status));
const invalid = { error: 'Invalid API key', status: 'Unauthorized', code: 401 };

describe('access of a key', () => {
  let key: TestKey;
  beforeEach(async () => {
    key = await platform.createKey();
    expect(await statuses(key.keyString)).toEqual([200, 200]);
  });

  test('ends on every gateway with its deletion', async () => {
    await platform.deleteKey(key);
    for (const gateway of gateways) {
      const response = await platform.me(key.keyString, gateway);
      expect([response.status, response.json()]).toEqual([401, invalid]);
    }
  });

  test('continues with the new string after a rotation, and ends with the old one', async () => {
    const { keyString } = await platform.rotateKey(key);
    expect(await statuses(key.keyString)).toEqual([401, 401]);
    expect(await statuses(keyString)).toEqual([200, 200]);
  });
});

test('a restricted key is limited to its scopes on every gateway, and loses a removed scope at once', async () => {
  const key = await platform.createKey({ type: 'restricted', scopes: ['business:read', 'orders:read'] });
  const { keyString } = key;
  const order = (gateway: number) =>
    platform.request(gateway, 'POST', '/v2/order', { key: keyString, body: orderBody });
  const orders = async (gateway: number) =>
    (await platform.request(gateway, 'GET', '/v2/order', { key: keyString })).status;
  for (const gateway of gateways) {
    expect(await orders(gateway)).toBe(200);
    const { status, headers } = await order(gateway);
    expect([status, headers['www-authenticate']]).toEqual([
      403,
      'Bearer error="insufficient_scope", scope="orders:write"',
    ]);
  }
  await platform.updateKey(key, { scopes: ['business:read'] });
  expect(await Promise.all(gateways.map(orders))).toEqual([403, 403]);
  expect(await statuses(keyString)).toEqual([200, 200]);
});

test('an expired key is refused with another error than an unknown one', async () => {
  const { keyString } = await platform.createKey({ expiresAt: new Date(Date.now() + 1_500) });
  await expectEventually(async () => expect((await platform.me(keyString)).status).toBe(401), {
    withinMs: 5_000,
  });
  for (const gateway of gateways) {
    expect((await platform.me(keyString, gateway)).json()).toEqual({
      error: 'API key has expired',
      status: 'Unauthorized',
      code: 401,
    });
    expect((await platform.me(`${keyString.slice(0, -1)}~`, gateway)).json()).toEqual(invalid);
  }
});

testWithRedis(
  'both gateways count one hour, and refuse what is beyond it with the time to wait',
  async () => {
    const key = await platform.createKey();
    await platform.setKeyLimit(key, 4);
    for (const used of [1, 2, 3, 4]) {
      const { status, headers } = await platform.me(key.keyString, used % 2);
      expect([status, headers['x-ratelimit-remaining']]).toEqual([200, String(4 - used)]);
    }
    for (const gateway of gateways) {
      const { status, headers, json } = await platform.me(key.keyString, gateway);
      expect([status, json()]).toEqual([
        429,
        { error: 'Rate limit exceeded', status: 'Too Many Requests', code: 429 },
      ]);
      expect(Number(headers['retry-after'])).toBeGreaterThan(3_000);
    }
  },
);
