import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { type Dashboard, openDashboard } from '../harness/dashboard.ts';
import { eventually } from '../harness/eventually.ts';
import { connect, oauthClient } from '../harness/oauth.ts';
import { joinBusiness, signUp, signUpVerified, type TestPerson } from '../harness/people.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { query } from '../harness/postgres.ts';

/** Developers > Apps: a business's own applications (contract 2.2). */

let platform: Platform;
let ada: TestPerson;
let dashboard: Dashboard;
beforeAll(async () => {
  platform = await startPlatform({ gatewayEnv: { TRUSTED_PROXIES: '127.0.0.1' } });
  ada = await signUpVerified(platform);
  dashboard = await openDashboard(ada, ada.browser);
});
afterAll(() => platform?.close());

/** Somebody with an empty, verified business of their own: it has room for three applications. */
async function newOwner() {
  const person = await signUpVerified(platform);
  return { person, dashboard: await openDashboard(person, person.browser) };
}

const callback = 'https://shop.example/callback';
const settings = {
  name: 'Shop',
  description: 'Sends orders out',
  redirectUris: [callback],
  scopes: ['orders:read', 'business:read'],
  ipWhitelist: ['127.0.0.1', '192.0.2.0/24'],
};

const record = z.looseObject({
  id: z.string(),
  clientId: z.string(),
  secrets: z.array(z.looseObject({ id: z.string() })),
});
const withSecret = z.object({ application: record, clientSecret: z.string() });
const refusal = z.object({
  code: z.number(),
  reason: z.string().optional(),
  fields: z.record(z.string(), z.string()).default({}),
});

async function register(by: Dashboard, owner: TestPerson, changes: object = {}) {
  const answer = await by.own('POST', '/applications', { ...settings, ...changes });
  expect([answer.status, answer.headers['cache-control']]).toEqual([201, 'no-store']);
  const { application, clientSecret } = withSecret.parse(answer.json());
  const { id, clientId } = application;
  return { id, clientId, clientSecret, redirectUri: callback, businessId: owner.businessId, application };
}

/** A new owner's application. */
async function newApplication(changes: object = {}) {
  const owner = await newOwner();
  return { ...owner, app: await register(owner.dashboard, owner.person, changes) };
}

/** The fields that are refused. */
async function refused(by: Dashboard, method: string, path: string, body: unknown) {
  const { code, fields } = refusal.parse((await by.own(method, path, body)).json());
  return [code, Object.keys(fields).sort()];
}

/** What the token endpoint says to a secret: 400 once it is accepted, since no grant type is named. */
const knocks = async (app: Parameters<typeof oauthClient>[1], clientSecret = app.clientSecret) =>
  (await oauthClient(platform, { ...app, clientSecret }).post('/v2/oauth/token', {})).status;

const use = async (token: string, path = '/v2/businesses/me', address = '192.0.2.7') =>
  (await platform.request(0, 'GET', path, { key: token, headers: { 'X-Forwarded-For': address } })).status;

const audit = (subjectId: string) =>
  query(
    platform.databases.identity,
    'SELECT action, actor_kind, actor_id FROM audit_events WHERE subject_id = $1 ORDER BY id',
    [subjectId],
  );

