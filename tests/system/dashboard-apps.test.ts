import { beforeAll, describe, expect, test } from '@jest/globals';
import type { TestApplication } from '../harness/applications.ts';
import { eventsOf } from '../harness/audit-events.ts';
import { type Dashboard, openDashboard } from '../harness/dashboard.ts';
import { connect, knock } from '../harness/oauth.ts';
import { joinBusiness, signUp, signUpVerified } from '../harness/people.ts';
import { refusalOf } from '../harness/refusals.ts';
import { newApplication, newOwner, register, settings } from '../harness/registered-application.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { callFrom } from '../harness/usage.ts';

/** Developers > Apps: a business's own applications (contract 2.2). */

const platform = running(sharedPlatform);
let dashboard: Dashboard;
beforeAll(async () => {
  const ada = await signUpVerified(platform);
  dashboard = await openDashboard(ada, ada.browser);
});

/** The fields that are refused. */
async function refused(by: Dashboard, method: string, path: string, body?: unknown) {
  const { code, fields } = refusalOf(await by.own(method, path, body));
  return [code, fields];
}

const knocks = (app: TestApplication, clientSecret?: string) => knock(platform, app, clientSecret);
const use = (token: string, path?: string, address?: string) => callFrom(platform, token, path, address);

describe('a new application', () => {
  test('has a client ID and a secret that is shown once, and works', async () => {
    const {
      person,
      dashboard: by,
      app,
    } = await newApplication(platform, { ipWhitelist: [' ::ffff:127.0.0.1', '192.0.2.77/24'] });
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
      allowedOrigins: [],
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
    expect(await eventsOf(platform, app.id)).toEqual([
      { action: 'application.created', actor_kind: 'person', actor_id: person.id },
    ]);
  });

  test('keeps what is chosen about webhooks', async () => {
    const { app } = await newApplication(platform, {
      webhooksEnabled: true,
      webhookEvents: ['order.paid', 'order.created'],
    });
    expect(app.application).toMatchObject({
      webhooksEnabled: true,
      webhookEvents: ['order.created', 'order.paid'],
    });
  });

  test.each([
    ['an unknown scope', { scopes: ['orders:sell'] }, ['scopes']],
    [
      'errors everywhere',
      { name: '', description: '', redirectUris: ['x'], ipWhitelist: ['x'] },
      ['description', 'ipWhitelist.0', 'name', 'redirectUris.0'],
    ],
  ])(
    'with %s is refused with every error at its field, and nothing is created',
    async (_, changes, fields) => {
      expect(await refused(dashboard, 'POST', '/applications', { ...settings, ...changes })).toEqual([
        400,
        fields,
      ]);
      expect((await dashboard.own('GET', '/applications')).json()).toMatchObject({ applications: [] });
    },
  );

  test('is refused beyond three, which the list announces', async () => {
    const { dashboard: by, person } = await newOwner(platform);
    for (const name of ['One', 'Two', 'Three']) await register(by, person, { name });
    expect((await by.own('GET', '/applications')).json()).toMatchObject({
      applications: [{ name: 'Three' }, { name: 'Two' }, { name: 'One' }],
      obstacle: { reason: 'application_limit_reached' },
    });
    const response = await by.own('POST', '/applications', settings);
    expect([response.status, response.json()]).toMatchObject([409, { reason: 'application_limit_reached' }]);
  });

  test('requires a verified business, and the list says what is missing', async () => {
    const person = await signUp(platform);
    const by = await openDashboard(person, person.browser);
    const expectObstacle = async (text: RegExp) => {
      expect((await by.own('GET', '/applications')).json()).toMatchObject({
        obstacle: { reason: 'business_not_verified', text: expect.stringMatching(text) },
      });
      const response = await by.own('POST', '/applications', settings);
      expect([response.status, response.json()]).toMatchObject([409, { reason: 'business_not_verified' }]);
    };
    await expectObstacle(/^The business is not verified as a legal entity\.$/);
    const { businessId } = person;
    const facts = { businessId, legalName: 'X', registrationNumber: 'HRB 1', country: 'DE' };
    await platform.businessRpc.SubmitVerification(facts, { deadlineMs: 30_000 });
    await expectObstacle(/not decided/);
    await platform.businessRpc.RejectVerification(
      { businessId, reason: 'no such number' },
      { deadlineMs: 30_000 },
    );
    await expectObstacle(/no such number/);
  });
});

