import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { untilBusinessIsBack } from '../harness/business-outage.ts';
import { connectCanaryKeys } from '../harness/canary-keys.ts';
import { type Dashboard, openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { connect } from '../harness/oauth.ts';
import { joinBusiness, logIn, signUp, signUpVerified, type TestPerson } from '../harness/people.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

const platform = running(sharedPlatform);

const count = z.number();
const caller = z.object({
  kind: z.string(),
  id: z.string(),
  name: z.string().nullable(),
  exists: z.boolean(),
});
const overviewResponse = z.object({
  hours: z.array(
    z.object({ start: z.string(), count2xx: count, count4xx: count, count429: count, count5xx: count }),
  ),
  busiest: z.array(z.object({ caller, requests: count, refused: count, failed: count })),
  limits: z.array(z.object({ caller, limit: count, used: count, left: count })),
  endingKeys: z.array(
    z.object({ id: z.string(), name: z.string(), status: z.string(), expiresAt: z.string() }),
  ),
  hasMoreEndingKeys: z.boolean(),
  start: z.object({
    verified: z.boolean().nullable(),
    keyMade: z.boolean(),
    firstCall: z.boolean(),
    connected: z.boolean(),
  }),
  revocations: z.object({ count, pending: count, slowestMs: count.nullable() }),
});
type Overview = z.output<typeof overviewResponse>;

const hourMs = 3_600_000;

function lastDay(): string {
  const to = new Date(Date.now() + hourMs);
  const from = new Date(to.getTime() - 24 * hourMs);
  return `/overview?${new URLSearchParams({ from: from.toISOString(), to: to.toISOString() })}`;
}

async function read(dashboard: Dashboard): Promise<Overview> {
  const response = await dashboard.own('GET', lastDay());
  expect(response.status).toBe(200);
  return overviewResponse.parse(response.json());
}

/** Reads until gateways have reported what `isThere` looks for. */
function readWith(dashboard: Dashboard, isThere: (overview: Overview) => boolean): Promise<Overview> {
  return expectEventually(
    async () => {
      const overview = await read(dashboard);
      if (!isThere(overview)) throw new Error(`Not there yet: ${JSON.stringify(overview)}`);
      return overview;
    },
    { withinMs: 15_000, everyMs: 250 },
  );
}

const open = (person: TestPerson) => openDashboard(person, person.browser);
const get = async (key: string, times = 1, path = '/v2/order') => {
  for (let i = 0; i < times; i++) await platform.request(0, 'GET', path, { key });
};
const requestsOf = ({ hours }: Overview) =>
  hours.reduce((sum, hour) => sum + hour.count2xx + hour.count4xx + hour.count429 + hour.count5xx, 0);

test('a new business has an empty overview', async () => {
  const ada = await signUp(platform);
  expect(await read(await open(ada))).toEqual({
    hours: [],
    busiest: [],
    limits: [],
    endingKeys: [],
    hasMoreEndingKeys: false,
    start: { verified: false, keyMade: false, firstCall: false, connected: false },
    revocations: { count: 0, pending: 0, slowestMs: null },
  });
});

test('the checklist shows each step that was done', async () => {
  const ada = await signUpVerified(platform);
  const dashboard = await open(ada);
  expect((await read(dashboard)).start).toMatchObject({ verified: true, keyMade: false });

  const key = await platform.createKey({
    businessId: ada.businessId,
    type: 'restricted',
    scopes: ['orders:read'],
  });
  expect((await read(dashboard)).start).toMatchObject({ keyMade: true, firstCall: false });

  await get(key.keyString, 1, '/v2/businesses/me');
  const refused = await readWith(dashboard, (overview) => requestsOf(overview) === 1);
  expect(refused.start.firstCall).toBe(false);
  await get(key.keyString);
  const called = await readWith(
    dashboard,
    (overview) => requestsOf(overview) === 2 && overview.start.firstCall,
  );
  expect(called.start).toMatchObject({ firstCall: true, connected: false });

  const application = await platform.createApplication({ businessId: platform.businessId });
  await connect(platform, ada.browser, application);
  expect((await read(dashboard)).start.connected).toBe(true);

  await platform.deleteKey(key);
  expect((await read(dashboard)).start).toMatchObject({ keyMade: true, firstCall: true });
});

test('a connection of another business to an own application counts as a connection', async () => {
  const [ada, mary] = [await signUpVerified(platform), await signUpVerified(platform)];
  const application = await platform.createApplication({ businessId: ada.businessId });
  await connect(platform, mary.browser, application);
  const dashboard = await open(ada);
  expect((await read(dashboard)).start.connected).toBe(true);
  await platform.sql(
    "UPDATE grants SET ended_at = now(), end_reason = 'disconnected' WHERE application_id = $1",
    [application.id],
  );
  expect((await read(dashboard)).start.connected).toBe(false);
});

test('traffic is shown by hour and by caller, keys and applications by name', async () => {
  const ada = await signUpVerified(platform);
  const dashboard = await open(ada);
  const key = await platform.createKey({ businessId: ada.businessId, name: 'Till' });
  const gone = await platform.createKey({ businessId: ada.businessId, name: 'Old till' });
  const application = await platform.createApplication({
    businessId: platform.businessId,
    name: 'Parcel Post',
    scopes: ['orders:read'],
  });
  const { accessToken } = await connect(platform, ada.browser, application);
  await get(key.keyString, 3);
  await get(key.keyString, 1, '/v2/nothing');
  await get(accessToken, 2);
  await get(gone.keyString, 1);
  await platform.deleteKey(gone);

  const { hours, busiest } = await readWith(dashboard, (overview) => requestsOf(overview) === 7);
  const sum = (name: 'count2xx' | 'count4xx') => hours.reduce((total, hour) => total + hour[name], 0);
  expect([sum('count2xx'), sum('count4xx')]).toEqual([6, 1]);
  expect(Date.parse(hours[0]?.start ?? '') % hourMs).toBe(0);
  expect(busiest).toEqual([
    {
      caller: { kind: 'api_key', id: key.id, name: 'Till', exists: true },
      requests: 4,
      refused: 1,
      failed: 0,
    },
    {
      caller: { kind: 'application', id: application.id, name: 'Parcel Post', exists: true },
      requests: 2,
      refused: 0,
      failed: 0,
    },
    {
      caller: { kind: 'api_key', id: gone.id, name: 'Old till', exists: false },
      requests: 1,
      refused: 0,
      failed: 0,
    },
  ]);
});

test('a limit that is almost reached is shown, with what is left', async () => {
  const ada = await signUp(platform);
  const dashboard = await open(ada);
  const close = await platform.createKey({ businessId: ada.businessId, name: 'Close' });
  const far = await platform.createKey({ businessId: ada.businessId, name: 'Far' });
  await platform.setKeyLimit(close, 10);
  await platform.setKeyLimit(far, 10);
  await get(close.keyString, 8);
  await get(far.keyString, 7);
  const { limits } = await readWith(
    dashboard,
    (overview) => requestsOf(overview) === 15 && overview.limits.length > 0,
  );
  expect(limits).toEqual([
    {
      caller: { kind: 'api_key', id: close.id, name: 'Close', exists: true },
      limit: 10,
      used: 8,
      left: 2,
    },
  ]);
});

test('an almost reached limit of a connected application is shown under its name', async () => {
  const ada = await signUpVerified(platform);
  const application = await platform.createApplication({
    businessId: platform.businessId,
    name: 'Parcel Post',
    scopes: ['orders:read'],
  });
  const { accessToken } = await connect(platform, ada.browser, application);
  await get(accessToken);
  const dashboard = await open(ada);
  const { limits } = await readWith(dashboard, (overview) => requestsOf(overview) === 1);
  expect(limits).toEqual([]);
  // As gateways would report after nine thousand more.
  const whose = [ada.businessId];
  await platform.sql('UPDATE limit_observations SET used = 9001 WHERE business_id = $1', whose);
  await platform.sql('UPDATE usage_counts SET count_2xx = 9001 WHERE business_id = $1', whose);
  expect((await read(dashboard)).limits).toEqual([
    {
      caller: { kind: 'application', id: application.id, name: 'Parcel Post', exists: true },
      limit: 10_000,
      used: 9_001,
      left: 999,
    },
  ]);
});

test('keys that expire within a fortnight, or have expired within one, are shown', async () => {
  const ada = await signUp(platform);
  const day = 24 * hourMs;
  const make = async (name: string, days: number | undefined) => {
    const key = await platform.createKey({ businessId: ada.businessId, name });
    if (days === undefined) return;
    await platform.sql('UPDATE api_keys SET expires_at = $2 WHERE id = $1', [
      key.id,
      new Date(Date.now() + days * day),
    ]);
  };
  for (const [name, days] of [
    ['in a month', 30],
    ['tomorrow', 1],
    ['yesterday', -1],
    ['long ago', -30],
    ['never', undefined],
    ['in thirteen days', 13],
  ] as const) {
    await make(name, days);
  }
  const { endingKeys } = await read(await open(ada));
  expect(endingKeys.map(({ name, status }) => [name, status])).toEqual([
    ['yesterday', 'expired'],
    ['tomorrow', 'active'],
    ['in thirteen days', 'active'],
  ]);
});

describe('revocations of the last 30 days', () => {
  const revocationsWith = async (dashboard: Dashboard, wanted: number) => {
    const { revocations } = await readWith(dashboard, (overview) => overview.revocations.count === wanted);
    return revocations;
  };

  test('are those that people of the business made, and have the time of the slowest', async () => {
    const ada = await signUp(platform);
    const dashboard = await open(ada);
    const keys = connectCanaryKeys(platform.targets.identity, ada.businessId);
    const { id } = await keys.takeKey('of a program');
    await keys.takeKey('of a program').finally(keys.disconnect);
    expect((await dashboard.own('PATCH', `/api-keys/${id}`, { name: 'Till' })).status).toBe(200);
    expect((await dashboard.own('PATCH', `/api-keys/${id}`, { scopes: ['orders:read'] })).status).toBe(200);
    expect((await dashboard.own('DELETE', `/api-keys/${id}`)).status).toBe(200);
    const { pending, slowestMs } = await revocationsWith(dashboard, 2);
    expect([pending, (slowestMs ?? 0) > 0]).toEqual([0, true]);
    await platform.sql('UPDATE revocation_days SET day = day - 29, slowest_ms = 31 WHERE business_id = $1', [
      ada.businessId,
    ]);
    expect((await read(dashboard)).revocations).toEqual({ count: 2, pending: 0, slowestMs: 31 });
    await platform.sql('UPDATE revocation_days SET day = day - 1 WHERE business_id = $1', [ada.businessId]);
    expect((await read(dashboard)).revocations).toEqual({ count: 0, pending: 0, slowestMs: null });
  });

  test('that gateways did not confirm in time are counted as such, without a time', async () => {
    const ada = await signUp(platform);
    const dashboard = await open(ada);
    const key = await platform.createKey({ businessId: ada.businessId });
    await platform.redis?.command('ACL', 'SETUSER', 'default', '-eval');
    try {
      const response = await dashboard.own('DELETE', `/api-keys/${key.id}`);
      expect(response.json()).toMatchObject({ propagation: 'pending' });
    } finally {
      await platform.redis?.command('ACL', 'SETUSER', 'default', '+eval');
    }
    expect(await revocationsWith(dashboard, 1)).toEqual({ count: 1, pending: 1, slowestMs: null });
  });
});

test('at most twenty keys that expire soon are listed, with a note that there are more', async () => {
  const ada = await signUp(platform);
  const insert = (from: number, to: number) =>
    platform.sql(
      `INSERT INTO api_keys (id, business_id, name, description, key_type, scopes, secret_hash, last_four, request_limit, expires_at)
       SELECT 'key_' || $1 || '_' || n, $1::bigint, 'key ' || n, '', 'secret', '{}', sha256(($1 || '-' || n)::bytea), 'abcd', 10000,
              now() + n * interval '1 hour'
       FROM generate_series($2::int, $3::int) AS n`,
      [String(ada.businessId), from, to],
    );
  await insert(1, 20);
  expect(await read(await open(ada))).toMatchObject({ endingKeys: { length: 20 }, hasMoreEndingKeys: false });
  await insert(21, 21);
  expect(await read(await open(ada))).toMatchObject({ endingKeys: { length: 20 }, hasMoreEndingKeys: true });
});

describe('access:', () => {
  test('members may read it, strangers get 404', async () => {
    const [ada, mary] = [await signUp(platform), await signUp(platform)];
    const there = `/businesses/${ada.businessId}${lastDay()}`;
    const { call } = await open(mary);
    expect((await call('GET', there)).status).toBe(404);
    await joinBusiness(platform, mary, ada.businessId, 'developer');
    expect((await call('GET', there)).status).toBe(200);
  });

  test('the overview has no traffic, key or limit of another business', async () => {
    const [ada, mary] = [await signUp(platform), await signUp(platform)];
    const key = await platform.createKey({
      businessId: ada.businessId,
      expiresAt: new Date(Date.now() + hourMs),
    });
    await platform.setKeyLimit(key, 1);
    await get(key.keyString);
    const dashboard = await open(ada);
    await readWith(dashboard, ({ limits }) => limits.length === 1);
    await dashboard.own('DELETE', `/api-keys/${key.id}`);
    await readWith(dashboard, ({ revocations }) => revocations.count === 1);
    const { start, revocations, ...others } = await read(await open(mary));
    expect(others).toEqual({ hours: [], busiest: [], limits: [], endingKeys: [], hasMoreEndingKeys: false });
    expect(start).toEqual({ verified: false, keyMade: false, firstCall: false, connected: false });
    expect(revocations.count).toBe(0);
  });
});

test.each([
  ['?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 'to'],
  ['?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z&unit=day', 'unit'],
])('the period %p is refused', async (search, field) => {
  const ada = await signUp(platform);
  const response = await (await open(ada)).own('GET', `/overview${search}`);
  expect([response.status, response.json()]).toMatchObject([
    400,
    { fields: { [field]: expect.any(String) } },
  ]);
});

test('the overview shows everything else while business-service does not respond', async () => {
  const ada = await signUpVerified(platform);
  const browser = await logIn(platform, ada);
  const dashboard = await openDashboard(ada, browser);
  const [business] = platform.businesses;
  await business?.stop();
  try {
    expect((await read(dashboard)).start).toMatchObject({ verified: null, keyMade: false });
  } finally {
    await business?.start();
    await untilBusinessIsBack(platform);
  }
});