describe('a new application', () => {
  test('has a client ID and a secret that is shown once, and works', async () => {
    const {
      person,
      dashboard: by,
      app,
    } = await newApplication({ ipWhitelist: [' ::ffff:127.0.0.1', '192.0.2.77/24'] });
    expect([app.clientId, app.clientSecret]).toEqual([
      expect.stringMatching(/^app_/),
      expect.stringMatching(/^cs_/),
    ]);
    expect(await knocks(app)).toBe(400);
    const shown = {
      ...settings,
      scopes: ['business:read', 'orders:read'],
      webhooksEnabled: false,
      webhookEvents: [],
      connectedUsers: 0,
      connectedUserLimit: 50,
      secrets: [{ lastFour: app.clientSecret.slice(-4) }],
    };
    expect(app.application).toMatchObject(shown);
    const detail = await by.own('GET', `/applications/${app.id}`);
    expect(detail.json()).toMatchObject(shown);
    const list = await by.own('GET', '/applications');
    expect(list.json()).toMatchObject({ applications: [shown], limit: 3, obstacle: null });
    for (const { text } of [detail, list]) expect(text).not.toContain(app.clientSecret.slice(3));
    expect(await audit(app.id)).toEqual([
      { action: 'application.created', actor_kind: 'person', actor_id: person.id },
    ]);
  });

  test('keeps what is chosen about webhooks', async () => {
    const { app } = await newApplication({
      webhooksEnabled: true,
      webhookEvents: ['order.paid', 'order.created'],
    });
    expect(app.application).toMatchObject({
      webhooksEnabled: true,
      webhookEvents: ['order.created', 'order.paid'],
    });
  });

  test.each([
    ['an empty name', { name: ' ' }, ['name']],
    ['a long description', { description: 'd'.repeat(501) }, ['description']],
    ['no redirect URI', { redirectUris: [] }, ['redirectUris']],
    [
      'two bad redirect URIs',
      { redirectUris: ['http://shop.example/', callback, 'https://shop.example/*'] },
      ['redirectUris.0', 'redirectUris.2'],
    ],
    ['no scopes', { scopes: [] }, ['scopes']],
    ['an unknown scope', { scopes: ['orders:sell'] }, ['scopes.0']],
    ['no whitelist', { ipWhitelist: [] }, ['ipWhitelist']],
    [
      'entries that are no addresses',
      { ipWhitelist: ['shop.example', '127.0.0.1', '10.0.0.0/33'] },
      ['ipWhitelist.0', 'ipWhitelist.2'],
    ],
    ['an unknown event', { webhookEvents: ['order.lost'] }, ['webhookEvents.0']],
    [
      'faults everywhere',
      { name: '', description: '', redirectUris: ['x'], ipWhitelist: ['x'] },
      ['description', 'ipWhitelist.0', 'name', 'redirectUris.0'],
    ],
    ['a name that is no text', { name: 7 }, ['name']],
    ['a list that is none', { redirectUris: callback }, ['redirectUris']],
    ['a limit of its own', { connectedUserLimit: 5_000 }, ['connectedUserLimit']],
    ["another's business", { businessId: 1 }, ['businessId']],
    ['a client ID of its own', { clientId: 'app_mine' }, ['clientId']],
  ])('with %s is refused with every fault at its field, and nothing is made', async (_, changes, fields) => {
    expect(await refused(dashboard, 'POST', '/applications', { ...settings, ...changes })).toEqual([
      400,
      fields,
    ]);
    expect((await dashboard.own('GET', '/applications')).json()).toMatchObject({ applications: [] });
  });

  test('is refused beyond three, which the list says before', async () => {
    const { dashboard: by, person } = await newOwner();
    for (const name of ['One', 'Two', 'Three']) await register(by, person, { name });
    expect((await by.own('GET', '/applications')).json()).toMatchObject({
      applications: [{ name: 'Three' }, { name: 'Two' }, { name: 'One' }],
      obstacle: { reason: 'application_limit_reached' },
    });
    const answer = await by.own('POST', '/applications', settings);
    expect([answer.status, answer.json()]).toMatchObject([409, { reason: 'application_limit_reached' }]);
  });

  test('is for verified businesses; the list says what is missing', async () => {
    const person = await signUp(platform);
    const by = await openDashboard(person, person.browser);
    const expectObstacle = async (text: RegExp) => {
      expect((await by.own('GET', '/applications')).json()).toMatchObject({
        obstacle: { reason: 'business_not_verified', text: expect.stringMatching(text) },
      });
      const answer = await by.own('POST', '/applications', settings);
      expect([answer.status, answer.json()]).toMatchObject([409, { reason: 'business_not_verified' }]);
    };
    await expectObstacle(/^The business is not verified as a legal entity\.$/);
    const { businessId } = person;
    const facts = { businessId, legalName: 'X', registrationNumber: 'HRB 1', country: 'DE' };
    await platform.businessRpc.SubmitVerification(facts, { deadlineMs: 5_000 });
    await expectObstacle(/not decided/);
    await platform.businessRpc.RejectVerification(
      { businessId, reason: 'no such number' },
      { deadlineMs: 5_000 },
    );
    await expectObstacle(/no such number/);
  });
});

