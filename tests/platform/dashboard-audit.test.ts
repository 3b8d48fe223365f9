import { beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { type Dashboard, openDashboard } from '../harness/dashboard.ts';
import { makeKey as makeKeyIn } from '../harness/made-key.ts';
import { connect, oauthClient } from '../harness/oauth.ts';
import { joinBusiness, signUp, signUpVerified, type TestPerson } from '../harness/people.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { type DashboardPerson, openOwner } from '../harness/team.ts';

const platform = running(sharedPlatform);

const text = z.string().nullable();
const pageResponse = z.object({
  events: z.array(
    z.object({
      id: z.string(),
      at: z.string(),
      action: z.string(),
      words: z.string(),
      actor: z.object({ kind: z.string(), id: z.string(), name: text, email: text }),
      clientIp: text,
      requestId: z.string(),
      subject: z.object({ kind: z.string(), id: z.string(), name: text, exists: z.boolean() }),
      facts: z.array(z.object({ label: z.string(), value: text })),
      changes: z.array(z.object({ label: z.string(), from: text, to: text })),
    }),
  ),
  nextCursor: text,
});
type AuditPage = z.output<typeof pageResponse>;

async function read(dashboard: Dashboard, parameters: Record<string, string> = {}): Promise<AuditPage> {
  const response = await dashboard.own('GET', `/audit-events?${new URLSearchParams(parameters)}`);
  expect(response.status).toBe(200);
  return pageResponse.parse(response.json());
}

const open = (person: TestPerson) => openDashboard(person, person.browser);

/** Adds many events, as a busy person would. */
async function fill(businessId: number, count: number, action = 'person.logged_in'): Promise<void> {
  await platform.sql(
    `INSERT INTO audit_events (at, business_id, actor_kind, actor_id, request_id, action, subject_id, details)
     SELECT now() - interval '1 day' + n * interval '1 second', $1, 'person', 'per_busy', 'req-' || n, $3, 'per_busy', '{}'
     FROM generate_series(1, $2::int) AS n`,
    [businessId, count, action],
  );
}

async function makeKey(dashboard: Dashboard, name: string): Promise<string> {
  return (await makeKeyIn(dashboard, { name, keyType: 'restricted', scopes: ['orders:read'] })).id;
}

test('every event is described in plain words, newest first', async () => {
  const ada = await signUpVerified(platform);
  const dashboard = await open(ada);
  const id = await makeKey(dashboard, 'Till');
  await dashboard.own('PATCH', `/api-keys/${id}`, { scopes: ['business:read', 'orders:read'] });
  await dashboard.own('POST', `/api-keys/${id}/rotate`);
  await dashboard.own('DELETE', `/api-keys/${id}`);
  const application = await platform.createApplication({
    businessId: platform.businessId,
    name: 'Parcel Post',
  });
  const { accessToken } = await connect(platform, ada.browser, application);
  await oauthClient(platform, application).revoke(accessToken);

  const { events } = await read(dashboard);
  expect(events.map(({ words }) => words)).toEqual([
    'Revoked an access token of the app “Parcel Post”',
    'Connected the app “Parcel Post”',
    'Deleted the API key “Till”',
    'Rotated the API key “Till”: its old string stopped working',
    'Changed permissions of the API key “Till”',
    'Created the API key “Till”',
    'Signed up',
  ]);
  const [revoked, connected, , , changed, made] = events;
  const who = { kind: 'person', id: ada.id, name: ada.name, email: ada.email };
  expect(made).toMatchObject({
    actor: who,
    clientIp: '127.0.0.1',
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    subject: { kind: 'api_key', id, name: 'Till', exists: false },
  });
  expect(made?.facts).toContainEqual({ label: 'Permissions', value: 'orders:read' });
  expect(changed?.changes).toEqual([
    { label: 'Permissions', from: 'orders:read', to: 'business:read, orders:read' },
  ]);
  expect(connected?.subject).toMatchObject({ kind: 'grant', name: 'Parcel Post', exists: true });
  expect(revoked?.actor).toMatchObject({
    kind: 'application',
    id: application.clientId,
    name: 'Parcel Post',
  });
});

test('existing subjects are marked as such, deleted ones are not', async () => {
  const ada = await signUpVerified(platform);
  const dashboard = await open(ada);
  const id = await makeKey(dashboard, 'Till');
  const application = await platform.createApplication({ businessId: ada.businessId });
  await connect(platform, ada.browser, application);
  const exists = async (action: string) => (await read(dashboard, { action })).events[0]?.subject.exists;
  const actions = ['api_key.created', 'application.created', 'grant.created', 'person.signed_up'];
  for (const action of actions) expect([action, await exists(action)]).toEqual([action, true]);

  await dashboard.own('DELETE', `/api-keys/${id}`);
  await platform.deleteApplication(application);
  for (const action of actions.slice(0, 3)) expect([action, await exists(action)]).toEqual([action, false]);
  const [created] = (await read(dashboard, { action: 'grant.created' })).events;
  expect(created?.words).toBe('Connected the app “Shop”');
});

test('each event shows the name that a key had at that time', async () => {
  const ada = await openOwner(platform);
  const id = await makeKey(ada, 'Till');
  expect((await ada.own('PATCH', `/api-keys/${id}`, { name: 'Desk' })).status).toBe(200);
  const { events } = await read(ada, { action: 'api_key.*' });
  expect(events.map(({ action, subject }) => [action, subject.name])).toEqual([
    ['api_key.updated', 'Desk'],
    ['api_key.created', 'Till'],
  ]);
});

test('an operator is shown by role, not by login', async () => {
  const ada = await openOwner(platform);
  await platform.createKey({ businessId: ada.businessId });
  const { events } = await read(ada, { actor: 'operator:operator' });
  expect(events.map(({ actor }) => actor)).toMatchObject([{ kind: 'operator', id: 'operator', name: null }]);
  const csv = (await ada.own('GET', '/audit-events.csv')).text;
  expect(csv).toContain(',operator,operator,');
  expect(csv).not.toContain(',operator,test,');
});

test('pages follow each other without a gap, even while new events are added', async () => {
  const ada = await openOwner(platform);
  await fill(ada.businessId, 120);
  const seen: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: AuditPage = await read(ada, cursor === '' ? {} : { cursor });
    seen.push(...page.events.map(({ id }) => id));
    expect(page.events.length).toBeLessThanOrEqual(50);
    await fill(ada.businessId, 1);
    cursor = page.nextCursor;
  }
  expect(seen).toHaveLength(121);
  expect(seen).toEqual([...new Set(seen)].sort((a, b) => Number(b) - Number(a)));
});

