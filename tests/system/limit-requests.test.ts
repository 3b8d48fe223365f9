import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { adminJsonOn, adminOn } from '../harness/admin.ts';
import { openDashboard } from '../harness/dashboard.ts';
import { failWrites } from '../harness/fail-writes.ts';
import { connect } from '../harness/oauth.ts';
import { awaitMail, joinBusiness, mailsTo, signUpVerified } from '../harness/people.ts';
import { refusalOf } from '../harness/refusals.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/** Contract 8, "on request": an owner asks for a higher limit, an operator decides, and the owner gets an email. */

const platform = running(sharedPlatform);

async function openOwner() {
  const person = await signUpVerified(platform);
  return { ...person, ...(await openDashboard(person, person.browser)) };
}

type Owner = Awaited<ReturnType<typeof openOwner>>;

const path = '/limit-requests';
const reason = 'We open shops in three countries in May';
const asked = z.object({ limitRequest: z.looseObject({ id: z.string() }) });

const listed = async (owner: Owner) =>
  z.object({ limitRequests: z.array(z.looseObject({})) }).parse((await owner.own('GET', path)).json())
    .limitRequests;

const actionsOf = async ({ businessId }: Owner) => {
  const text =
    "SELECT action, actor_kind FROM audit_events WHERE business_id = $1 AND action LIKE '%limit%' ORDER BY id";
  return (await platform.sql(text, [businessId])).map((row) => Object.values(row).join(' by '));
};

test('a request for more connected users is listed with 30 days of use, granted, applied and emailed', async () => {
  const [ada, bob] = [await openOwner(), await openOwner()];
  const application = await platform.createApplication({ businessId: ada.businessId });
  const { accessToken } = await connect(platform, bob.browser, application);
  await platform.request(0, 'GET', '/v2/order', { key: accessToken });
  const hour = `INSERT INTO usage_hours (business_id, hour, limit_id, count_2xx, count_4xx, count_429, count_5xx)
    SELECT business_id, date_trunc('hour', now()) - $2::interval, id, 700, 20, 30, 0 FROM grants WHERE application_id = $1`;
  await platform.sql(hour, [application.id, '29 days']);
  await platform.sql(hour, [application.id, '31 days']);

  const body = { kind: 'connected_users', subjectId: application.id, limit: 200, reason: ` ${reason} ` };
  const response = await ada.own('POST', path, body);
  expect([response.status, response.json()]).toMatchObject([
    201,
    {
      limitRequest: {
        kind: 'connected_users',
        requestedLimit: 200,
        reason,
        status: 'pending',
        decidedAt: null,
      },
    },
  ]);
  const { id } = asked.parse(response.json()).limitRequest;
  const again = await ada.own('POST', path, { ...body, limit: 300 });
  expect(refusalOf(again)).toMatchObject({ code: 409, reason: 'limit_request_pending' });

  const waiting = z
    .array(z.looseObject({ id: z.string() }))
    .parse(await adminJsonOn(platform, 'request', 'list'));
  expect(waiting.find((request) => request.id === id)).toMatchObject({
    businessId: ada.businessId,
    kind: 'connected_users',
    subjectId: application.id,
    currentLimit: 50,
    requestedLimit: 200,
    reason,
    requestedBy: ada.email,
    status: 'pending',
    use: { connectedUsers: 1, refused: 30, busiestHour: 750 },
  });
  const lower = await adminOn(platform, 'request', 'grant', '--request', id, '--limit', '50');
  expect([lower.code, lower.err]).toEqual([
    1,
    expect.stringContaining('greater than the current limit of 50'),
  ]);
  const granted = await adminJsonOn(platform, 'request', 'grant', '--request', id, '--limit', '150');
  expect(granted).toMatchObject({ status: 'granted', grantedLimit: 150, currentLimit: 150, notified: true });
  expect((await ada.own('GET', `/applications/${application.id}`)).json()).toMatchObject({
    connectedUserLimit: 150,
  });
  expect(await listed(ada)).toMatchObject([
    { id, status: 'granted', grantedLimit: 150, decisionReason: null },
  ]);
  const mail = await awaitMail(platform.mailDirectory, ada.email, 2);
  expect(mail).toMatchObject({
    subject: 'Your limit was raised',
    text: expect.stringContaining('You asked for 200 connected businesses'),
    link: `/dashboard/${ada.businessId}/settings/developers/apps/${application.id}`,
  });
  expect(mail.text).toContain('the limit is now 150');
  const raised = 'The limit of the app “Shop” was raised from 50 to 150 connected businesses by our support.';
  expect((await ada.call('GET', '/notices')).json()).toMatchObject({ notices: [{ text: raised }] });
  expect(await actionsOf(ada)).toEqual([
    'limit_request.created by person',
    'application.limit_set by operator',
    'limit_request.granted by operator',
  ]);
  const { code, err } = await adminOn(
    platform,
    'request',
    'decline',
    '--request',
    id,
    '--reason',
    'too late',
  );
  expect([code, err]).toEqual([1, expect.stringContaining('the request was already granted')]);
  expect((await ada.own('POST', path, { ...body, limit: 300 })).status).toBe(201);
});

