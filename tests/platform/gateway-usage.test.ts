import { expect, test } from '@jest/globals';
import { findRedisServer } from '../../deploy/local/redis.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/** A test of what replicas share, left out where there is no redis-server; the run says so at its start. */
const testWithRedis = findRedisServer(process.env) === undefined ? test.skip : test;

const platform = running(sharedPlatform);

const from = (key: { keyString: string }, address: string) => ({
  key: key.keyString,
  headers: { 'X-Forwarded-For': address },
});

testWithRedis('what two gateways saw of a key is one sum', async () => {
  const key = await platform.createKey({ type: 'restricted', scopes: ['business:read', 'orders:read'] });
  await platform.setKeyLimit(key, 6);
  const startedAt = Date.now();
  const send = async (gateway: number, method: string, path: string, address: string) =>
    (await platform.request(gateway, method, path, from(key, address))).status;
  expect(await send(0, 'GET', '/v2/order', '192.0.2.1')).toBe(200);
  expect(await send(1, 'GET', '/v2/order', '192.0.2.1')).toBe(200);
  expect(await send(1, 'HEAD', '/v2/businesses/me', '192.0.2.2')).toBe(200);
  expect(await send(0, 'GET', '/v2/order/ord_none', '192.0.2.3')).toBe(404);
  expect(await send(0, 'GET', '/v2/elsewhere', '192.0.2.3')).toBe(404);
  expect(await send(0, 'POST', '/v2/order', '192.0.2.3')).toBe(403);
  expect(await send(1, 'DELETE', '/v2/order', '192.0.2.3')).toBe(429);
  expect(await send(1, 'GET', '/v2/order', '192.0.2.3')).toBe(429);

  await expectEventually(
    async () =>
      expect(
        await platform.sql(
          `SELECT sum(count_2xx)::int AS "2xx", sum(count_4xx)::int AS "4xx", sum(count_429)::int AS "429",
                  sum(count_5xx)::int AS "5xx" FROM usage_hours WHERE limit_id = $1 AND business_id = $2`,
          [key.id, key.businessId],
        ),
      ).toEqual([{ '2xx': 3, '4xx': 3, '429': 2, '5xx': 0 }]),
    { withinMs: 15_000 },
  );
  expect(
    await platform.sql('SELECT sum(count_2xx)::int AS n FROM usage_counts WHERE limit_id = $1', [key.id]),
  ).toEqual([{ n: 3 }]);
  const addresses = await platform.sql(
    `SELECT address, sum(requests)::int AS requests, sum(successes)::int AS successes,
            max(extract(epoch FROM last_success_at))::float8 * 1000 AS last_success
     FROM usage_addresses WHERE limit_id = $1 GROUP BY address ORDER BY address`,
    [key.id],
  );
  expect(addresses).toEqual([
    { address: '192.0.2.1', requests: 2, successes: 2, last_success: expect.any(Number) },
    { address: '192.0.2.2', requests: 1, successes: 1, last_success: expect.any(Number) },
    { address: '192.0.2.3', requests: 5, successes: 0, last_success: null },
  ]);
  expect(Number(addresses[0]?.last_success)).toBeGreaterThanOrEqual(startedAt);
  expect(
    await platform.sql(
      `SELECT method, route, sum(requests)::int AS requests FROM usage_endpoints WHERE limit_id = $1
       GROUP BY method, route ORDER BY method, route`,
      [key.id],
    ),
  ).toEqual([
    { method: '', route: '/v2/order', requests: 1 },
    { method: '', route: 'none', requests: 1 },
    { method: 'GET', route: '/v2/order', requests: 3 },
    { method: 'GET', route: '/v2/order/{id}', requests: 1 },
    { method: 'HEAD', route: '/v2/businesses/me', requests: 1 },
    { method: 'POST', route: '/v2/order', requests: 1 },
  ]);
  expect(
    await platform.sql('SELECT scope FROM scope_uses WHERE limit_id = $1 ORDER BY scope', [key.id]),
  ).toEqual([{ scope: 'business:read' }, { scope: 'orders:read' }]);
  expect(await platform.sql('SELECT used FROM limit_observations WHERE limit_id = $1', [key.id])).toEqual([
    { used: 6 },
  ]);
});
