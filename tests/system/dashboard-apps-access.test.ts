import { beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import type { TestApplication } from '../harness/applications.ts';
import { untilBusinessIsBack } from '../harness/business-outage.ts';
import type { Dashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { connect, knock } from '../harness/oauth.ts';
import { signUpVerified } from '../harness/people.ts';
import { refusalOf } from '../harness/refusals.ts';
import { newApplication, register, withSecret } from '../harness/registered-application.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { callFrom, countsOf } from '../harness/usage.ts';

/** Developers > Apps: what gives an application access, who approved it, and from where it is used. */

const platform = running(sharedPlatform);

/** The fields that are refused. */
async function refused(by: Dashboard, method: string, path: string, body?: unknown) {
  const { code, fields } = refusalOf(await by.own(method, path, body));
  return [code, fields];
}

const knocks = (app: TestApplication, clientSecret?: string) => knock(platform, app, clientSecret);
const use = (token: string, path?: string, address?: string) => callFrom(platform, token, path, address);

describe('client secrets', () => {
  const secrets = (app: { readonly id: string }) => `/applications/${app.id}/client-secrets`;

  test('are replaced at once, or kept until they are deleted', async () => {
    const { dashboard: by, app } = await newApplication(platform);
    const rotate = async (keepOld: boolean) => {
      const response = await by.own('POST', secrets(app), { keepOld });
      expect([response.status, response.headers['cache-control']]).toEqual([201, 'no-store']);
      expect(response.json()).toMatchObject({ propagation: 'confirmed' });
      return withSecret.parse(response.json());
    };
    const second = await rotate(false);
    expect(second.application.secrets).toMatchObject([{ lastFour: second.clientSecret.slice(-4) }]);
    expect([await knocks(app), await knocks(app, second.clientSecret)]).toEqual([401, 400]);

    const third = await rotate(true);
    expect(third.application.secrets).toHaveLength(2);
    expect([await knocks(app, second.clientSecret), await knocks(app, third.clientSecret)]).toEqual([
      400, 400,
    ]);
    const full = await by.own('POST', secrets(app), { keepOld: true });
    expect([full.status, full.json()]).toMatchObject([409, { reason: 'client_secret_limit_reached' }]);

    const [old] = third.application.secrets;
    const deleted = await by.own('DELETE', `${secrets(app)}/${old?.id}`);
    expect([deleted.status, deleted.json()]).toMatchObject([
      200,
      {
        propagation: 'confirmed',
        application: {
          secrets: [{ lastFour: third.clientSecret.slice(-4), lastUsedAt: expect.any(String) }],
        },
      },
    ]);
    expect([await knocks(app, second.clientSecret), await knocks(app, third.clientSecret)]).toEqual([
      401, 400,
    ]);
    expect((await by.own('DELETE', `${secrets(app)}/${old?.id}`)).status).toBe(404);
  });

  test.each([[{}], [{ keepOld: 'yes' }], [{ keepOld: true, clientSecret: 'cs_mine' }]])(
    'are not rotated by %j',
    async (body) => {
      const { dashboard: by, app } = await newApplication(platform);
      expect((await by.own('POST', secrets(app), body)).status).toBe(400);
      expect(await knocks(app)).toBe(400);
    },
  );

  test('of another application of the same business cannot be deleted through this one', async () => {
    const { dashboard: by, person, app } = await newApplication(platform);
    const other = await register(by, person, { name: 'Other' });
    const [secret] = other.application.secrets;
    expect((await by.own('DELETE', `${secrets(app)}/${secret?.id}`)).status).toBe(404);
    expect(await knocks(other)).toBe(400);
  });
});

test('deletion ends the application and every connection at once', async () => {
  const { dashboard: by, app } = await newApplication(platform);
  const user = await signUpVerified(platform);
  const { accessToken } = await connect(platform, user.browser, app);
  expect(await use(accessToken)).toBe(200);
  const response = await by.own('DELETE', `/applications/${app.id}`);
  expect([response.status, response.json()]).toEqual([200, { propagation: 'confirmed' }]);
  expect([await use(accessToken), await knocks(app)]).toEqual([401, 401]);
  const gone = await by.own('GET', `/applications/${app.id}`);
  expect([gone.status, gone.json()]).toMatchObject([404, { reason: 'application_not_found' }]);
});

describe('connected businesses', () => {
  test('are listed with approved and used scopes, and nothing else about them', async () => {
    const { dashboard: by, app } = await newApplication(platform);
    const user = await signUpVerified(platform, { businessName: 'Difference Ltd', username: 'difference' });
    const { accessToken } = await connect(platform, user.browser, app);
    const path = `/applications/${app.id}/connections`;
    const fresh = {
      id: expect.stringMatching(/^grt_/),
      business: { name: 'Difference Ltd', username: 'difference' },
      scopes: ['business:read', 'orders:read'],
      scopesUsed: [],
      since: expect.any(String),
      lastUsedAt: null,
      suspendedAt: null,
    };
    expect((await by.own('GET', path)).json()).toEqual({ connections: [fresh], nextCursor: null });

    expect(await use(accessToken)).toBe(200);
    const used = { ...fresh, scopesUsed: ['business:read'], lastUsedAt: expect.any(String) };
    const isRecorded = async () =>
      expect((await by.own('GET', path)).json()).toEqual({ connections: [used], nextCursor: null });
    await expectEventually(isRecorded, { withinMs: 15_000 });
    expect((await by.own('GET', `/applications/${app.id}`)).json()).toMatchObject({ connectedUsers: 1 });
  });

  test('are listed page by page, newest first, without ended ones', async () => {
    const { dashboard: by, app } = await newApplication(platform);
    // Businesses that business-service knows nothing of: they are connected all the same.
    await platform.sql(
      `INSERT INTO grants (id, application_id, business_id, person_id, scopes, created_at, ended_at)
       SELECT 'grant_' || $1 || n, $1, 900000 + n, 'nobody', '{orders:read}',
              now() - (n / 3) * interval '1 second', CASE WHEN n = 7 THEN now() END
       FROM generate_series(1, 121) AS n`,
      [app.id],
    );
    const page = z.object({
      connections: z.array(z.object({ id: z.string(), business: z.null(), since: z.string() })),
      nextCursor: z.string().nullable(),
    });
    const seen: { id: string; since: string }[] = [];
    let cursor: string | null = '';
    let pages = 0;
    while (cursor !== null) {
      const path: string = `/applications/${app.id}/connections${cursor && `?cursor=${cursor}`}`;
      const read = page.parse((await by.own('GET', path)).json());
      seen.push(...read.connections);
      cursor = read.nextCursor;
      pages += 1;
    }
    expect([pages, seen.length, new Set(seen.map(({ id }) => id)).size]).toEqual([3, 120, 120]);
    const moments = seen.map(({ since }) => since);
    expect(moments).toEqual(moments.toSorted().reverse());
  });

  test.each(['x', 'ZzE6MTpncmFudF8x=', 'w7w'])('are not found behind the cursor %j', async (cursor) => {
    const { dashboard: by, app } = await newApplication(platform);
    const path = `/applications/${app.id}/connections?cursor=${cursor}`;
    expect(await refused(by, 'GET', path)).toEqual([400, ['cursor']]);
  });

  test('are shown without a name while business-service does not respond', async () => {
    const { dashboard: by, person, app } = await newApplication(platform);
    await connect(platform, person.browser, app);
    const [service] = platform.businesses;
    service?.freeze();
    try {
      const response = await by.own('GET', `/applications/${app.id}/connections`);
      expect([response.status, response.json()]).toMatchObject([200, { connections: [{ business: null }] }]);
      const list = await by.own('GET', '/applications');
      expect([list.status, list.json()]).toMatchObject([200, { applications: [{ name: 'Shop' }] }]);
    } finally {
      service?.thaw();
      await untilBusinessIsBack(platform);
    }
  });
});

describe('the use of an application', () => {
  interface Called {
    readonly by: Dashboard;
    readonly path: string;
    readonly from: number;
  }
  let called: Called;
  beforeAll(async () => {
    const {
      dashboard: by,
      person,
      app,
    } = await newApplication(platform, { ipWhitelist: ['127.0.0.1', '192.0.2.0/24'] });
    const user = await signUpVerified(platform);
    const tokens = [
      (await connect(platform, person.browser, app)).accessToken,
      (await connect(platform, user.browser, app)).accessToken,
    ];
    const [own = '', other = ''] = tokens;
    const from = Date.now();
    expect([
      await use(own, '/v2/businesses/me', '192.0.2.1'),
      await use(other, '/v2/businesses/me', '192.0.2.1'),
      await use(own, '/v2/order', '192.0.2.1'),
      await use(own, '/v2/order/ord_none', '192.0.2.3'),
      await use(other, '/v2/order', '192.0.2.2'),
    ]).toEqual([200, 200, 200, 404, 200]);
    called = { by, path: `/applications/${app.id}`, from };
    const isCounted = async () => expect(countsOf(await usage())).toEqual([4, 1, 0, 0]);
    await expectEventually(isCounted, { withinMs: 15_000 });
  });

  const span = () => {
    const at = (ms: number) => new Date(ms).toISOString();
    return `from=${at(called.from - 3_600_000)}&to=${at(Date.now() + 60_000)}`;
  };
  const usage = () => called.by.own('GET', `${called.path}/usage?${span()}`);
  const check = async (ipWhitelist: readonly string[]) =>
    (await called.by.own('POST', `${called.path}/whitelist-check`, { ipWhitelist })).json();

  test('is shown by hour over all its businesses, 90 days at most', async () => {
    const at = (search: string) => refused(called.by, 'GET', `${called.path}/usage?${search}`);
    expect(await at('from=2025-01-01T00:00:00Z&to=2026-01-01T00:00:00Z')).toEqual([400, ['from']]);
    expect(await at('from=2026-01-01T00:00:00Z&to=2025-12-01T00:00:00Z')).toEqual([400, ['to']]);
    const before = 'from=2025-12-01T00:00:00Z&to=2026-01-01T00:00:00Z';
    expect((await called.by.own('GET', `${called.path}/usage?${before}`)).json()).toEqual({ hours: [] });
  });

  test('is shown by address, the latest success first', async () => {
    const response = await called.by.own('GET', `${called.path}/callers`);
    expect(response.json()).toEqual({
      since: expect.any(String),
      callers: [
        { address: '192.0.2.2', requests: 1, successes: 1, lastSuccessAt: expect.any(String) },
        { address: '192.0.2.1', requests: 3, successes: 3, lastSuccessAt: expect.any(String) },
        { address: '192.0.2.3', requests: 1, successes: 0, lastSuccessAt: null },
      ],
    });
  });

  test('shows which callers a new whitelist would shut out, the latest first', async () => {
    const addresses = z.object({ shutOut: z.array(z.object({ address: z.string() })) });
    const shutOut = async (whitelist: readonly string[]) =>
      addresses.parse(await check(whitelist)).shutOut.map(({ address }) => address);
    expect(await shutOut(['192.0.2.0/24'])).toEqual([]);
    expect(await shutOut(['192.0.2.2'])).toEqual(['192.0.2.1']);
    expect(await shutOut(['::ffff:192.0.2.1'])).toEqual(['192.0.2.2']);
    expect(await shutOut(['198.51.100.1'])).toEqual(['192.0.2.2', '192.0.2.1']);
    expect(await check(['192.0.2.0/24'])).toMatchObject({
      yourAddress: '127.0.0.1',
      allowed: false,
      errors: {},
    });
    expect(await check(['127.0.0.0/8'])).toMatchObject({ yourAddress: '127.0.0.1', allowed: true });
  });

  test('is compared with a new whitelist, whose invalid entries are named, even for a new application', async () => {
    const invalid = { ipWhitelist: ['127.0.0.1', 'shop.example', '10.0.0.1/99'] };
    const expected = {
      yourAddress: '127.0.0.1',
      allowed: true,
      errors: { 'ipWhitelist.1': expect.any(String), 'ipWhitelist.2': expect.any(String) },
    };
    expect(await check(invalid.ipWhitelist)).toMatchObject(expected);
    const fresh = await called.by.own('POST', '/whitelist-check', invalid);
    expect(fresh.json()).toEqual({ ...expected, shutOut: [] });
    expect(await refused(called.by, 'POST', '/whitelist-check', { ipWhitelist: 'x' })).toEqual([
      400,
      ['ipWhitelist'],
    ]);
  });
});