test('an owner lowers the rate limit of a key, and raises it as far as operators granted', async () => {
  const [ada, bob] = [await openOwner(), await openOwner()];
  await joinBusiness(platform, bob, ada.businessId, 'developer');
  const { id } = await platform.createKey({ businessId: ada.businessId });
  const set = (limit: unknown) => ada.own('PUT', `/api-keys/${id}/limit`, { limit });
  const developer = await bob.call('PUT', `/businesses/${ada.businessId}/api-keys/${id}/limit`, { limit: 1 });
  expect(refusalOf(developer)).toMatchObject({ code: 403, reason: 'not_owner' });
  for (const refused of [0, 1.5, '7', null, 10_001]) expect((await set(refused)).status).toBe(400);
  for (const limit of [500, 700, 10_000, 9_000]) expect((await set(limit)).status).toBe(200);
  expect((await ada.own('GET', `/api-keys/${id}`)).json()).toMatchObject({
    rollingHour: { limit: 9_000 },
    grantedLimit: 10_000,
  });
  expect(await actionsOf(ada)).toEqual(Array.from({ length: 4 }, () => 'api_key.limit_set by person'));
  await adminJsonOn(
    platform,
    ...['key', 'limit', '--business', String(ada.businessId), '--key', id],
    '--limit',
    '200',
  );
  expect((await set(201)).status).toBe(400);
  const notices = z.object({ notices: z.array(z.object({ title: z.string() })) });
  const { notices: read } = notices.parse((await ada.call('GET', '/notices')).json());
  expect(read.map(({ title }) => title.split(' ').at(-1)).reverse()).toEqual([
    ...['lowered', 'raised', 'raised', 'lowered', 'lowered'],
  ]);
});

test('a request for a higher rate limit is declined with a reason that the owner can read', async () => {
  const ada = await openOwner();
  const key = await platform.createKey({ businessId: ada.businessId });
  const body = { kind: 'rate_limit', subjectId: key.id, limit: 20_000, reason };
  const { id } = asked.parse((await ada.own('POST', path, body)).json()).limitRequest;
  const why = 'Most requests read the same order: use ETags, see https://api.example.com/docs';
  await adminJsonOn(platform, 'request', 'decline', '--request', id, '--reason', why);
  expect(await listed(ada)).toMatchObject([{ status: 'declined', grantedLimit: null, decisionReason: why }]);
  expect((await ada.own('GET', `/api-keys/${key.id}`)).json()).toMatchObject({
    rollingHour: { limit: 10_000 },
  });
  const mail = await awaitMail(platform.mailDirectory, ada.email, 2);
  expect(mail).toMatchObject({ subject: 'Your request for a higher limit was declined' });
  expect(mail.text).toContain(why);
  const words = z.object({ events: z.array(z.object({ words: z.string() })) });
  const { events } = words.parse((await ada.own('GET', '/audit-events?action=limit_request.*')).json());
  expect(events.map((event) => event.words)).toEqual([
    expect.stringMatching(/^Declined a limit of 20,000 requests an hour for the API key “.*”$/),
    expect.stringMatching(/^Asked for a limit of 20,000/),
  ]);
});

test('a grant that cannot be carried out changes nothing, and can be repeated', async () => {
  const ada = await openOwner();
  const key = await platform.createKey({ businessId: ada.businessId });
  const body = { kind: 'rate_limit', subjectId: key.id, limit: 20_000, reason };
  const { id } = asked.parse((await ada.own('POST', path, body)).json()).limitRequest;
  await ada.own('DELETE', `/api-keys/${key.id}`);
  const { code } = await adminOn(platform, 'request', 'grant', '--request', id);
  expect([code, await listed(ada)]).toMatchObject([1, [{ status: 'pending' }]]);
  const declined = await adminOn(
    platform,
    'request',
    'decline',
    '--request',
    id,
    '--reason',
    'the key is gone',
  );
  expect([declined.code, mailsTo(platform.mailDirectory, ada.email).length]).toEqual([0, 2]);
});