describe('a change', () => {
  test('of one field keeps the others, and cuts access at once where it takes some away', async () => {
    const { dashboard: by, person, app } = await newApplication();
    const { accessToken } = await connect(platform, person.browser, app);
    expect(await use(accessToken, '/v2/order')).toBe(200);
    const change = async (body: object) => {
      const answer = await by.own('PATCH', `/applications/${app.id}`, body);
      expect([answer.status, answer.json()]).toMatchObject([200, { propagation: 'confirmed' }]);
      return answer.json();
    };
    expect(await change({ name: 'Till' })).toMatchObject({
      application: {
        name: 'Till',
        description: 'Sends orders out',
        ipWhitelist: ['127.0.0.1', '192.0.2.0/24'],
      },
    });
    await change({ ipWhitelist: ['127.0.0.1', '198.51.100.0/24'] });
    expect([
      await use(accessToken, '/v2/order', '192.0.2.7'),
      await use(accessToken, '/v2/order', '198.51.100.9'),
    ]).toEqual([403, 200]);
    await change({ scopes: ['business:read'] });
    expect(await use(accessToken, '/v2/order', '198.51.100.9')).toBe(403);
  });

  test.each([
    [{}, 400, []],
    [{ name: '' }, 400, ['name']],
    [{ ipWhitelist: [] }, 400, ['ipWhitelist']],
    [{ ipWhitelist: ['127.0.0.1', 'x'] }, 400, ['ipWhitelist.1']],
    [{ redirectUris: ['http://shop.example/'] }, 400, ['redirectUris.0']],
    [{ webhooksEnabled: 'yes' }, 400, ['webhooksEnabled']],
    [{ name: null }, 400, ['name']],
    [{ secrets: [] }, 400, ['secrets']],
    [{ businessId: 1 }, 400, ['businessId']],
    [{ connectedUserLimit: 1_000 }, 400, ['connectedUserLimit']],
  ])('to %j is refused', async (body, status, fields) => {
    const { dashboard: by, app } = await newApplication();
    const before = (await by.own('GET', `/applications/${app.id}`)).json();
    expect(await refused(by, 'PATCH', `/applications/${app.id}`, body)).toEqual([status, fields]);
    expect((await by.own('GET', `/applications/${app.id}`)).json()).toEqual(before);
  });
});