describe('the log can be narrowed', () => {
  let ada: DashboardPerson;
  beforeAll(async () => {
    ada = await openOwner(platform);
    await makeKey(ada, 'Till');
    await fill(ada.businessId, 3);
  });
  const actions = async (parameters: Record<string, string>) =>
    (await read(ada, parameters)).events.map(({ action }) => action);

  test('to one action, or all of a kind', async () => {
    expect(await actions({ action: 'api_key.created' })).toEqual(['api_key.created']);
    expect(await actions({ action: 'api_key.*' })).toEqual(['api_key.created']);
    expect(await actions({ action: 'api_key.deleted' })).toEqual([]);
    expect(await actions({ action: 'person.*' })).toHaveLength(4);
  });

  test('to one person', async () => {
    expect(await actions({ actor: `person:${ada.id}` })).toEqual(['api_key.created', 'person.signed_up']);
    expect(await actions({ actor: `operator:${ada.id}` })).toEqual([]);
    const { actors } = z
      .object({ actors: z.array(z.object({ id: z.string(), name: text })) })
      .parse((await ada.own('GET', '/audit-events/actors')).json());
    expect(actors).toMatchObject([
      { id: 'per_busy', name: null },
      { id: ada.id, name: ada.name },
    ]);
  });

  test('to a period that includes its beginning and excludes its end', async () => {
    const [latest] = (await read(ada, { actor: 'person:per_busy' })).events;
    const at = latest?.at ?? '';
    expect(await actions({ from: at, action: 'person.logged_in' })).toHaveLength(1);
    expect(await actions({ to: at })).toHaveLength(2);
    expect(await actions({ to: '2020-01-01T00:00:00+02:00' })).toEqual([]);
  });

  test('to any action that the list of actions names', async () => {
    const groups = z.object({ groups: z.array(z.object({ items: z.array(z.object({ value: text })) })) });
    const listed = groups.parse((await ada.own('GET', '/audit-events/actions')).json()).groups;
    const values = listed.flatMap(({ items }) => items.map(({ value }) => value));
    expect(values).toEqual(expect.arrayContaining(['api_key.*', 'api_key.created', 'business.banned']));
    const paths = values.map((value) => `/audit-events?action=${value}`);
    const responses = await Promise.all(paths.map((path) => ada.own('GET', path)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  });

  test.each([
    ['action=anything', 'action'],
    ['from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 'to'],
    ['colour=red', 'colour'],
  ])('but not by %s', async (search, field) => {
    for (const path of [`/audit-events?${search}`, `/audit-events.csv?${search}`]) {
      const response = await ada.own('GET', path);
      expect([response.status, response.json()]).toMatchObject([
        400,
        { fields: { [field]: expect.any(String) } },
      ]);
    }
  });
});

describe('access:', () => {
  const paths = ['/audit-events', '/audit-events/actors', '/audit-events/actions', '/audit-events.csv'];

  test('members may read it, strangers get 404', async () => {
    const [ada, mary] = [await signUp(platform), await signUp(platform, { name: 'Mary Somerville' })];
    const statuses = async () => {
      const { call } = await open(mary);
      const responses = paths.map((path) => call('GET', `/businesses/${ada.businessId}${path}`));
      return (await Promise.all(responses)).map(({ status }) => status);
    };
    expect(await statuses()).toEqual(paths.map(() => 404));
    await joinBusiness(platform, mary, ada.businessId, 'developer');
    expect(await statuses()).toEqual(paths.map(() => 200));
  });

  test('a business sees no event of another one', async () => {
    const [ada, mary] = [await signUpVerified(platform), await signUpVerified(platform)];
    await makeKey(await open(ada), 'Till');
    const { events } = await read(await open(mary));
    expect(events.map(({ action }) => action)).toEqual(['person.signed_up']);
  });

  test('a submission for one business of a person is not in the log of another one', async () => {
    const ada = await signUp(platform);
    const other = await platform.createBusiness('other');
    await joinBusiness(platform, ada, other, 'owner');
    await ada.browser.open(`/account/verification?business=${ada.businessId}`);
    const facts = { legal_name: 'Engines Ltd', registration_number: 'HRB 1', country: 'GB' };
    await ada.browser.submit('/account/verification', facts);

    const [submitted] = (await read(await open(ada))).events;
    expect(submitted).toMatchObject({
      words: 'Submitted the business for verification',
      subject: { kind: 'business', id: String(ada.businessId) },
    });
    expect(submitted?.facts).toContainEqual({ label: 'Registered name', value: 'Engines Ltd' });
    const elsewhere = await openDashboard({ businessId: other }, ada.browser);
    expect((await read(elsewhere)).events).toEqual([]);
  });
});

describe('the CSV export', () => {
  const download = async (dashboard: Dashboard, search = '') => {
    const response = await dashboard.own('GET', `/audit-events.csv${search}`);
    expect(response.status).toBe(200);
    return response;
  };

  test('has a header, a line for each event, and the date in its file name', async () => {
    const ada = await openOwner(platform);
    await makeKey(ada, 'Till, "old"');
    const { headers, text: csv } = await download(ada);
    expect(headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['content-disposition']).toMatch(/^attachment; filename="audit-log-\d{4}-\d\d-\d\d\.csv"$/);
    const lines = csv.split('\r\n');
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(/^\ufefftime,who,mail,/);
    expect(lines[1]).toContain(`,${ada.name},${ada.email},person,${ada.id},127.0.0.1,`);
    expect(lines[1]).toContain('"Created the API key “Till, ""old""”",api_key.created,');
    expect(lines[3]).toBe('');
  });

  test('applies the filters', async () => {
    const ada = await openOwner(platform);
    await makeKey(ada, 'Till');
    const { text: csv } = await download(ada, '?action=api_key.*');
    expect(csv).toContain('api_key.created');
    expect(csv).not.toContain('person.signed_up');
  });

  test('escapes names that look like formulas', async () => {
    const ada = await signUp(platform, { name: '=HYPERLINK("https://evil.example")' });
    const dashboard = await open(ada);
    await makeKey(dashboard, '=cmd()');
    const { text: csv } = await download(dashboard);
    expect(csv).toContain(`,"'=HYPERLINK(""https://evil.example"")",`);
    expect(csv).toContain(`,'=cmd(),`);
    expect(csv).not.toMatch(/(^|,)"?[=+@-]/m);
  });

  test('has at most ten thousand events, and says so in its file name', async () => {
    const ada = await openOwner(platform);
    await fill(ada.businessId, 10_000);
    const { headers, text: csv } = await download(ada);
    expect(csv.split('\r\n')).toHaveLength(10_002);
    expect(csv).not.toContain('person.signed_up');
    expect(headers['content-disposition']).toContain('-newest-10000.csv"');
  });
});

test('a refresh token that was used twice is shown as the reason', async () => {
  const ada = await signUpVerified(platform);
  const application = await platform.createApplication({ businessId: platform.businessId });
  const { refreshToken } = await connect(platform, ada.browser, application);
  await oauthClient(platform, application).reuse(refreshToken);
  const [ended] = (await read(await open(ada), { action: 'grant.*' })).events;
  expect(ended).toMatchObject({
    words: 'Ended the access of the app “Shop”: a refresh token was used twice',
    subject: { exists: false },
  });
});