describe('a change', () => {
  test('of one field keeps the others, and removes access at once when it becomes narrower', async () => {
    const { dashboard: by, person, app } = await newApplication(platform);
    const { accessToken } = await connect(platform, person.browser, app);
    expect(await use(accessToken, '/v2/order')).toBe(200);
    const change = async (body: object) => {
      const response = await by.own('PATCH', `/applications/${app.id}`, body);
      expect([response.status, response.json()]).toMatchObject([200, { propagation: 'confirmed' }]);
      return response.json();
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
    expect(await change({ allowedOrigins: ['https://tool.example'] })).toMatchObject({
      application: { allowedOrigins: ['https://tool.example'], scopes: app.application.scopes },
    });
    await change({ scopes: ['business:read'] });
    expect(await use(accessToken, '/v2/order', '198.51.100.9')).toBe(403);
  });

  test.each([
    [{}, 400, []],
    [{ name: '' }, 400, ['name']],
    [{ ipWhitelist: ['127.0.0.1', 'x'] }, 400, ['ipWhitelist.1']],
  ])('to %j is refused', async (body, status, fields) => {
    const { dashboard: by, app } = await newApplication(platform);
    const before = (await by.own('GET', `/applications/${app.id}`)).json();
    expect(await refused(by, 'PATCH', `/applications/${app.id}`, body)).toEqual([status, fields]);
    expect((await by.own('GET', `/applications/${app.id}`)).json()).toEqual(before);
  });
});

test('an application of another business is not found by any request', async () => {
  const { app } = await newApplication(platform);
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

test('members manage applications like owners', async () => {
  const { person: owner } = await newOwner(platform);
  const member = await signUp(platform);
  await joinBusiness(platform, member, owner.businessId, 'developer');
  const by = await openDashboard(owner, member.browser);
  const app = await register(by, owner);
  expect((await by.own('PATCH', `/applications/${app.id}`, { name: 'Till' })).status).toBe(200);
  expect((await by.own('POST', `/applications/${app.id}/client-secrets`, { keepOld: true })).status).toBe(
    201,
  );
  expect((await by.own('GET', `/applications/${app.id}/callers`)).status).toBe(200);
  expect((await by.own('DELETE', `/applications/${app.id}`)).status).toBe(200);
});

test('connected businesses see the deletion of an application, but not the person who deleted it', async () => {
  const { dashboard: by, person, app } = await newApplication(platform);
  const connected = await signUpVerified(platform);
  await connect(platform, connected.browser, app);
  expect((await by.own('DELETE', `/applications/${app.id}`)).status).toBe(200);
  const logOf = async (dashboard: Dashboard) => {
    const { events } = (await dashboard.own('GET', '/audit-events')).json() as {
      events: { action: string; actor: { kind: string; id: string }; clientIp: string | null }[];
    };
    const deletion = events.find(({ action }) => action === 'application.deleted');
    return [deletion?.actor.kind, deletion?.actor.id, deletion?.clientIp];
  };
  expect(await logOf(by)).toEqual(['person', person.id, '127.0.0.1']);
  expect(await logOf(await openDashboard(connected, connected.browser))).toEqual([
    'application',
    app.clientId,
    null,
  ]);
});

test('no application is changed without the CSRF token', async () => {
  const { person, app } = await newApplication(platform);
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

test('while changes cannot be published, those that remove access are pending', async () => {
  const { dashboard: by, person, app } = await newApplication(platform);
  await connect(platform, person.browser, app);
  await platform.redis?.stop();
  try {
    const path = `/applications/${app.id}`;
    const changes = [
      await by.own('PATCH', path, { ipWhitelist: ['127.0.0.1'] }),
      await by.own('POST', `${path}/client-secrets`, { keepOld: false }),
      await by.own('DELETE', path),
    ];
    for (const response of changes) expect(response.json()).toMatchObject({ propagation: 'pending' });
  } finally {
    await platform.redis?.start();
  }
});
