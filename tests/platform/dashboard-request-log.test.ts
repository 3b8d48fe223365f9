import { beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { type Dashboard, openDashboard } from '../harness/dashboard.ts';
import { signUp } from '../harness/people.ts';
import { listRequests, type RequestPage } from '../harness/recorded-requests.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/** The log of requests as a list, summed, and exported. */

const platform = running(sharedPlatform);
let dashboard: Dashboard;
beforeAll(async () => {
  const ada = await signUp(platform);
  dashboard = await openDashboard(ada, ada.browser);
  // As gateways would report them: one each second, the first half of one key, the rest of another.
  await platform.sql(
    `INSERT INTO request_log (id, at, business_id, method, path, route, status, refusal, credential_type,
                              credential_id, limit_id, client_ip, duration_ms, response_bytes, user_agent)
     SELECT gen_random_uuid(), date_trunc('second', now()) - interval '1 hour' + n * interval '1 second', $1, 'GET', '/v2/order',
            '/v2/order', CASE WHEN n % 10 = 0 THEN 502 ELSE 403 END,
            CASE WHEN n % 10 = 0 THEN 'upstream_failed' ELSE 'insufficient_scope' END, 'restricted_key',
            CASE WHEN n <= 60 THEN 'key_a' ELSE 'key_b' END, CASE WHEN n <= 60 THEN 'key_a' ELSE 'key_b' END, '192.0.2.1', n, 40, 'shop/' || n
     FROM generate_series(1, 120) AS n`,
    [ada.businessId],
  );
});

async function everything(parameters: Record<string, string>) {
  const requests: RequestPage['requests'] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const more: RequestPage = await listRequests(dashboard, {
      ...parameters,
      ...(cursor !== '' && { cursor }),
    });
    expect(more.requests.length).toBeLessThanOrEqual(50);
    requests.push(...more.requests);
    cursor = more.nextCursor;
  }
  return requests;
}

test('the list comes page by page, newest first, without a gap', async () => {
  const requests = await everything({});
  expect(new Set(requests.map(({ id }) => id)).size).toBe(120);
  const moments = requests.map(({ at }) => at);
  expect(moments).toEqual([...moments].sort().reverse());
});

test('the list can be narrowed by status, reason, credential and time', async () => {
  expect(await everything({ status: '5xx' })).toHaveLength(12);
  expect(await everything({ status: '4xx' })).toHaveLength(108);
  expect(await everything({ reason: 'upstream_failed', credential: 'key_a' })).toHaveLength(6);
  expect(await everything({ credential: 'key_b' })).toHaveLength(60);
  const [newest] = await everything({});
  expect(await everything({ from: newest?.at ?? '' })).toHaveLength(1);
  expect(await everything({ to: newest?.at ?? '' })).toHaveLength(119);
});

test('the list can be narrowed by class and number of the status, endpoint, address and text', async () => {
  for (const [filter, count] of [
    [{ status: '2xx' }, 0],
    [{ status: '502' }, 12],
    [{ method: 'GET', route: '/v2/order' }, 120],
    [{ method: 'POST', route: '/v2/order' }, 0],
    [{ address: '192.0.2.1' }, 120],
    [{ address: '192.0.2.2' }, 0],
    [{ text: 'SHOP/12' }, 2],
    [{ text: '192.0.2.1' }, 120],
    [{ text: '%' }, 0],
    [{ reason: 'none' }, 0],
  ] as const) {
    expect([filter, (await everything(filter)).length]).toEqual([filter, count]);
  }
  const [newest] = await everything({});
  expect(await everything({ text: newest?.id ?? '' })).toEqual([newest]);
});

const day = () => {
  const to = Date.now();
  return `from=${new Date(to - 86_400_000).toISOString()}&to=${new Date(to).toISOString()}`;
};
const inOneHour = (count: number) => expect.arrayContaining([count]);

test('failed requests are summed by reason and key, with a trend', async () => {
  const { groups } = z
    .object({ groups: z.array(z.record(z.string(), z.unknown())) })
    .parse((await dashboard.own('GET', `/request-groups?${day()}`)).json());
  expect(groups).toHaveLength(4);
  expect(groups.map(({ requests }) => requests)).toEqual([54, 54, 6, 6]);
  expect(groups.at(-1)).toMatchObject({
    method: 'GET',
    route: '/v2/order',
    status: 502,
    reason: 'upstream_failed',
    title: 'The service did not respond',
    credential: { limitId: expect.stringMatching(/^key_[ab]$/) },
    firstAt: expect.any(String),
    lastId: expect.any(String),
    trend: inOneHour(6),
  });
  expect(groups.at(-1)?.trend).toHaveLength(12);
  const csv = (await dashboard.own('GET', `/request-groups.csv?${day()}`)).text.split('\r\n');
  expect(csv).toHaveLength(6);
  expect(csv[1]).toMatch(/^GET,\/v2\/order,403,insufficient_scope,/);
});

test('durations are summed by endpoint', async () => {
  const durations = (await dashboard.own('GET', `/request-durations?${day()}`)).json();
  expect(durations).toEqual({
    durations: [
      { method: 'GET', route: '/v2/order', requests: 120, failures: 12, p50: 60, p95: 114, p99: 119 },
    ],
  });
});

test('the list is exported whole or filtered', async () => {
  const linesOf = async (search: string) =>
    (await dashboard.own('GET', `/requests.csv${search}`)).text.split('\r\n');
  expect(await linesOf('')).toHaveLength(122);
  const [header, newest] = await linesOf('?status=502&text=shop/120');
  expect(header).toMatch(/^\ufefftime,request_id,method,path,route,status,/);
  expect(newest).toMatch(
    /^\d{4}-.*Z,[\da-f-]{36},GET,\/v2\/order,\/v2\/order,502,upstream_failed,.*,192\.0\.2\.1,120\.00,,40,shop\/120$/,
  );
});

test.each([
  ['status=600', 'status'],
  ['address=here', 'address'],
  ['cursor=x', 'cursor'],
  ['colour=red', 'colour'],
])('no filter is %s', async (search, field) => {
  const response = await dashboard.own('GET', `/requests?${search}`);
  expect([response.status, response.json()]).toMatchObject([
    400,
    { fields: { [field]: expect.any(String) } },
  ]);
});
