import { beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { type Dashboard, openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { makeKey, restricted } from '../harness/made-key.ts';
import { signUp } from '../harness/people.ts';
import { refusalOf } from '../harness/refusals.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { callFrom, countsOf } from '../harness/usage.ts';

const platform = running(sharedPlatform);
let businessId: number;
let dashboard: Dashboard;
beforeAll(async () => {
  const ada = await signUp(platform);
  ({ businessId } = ada);
  dashboard = await openDashboard(ada, ada.browser);
});

const make = async (body: object) => ({ businessId, ...(await makeKey(dashboard, body)) });
const use = (keyString: string, path?: string, address?: string, method?: string) =>
  callFrom(platform, keyString, path, address, method);

describe('the usage of a key', () => {
  const traffic = async () => {
    const key = await make({ ...restricted, scopes: ['business:read', 'orders:read', 'orders:write'] });
    await platform.setKeyLimit(key, 5);
    expect([
      await use(key.keyString),
      await use(key.keyString),
      await use(key.keyString, '/v2/order', '192.0.2.8'),
      await use(key.keyString, '/v2/order/ord_none', '192.0.2.8'),
      await use(key.keyString, '/v2/order', '192.0.2.8', 'DELETE'),
      await use(key.keyString, '/v2/order', '192.0.2.8'),
    ]).toEqual([200, 200, 200, 404, 405, 429]);
    return key;
  };
  const get = async (path: string) => (await dashboard.own('GET', path)).json();

  test('is shown within seconds: state of the hour, scopes, hours, addresses and endpoints', async () => {
    const startedAt = Date.now();
    const key = await traffic();
    const path = `/api-keys/${key.id}`;
    const isRecorded = async () =>
      expect(await get(`${path}/blast-radius`)).toMatchObject({ calls: { lastHour: 6 } });
    await expectEventually(isRecorded, { withinMs: 15_000 });
    const rollingHour = { limit: 5, used: 5, left: 0, observedAt: expect.any(String) };
    const never = { lastUsedAt: null };
    expect(await get(path)).toMatchObject({
      rollingHour,
      lastUsedAt: expect.any(String),
      scopeUses: [
        { scope: 'business:read', lastUsedAt: expect.any(String) },
        { scope: 'orders:read', lastUsedAt: expect.any(String) },
        { scope: 'orders:write', ...never },
      ],
    });
    const list = z.object({ apiKeys: z.array(z.looseObject({ id: z.string() })) });
    const listed = list.parse(await get('/api-keys')).apiKeys.find(({ id }) => id === key.id);
    expect(listed).toMatchObject({ rollingHour, lastUsedIp: '192.0.2.8' });

    const from = new Date(startedAt - 3_600_000).toISOString();
    const to = new Date(Date.now() + 3_600_000).toISOString();
    const usage = await dashboard.own('GET', `${path}/usage?from=${from}&to=${to}`);
    expect(countsOf(usage)).toEqual([3, 2, 1, 0]);

    const { createdAt } = z.looseObject({ createdAt: z.string() }).parse(await get(path));
    const radius = await get(`${path}/blast-radius`);
    expect(radius).toEqual({
      calls: { lastHour: 6, lastDay: 6 },
      since: createdAt,
      addresses: [
        { address: '192.0.2.8', requests: 4, successes: 1, lastSuccessAt: expect.any(String) },
        { address: '192.0.2.7', requests: 2, successes: 2, lastSuccessAt: expect.any(String) },
      ],
      endpoints: expect.arrayContaining([
        { method: 'GET', route: '/v2/businesses/me', requests: 2 },
        { method: 'GET', route: '/v2/order', requests: 2 },
        { method: null, route: '/v2/order', requests: 1 },
      ]),
      lastUsedAt: expect.any(String),
      lastUsedIp: '192.0.2.8',
    });
  });

  test('is empty for a new key, and a secret key lists every scope', async () => {
    const key = await make({ name: 'Backend', keyType: 'secret' });
    const path = `/api-keys/${key.id}`;
    expect(await get(path)).toMatchObject({
      lastUsedAt: null,
      rollingHour: { limit: 10_000, used: 0, left: 10_000, observedAt: null },
      scopeUses: ['business:read', 'events:read', 'orders:read', 'orders:write'].map((scope) => ({
        scope,
        lastUsedAt: null,
      })),
    });
    expect(await get(`${path}/blast-radius`)).toMatchObject({
      calls: { lastHour: 0, lastDay: 0 },
      addresses: [],
      endpoints: [],
      lastUsedAt: null,
      lastUsedIp: null,
    });
    const span = 'from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00%2B01:00';
    expect(await get(`${path}/usage?${span}`)).toEqual({ hours: [] });
  });

  test('can be requested for at most 90 days, and only with the start before the end', async () => {
    const { id } = await make(restricted);
    const status = async (span: string) =>
      (await dashboard.own('GET', `/api-keys/${id}/usage?${span}`)).status;
    expect(await status('from=2026-01-01T00:00:00Z&to=2026-04-01T00:00:00Z')).toBe(200);
    const refused = async (span: string) =>
      refusalOf(await dashboard.own('GET', `/api-keys/${id}/usage?${span}`));
    const invalid = (...fields: string[]) => ({ code: 400, reason: 'invalid_input', fields });
    expect(await refused('from=2026-01-01T00:00:00Z&to=2026-04-01T00:00:01Z')).toEqual(invalid('from'));
    expect(await refused('from=2026-01-01T00:00:00Z&to=2026-01-01T00:00:00Z')).toEqual(invalid('to'));
    expect(await refused('from=yesterday')).toEqual(invalid('from', 'to'));
  });
});