test('a grant that cannot be recorded raises no limit, and is recorded once when it is repeated', async () => {
  const ada = await openOwner();
  const application = await platform.createApplication({ businessId: ada.businessId });
  const key = await platform.createKey({ businessId: ada.businessId });
  const subjects = { connected_users: application.id, rate_limit: key.id };
  const ids: string[] = [];
  for (const [kind, subjectId] of Object.entries(subjects)) {
    const body = { kind, subjectId, limit: 20_000, reason };
    ids.push(asked.parse((await ada.own('POST', path, body)).json()).limitRequest.id);
  }
  const grant = async () =>
    Promise.all(ids.map(async (id) => (await adminOn(platform, 'request', 'grant', '--request', id)).code));
  const limits = async () => [
    (await platform.getApplication(application)).connectedUserLimit,
    (await ada.own('GET', `/api-keys/${key.id}`)).json(),
  ];
  const restore = await failWrites(platform.databases.identity, 'limit_requests', '53100');
  try {
    expect(await grant()).toEqual([1, 1]);
    expect(await limits()).toMatchObject([50, { rollingHour: { limit: 10_000 } }]);
  } finally {
    await restore();
  }
  expect(await grant()).toEqual([0, 0]);
  expect(await limits()).toMatchObject([20_000, { rollingHour: { limit: 20_000 } }]);
  expect((await actionsOf(ada)).filter((action) => action.includes('limit_set'))).toHaveLength(2);
});

test('the dashboard and the documentation show an address for questions', async () => {
  const { browser } = await openOwner();
  const supportEmail = 'support@127.0.0.1';
  expect((await browser.send('GET', '/dashboard-api/session')).json()).toMatchObject({ supportEmail });
  for (const page of ['limits', 'errors']) {
    const { text } = await platform.request(0, 'GET', `/docs/${page}`);
    expect(text).toContain(`<a href="mailto:${supportEmail}">`);
    expect(text).not.toContain('@api.example.com');
  }
});

describe('a request is refused', () => {
  test('unless it is for a higher limit and has a reason', async () => {
    const ada = await openOwner();
    const key = await platform.createKey({ businessId: ada.businessId });
    const ask = async (change: object) => {
      const body = { kind: 'rate_limit', subjectId: key.id, limit: 20_000, reason, ...change };
      return refusalOf(await ada.own('POST', path, body));
    };
    for (const limit of [10_000, 1, 10_000_001, 1.5, -1]) {
      expect(await ask({ limit })).toMatchObject({ code: 400, fields: ['limit'] });
    }
    for (const wrong of ['', ' ', 'x'.repeat(501), 'a\u0000b']) {
      expect(await ask({ reason: wrong })).toMatchObject({ code: 400, fields: ['reason'] });
    }
    expect(await ask({ kind: 'applications' })).toMatchObject({ code: 400, fields: ['kind'] });
    expect(await listed(ada)).toEqual([]);
  });

  test('for a key or app of another business, and from members', async () => {
    const [ada, eve] = [await openOwner(), await openOwner()];
    await joinBusiness(platform, eve, ada.businessId, 'developer');
    const key = await platform.createKey({ businessId: ada.businessId });
    const body = { kind: 'rate_limit', subjectId: key.id, limit: 20_000, reason };
    expect((await eve.own('POST', path, body)).status).toBe(404);
    expect((await eve.call('POST', `/businesses/${ada.businessId}${path}`, body)).status).toBe(403);
    expect((await ada.own('POST', path, { ...body, kind: 'connected_users' })).status).toBe(404);
    expect((await eve.call('GET', `/businesses/${ada.businessId}${path}`)).json()).toEqual({
      limitRequests: [],
    });
  });

  test('if another one is sent at the same time', async () => {
    const ada = await openOwner();
    const key = await platform.createKey({ businessId: ada.businessId });
    const body = { kind: 'rate_limit', subjectId: key.id, limit: 20_000, reason };
    const responses = await Promise.all([1, 2, 3, 4].map(() => ada.own('POST', path, body)));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    expect(await listed(ada)).toHaveLength(1);
  });
});