describe('client secrets', () => {
  const secrets = (app: { readonly id: string }) => `/applications/${app.id}/client-secrets`;

  test('are replaced at once, or kept until they are deleted', async () => {
    const { dashboard: by, app } = await newApplication();
    const rotate = async (keepOld: boolean) => {
      const answer = await by.own('POST', secrets(app), { keepOld });
      expect([answer.status, answer.headers['cache-control']]).toEqual([201, 'no-store']);
      expect(answer.json()).toMatchObject({ propagation: 'confirmed' });
      return withSecret.parse(answer.json());
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
      const { dashboard: by, app } = await newApplication();
      expect((await by.own('POST', secrets(app), body)).status).toBe(400);
      expect(await knocks(app)).toBe(400);
    },
  );

  test("of another of one's applications cannot be deleted through this one", async () => {
    const { dashboard: by, person, app } = await newApplication();
    const other = await register(by, person, { name: 'Other' });
    const [secret] = other.application.secrets;
    expect((await by.own('DELETE', `${secrets(app)}/${secret?.id}`)).status).toBe(404);
    expect(await knocks(other)).toBe(400);
  });
});

test('deletion ends the application and every connection at once', async () => {
  const { dashboard: by, app } = await newApplication();
  const user = await signUpVerified(platform);
  const { accessToken } = await connect(platform, user.browser, app);
  expect(await use(accessToken)).toBe(200);
  const answer = await by.own('DELETE', `/applications/${app.id}`);
  expect([answer.status, answer.json()]).toEqual([200, { propagation: 'confirmed' }]);
  expect([await use(accessToken), await knocks(app)]).toEqual([401, 401]);
  const gone = await by.own('GET', `/applications/${app.id}`);
  expect([gone.status, gone.json()]).toMatchObject([404, { reason: 'application_not_found' }]);
});

describe('connected businesses', () => {
  test('are named, with what they approved and what was really used, and nothing else of them', async () => {
    const { dashboard: by, app } = await newApplication();
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
    };
    expect((await by.own('GET', path)).json()).toEqual({ connections: [fresh], nextCursor: null });

    expect(await use(accessToken)).toBe(200);
    const used = { ...fresh, scopesUsed: ['business:read'], lastUsedAt: expect.any(String) };
    const isTold = async () =>
      expect((await by.own('GET', path)).json()).toEqual({ connections: [used], nextCursor: null });
    await eventually(isTold, { withinMs: 15_000 });
    expect((await by.own('GET', `/applications/${app.id}`)).json()).toMatchObject({ connectedUsers: 1 });
  });

  test('come page by page, each once, newest first; ended ones are left out', async () => {
    const { dashboard: by, app } = await newApplication();
    // Businesses that business-service knows nothing of: they are connected all the same.
    await query(
      platform.databases.identity,
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

  test.each(['x', '', 'ZzE6MTpncmFudF8x=', 'w7w'])('are not found behind the cursor %j', async (cursor) => {
    const { dashboard: by, app } = await newApplication();
    const path = `/applications/${app.id}/connections?cursor=${cursor}`;
    expect(await refused(by, 'GET', path, undefined)).toEqual([400, ['cursor']]);
  });

  test('are shown without a name while business-service does not answer', async () => {
    const { dashboard: by, person, app } = await newApplication();
    await connect(platform, person.browser, app);
    const [service] = platform.businesses;
    await service?.freeze();
    try {
      const answer = await by.own('GET', `/applications/${app.id}/connections`);
      expect([answer.status, answer.json()]).toMatchObject([200, { connections: [{ business: null }] }]);
      const list = await by.own('GET', '/applications');
      expect([list.status, list.json()]).toMatchObject([200, { applications: [{ name: 'Shop' }] }]);
    } finally {
      await service?.thaw();
    }
  });
});

describe('where an application calls from', () => {
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
    } = await newApplication({ ipWhitelist: ['127.0.0.1', '192.0.2.0/24'] });
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
    const counts = z.object({ hours: z.array(z.record(z.string(), z.unknown())) });
    const isCounted = async () => {
      const { hours } = counts.parse(await usage());
      const sum = (name: string) => hours.reduce((total, hour) => total + Number(hour[name]), 0);
      expect(['count2xx', 'count4xx', 'count429', 'count5xx'].map(sum)).toEqual([4, 1, 0, 0]);
    };
    await eventually(isCounted, { withinMs: 15_000 });
  });

  const span = () => {
    const at = (ms: number) => new Date(ms).toISOString();
    return `from=${at(called.from - 3_600_000)}&to=${at(Date.now() + 60_000)}`;
  };
  const usage = async () => (await called.by.own('GET', `${called.path}/usage?${span()}`)).json();
  const check = async (ipWhitelist: readonly string[]) =>
    (await called.by.own('POST', `${called.path}/whitelist-check`, { ipWhitelist })).json();

  test('is told by hour over all its businesses, 90 days at most', async () => {
    const year = 'from=2025-01-01T00:00:00Z&to=2026-01-01T00:00:00Z';
    expect(await refused(called.by, 'GET', `${called.path}/usage?${year}`, undefined)).toEqual([
      400,
      ['from'],
    ]);
    const backwards = 'from=2026-01-01T00:00:00Z&to=2025-12-01T00:00:00Z';
    expect(await refused(called.by, 'GET', `${called.path}/usage?${backwards}`, undefined)).toEqual([
      400,
      ['to'],
    ]);
    const before = 'from=2025-12-01T00:00:00Z&to=2026-01-01T00:00:00Z';
    expect((await called.by.own('GET', `${called.path}/usage?${before}`)).json()).toEqual({ hours: [] });
  });

  test('is told by address, the latest success first', async () => {
    const answer = await called.by.own('GET', `${called.path}/callers`);
    expect(answer.json()).toEqual({
      since: expect.any(String),
      callers: [
        { address: '192.0.2.2', requests: 1, successes: 1, lastSuccessAt: expect.any(String) },
        { address: '192.0.2.1', requests: 3, successes: 3, lastSuccessAt: expect.any(String) },
        { address: '192.0.2.3', requests: 1, successes: 0, lastSuccessAt: null },
      ],
    });
  });

  test('decides whom a new whitelist would shut out, the last successful caller first', async () => {
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
      faults: {},
    });
    expect(await check(['127.0.0.0/8'])).toMatchObject({ yourAddress: '127.0.0.1', allowed: true });
  });

  test('names what is wrong with each entry of a whitelist, also for an application that is not there yet', async () => {
    const faulty = { ipWhitelist: ['127.0.0.1', 'shop.example', '10.0.0.1/99'] };
    const expected = {
      yourAddress: '127.0.0.1',
      allowed: true,
      faults: { 'ipWhitelist.1': expect.any(String), 'ipWhitelist.2': expect.any(String) },
    };
    expect(await check(faulty.ipWhitelist)).toMatchObject(expected);
    const fresh = await called.by.own('POST', '/whitelist-check', faulty);
    expect(fresh.json()).toEqual({ ...expected, shutOut: [] });
    expect(await refused(called.by, 'POST', '/whitelist-check', { ipWhitelist: 'x' })).toEqual([
      400,
      ['ipWhitelist'],
    ]);
  });
});

test("another business's application is not there, for any call", async () => {
  const { app } = await newApplication();
  const [secret] = app.application.secrets;
  const path = `/applications/${app.id}`;
  const attempts = [
    ['GET', path],
    ['PATCH', path, { name: 'Mine' }],
    ['DELETE', path],
    ['POST', `${path}/client-secrets`, { keepOld: false }],
    ['DELETE', `${path}/client-secrets/${secret?.id}`],
    ['GET', `${path}/connections`],
    ['GET', `${path}/usage?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z`],
    ['GET', `${path}/callers`],
    ['POST', `${path}/whitelist-check`, { ipWhitelist: ['127.0.0.1'] }],
  ] as const;
  for (const [method, at, body] of attempts) {
    const own = await dashboard.own(method, at, body);
    expect([method, at, own.status]).toEqual([method, at, 404]);
    const foreign = await dashboard.call(method, `/businesses/${app.businessId}${at}`, body);
    expect([method, at, foreign.status]).toEqual([method, at, 404]);
  }
  expect(await knocks(app)).toBe(400);
});

test('members look after applications as owners do', async () => {
  const { person: owner } = await newOwner();
  const member = await signUp(platform);
  await joinBusiness(platform, member, owner.businessId, 'member');
  const by = await openDashboard(owner, member.browser);
  const app = await register(by, owner);
  expect((await by.own('PATCH', `/applications/${app.id}`, { name: 'Till' })).status).toBe(200);
  expect((await by.own('POST', `/applications/${app.id}/client-secrets`, { keepOld: true })).status).toBe(
    201,
  );
  expect((await by.own('GET', `/applications/${app.id}/callers`)).status).toBe(200);
  expect((await by.own('DELETE', `/applications/${app.id}`)).status).toBe(200);
});

test('nothing is changed without the CSRF token', async () => {
  const { person, app } = await newApplication();
  const path = `/dashboard-api/businesses/${person.businessId}/applications`;
  const attempts = [
    await person.browser.send('POST', path, { body: settings }),
    await person.browser.send('PATCH', `${path}/${app.id}`, { body: { name: 'X' } }),
    await person.browser.send('DELETE', `${path}/${app.id}`),
    await person.browser.send('POST', `${path}/${app.id}/client-secrets`, { body: { keepOld: false } }),
  ];
  expect(attempts.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  expect(await knocks(app)).toBe(400);
});

test('while gateways cannot be told, changes that take access away are pending', async () => {
  const { dashboard: by, person, app } = await newApplication();
  await connect(platform, person.browser, app);
  await platform.redis?.stop();
  try {
    const path = `/applications/${app.id}`;
    const changes = [
      await by.own('PATCH', path, { ipWhitelist: ['127.0.0.1'] }),
      await by.own('POST', `${path}/client-secrets`, { keepOld: false }),
      await by.own('DELETE', path),
    ];
    for (const answer of changes) expect(answer.json()).toMatchObject({ propagation: 'pending' });
  } finally {
    await platform.redis?.start();
  }
});
