import { beforeAll, describe, expect, test } from '@jest/globals';
import { createCheckedToken } from '@platform/service-kit/secrets/checked-token.ts';
import type { TestApplication } from '../harness/applications.ts';
import { type Dashboard, openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import type { HttpResponse } from '../harness/http-request.ts';
import { authorizeApplication, authorizePath, connect, oauthClient, pkce } from '../harness/oauth.ts';
import { signUpVerified, type TestPerson } from '../harness/people.ts';
import { decided, findRequest, listRequests } from '../harness/recorded-requests.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/** Failed OAuth requests, as the owner of the application finds them. */

const stranger = '192.0.2.9';

const platform = running(sharedPlatform);
/** Publishes the application. */
let ada: TestPerson;
let dashboard: Dashboard;
let application: TestApplication;
/** Connects it. */
let eve: TestPerson;
beforeAll(async () => {
  [ada, eve] = await Promise.all([signUpVerified(platform), signUpVerified(platform)]);
  dashboard = await openDashboard(ada, ada.browser);
  application = await platform.createApplication({ businessId: ada.businessId, name: 'Parcel Post' });
});

const idOf = ({ headers }: HttpResponse) => String(headers['x-request-id']);
const client = (change: Partial<TestApplication> = {}) =>
  oauthClient(platform, { ...application, ...change });
const token = async (
  fields: Readonly<Record<string, string | undefined>>,
  change: Partial<TestApplication> = {},
  headers: Readonly<Record<string, string>> = {},
) => (await client(change).post('/v2/oauth/token', fields, headers)).response;
const refreshOf = (refresh_token: string) => ({ grant_type: 'refresh_token', refresh_token });

/** Requests that fail, by reason: the check that failed, and what is sent. */
const failures: Readonly<Record<string, readonly [check: string, send: () => Promise<HttpResponse>]>> = {
  client_secret_wrong: ['secret', () => token({}, { clientSecret: createCheckedToken('cs') })],
  client_secret_malformed: ['secret', () => token({}, { clientSecret: 'my password' })],
  client_credentials: ['client', () => token({ client_secret: undefined })],
  oauth_parameters: ['parameters', () => token({})],
  code_unknown: [
    'issued',
    () =>
      token({
        grant_type: 'authorization_code',
        code: createCheckedToken('ac'),
        code_verifier: pkce().verifier,
      }),
  ],
  code_verifier: [
    'matching',
    async () => {
      const { code } = await authorizeApplication(eve.browser, application);
      return (await client().exchange(code, pkce().verifier)).response;
    },
  ],
  code_expired: [
    'unexpired',
    async () => {
      const { code, verifier } = await authorizeApplication(eve.browser, application);
      const expire = `UPDATE authorization_codes SET expires_at = now() - interval '5 minutes' WHERE grant_id IN
        (SELECT id FROM grants WHERE application_id = $1)`;
      await platform.sql(expire, [application.id]);
      return (await client().exchange(code, verifier)).response;
    },
  ],
  code_used: [
    'unused',
    async () => {
      const { code, verifier } = await authorizeApplication(eve.browser, application);
      await client().exchange(code, verifier);
      return (await client().exchange(code, verifier, {}, 1)).response;
    },
  ],
  refresh_unknown: ['issued', () => token(refreshOf(createCheckedToken('rt')))],
  refresh_reused: [
    'unused',
    async () => {
      const { refreshToken } = await connect(platform, eve.browser, application);
      return (await client().reuse(refreshToken, 1)).response;
    },
  ],
  refresh_repeated: [
    'unused',
    async () => {
      const { refreshToken } = await connect(platform, eve.browser, application);
      await client().refresh(refreshToken);
      return (await client().refresh(refreshToken, {}, {}, 1)).response;
    },
  ],
  oauth_connection_ended: [
    'connection',
    async () => {
      const { refreshToken } = await connect(platform, eve.browser, application);
      await client().revoke(refreshToken, { token_type: 'refresh_token' });
      return (await client().refresh(refreshToken)).response;
    },
  ],
  redirect_uri_unknown: [
    'redirect_uri',
    () => eve.browser.send('GET', authorizePath(application, { redirect_uri: 'https://elsewhere.test/cb' })),
  ],
  authorization_parameters: [
    'parameters',
    () => eve.browser.send('GET', authorizePath(application, { code_challenge: undefined })),
  ],
};

test.each(Object.entries(failures))('%s is found by its request id', async (reason, [check, send]) => {
  const response = await send();
  const found = await findRequest(dashboard, idOf(response));
  expect(found).toMatchObject({
    status: response.status,
    reason,
    credential: {
      type: 'client',
      id: application.clientId,
      limitId: application.id,
      caller: { kind: 'application', id: application.id, name: 'Parcel Post', isOwn: true },
    },
    remedy: { page: 'application', id: application.id },
  });
  expect(decided(found).failed).toEqual([check]);
  if (response.status >= 400 && found.path.startsWith('/v2/')) {
    const { error, error_description } = JSON.parse(response.text);
    expect(found.error).toBe(`${error}: ${error_description}`);
  }
});

describe('the client secret', () => {
  test('is named by its last four characters, and stored nowhere', async () => {
    const clientSecret = createCheckedToken('cs');
    const pasted = 'correct horse battery staple';
    const responses = [await token({}, { clientSecret }), await token({}, { clientSecret: pasted })];
    const [wrong, foreign] = await Promise.all(responses.map((each) => findRequest(dashboard, idOf(each))));
    expect(wrong?.secretLastFour).toBe(clientSecret.slice(-4));
    expect(wrong?.explanation?.problem).toContain(clientSecret.slice(-4));
    expect(foreign?.secretLastFour).toBeNull();
    const ids = responses.map(idOf);
    const rows = await platform.sql('SELECT * FROM request_log WHERE id = ANY($1)', [ids]);
    expect(rows).toHaveLength(2);
    for (const secret of [clientSecret.slice(3, 20), pasted, 'staple']) {
      expect(JSON.stringify(rows)).not.toContain(secret);
    }
  });

  test('is not confirmed to a wrong address, and the record shows the owner that the address was refused', async () => {
    const from = { 'X-Forwarded-For': stranger };
    const [right, wrong] = [await token({}, {}, from), await token({}, { clientSecret: 'x' }, from)];
    expect([right.status, right.text]).toEqual([wrong.status, wrong.text]);
    const found = await findRequest(dashboard, idOf(right));
    expect(found).toMatchObject({
      reason: 'client_address',
      clientIp: stranger,
      secretLastFour: application.clientSecret.slice(-4),
      missingAddress: { kind: 'application', id: application.id, address: stranger },
    });
    expect(decided(found).failed).toEqual(['client_address']);

    const allowed = await dashboard.own('POST', `/applications/${application.id}/whitelist`, {
      address: stranger,
    });
    expect([allowed.status, allowed.json()]).toMatchObject([
      200,
      {
        application: { ipWhitelist: expect.arrayContaining(['127.0.0.1', stranger]) },
        propagation: 'confirmed',
      },
    ]);
    expect(JSON.parse((await token({}, {}, from)).text).error).toBe('invalid_request');
    const invalid = await dashboard.own('POST', `/applications/${application.id}/whitelist`, {
      address: 'here',
    });
    expect([invalid.status, invalid.json()]).toMatchObject([
      400,
      { fields: { address: expect.any(String) } },
    ]);
  });
});

describe('access:', () => {
  test('a failure is for the owner of the application alone, not for the business that connected it', async () => {
    const id = idOf(await token(refreshOf(createCheckedToken('rt'))));
    await findRequest(dashboard, id);
    const other = await openDashboard(eve, eve.browser);
    expect((await other.own('GET', `/requests/${id}`)).status).toBe(404);
    const { requests } = await listRequests(other);
    expect(requests.map((request) => request.credential?.type)).not.toContain('client');
  });

  test('a failure without an application is found by its exact id, and is in no list', async () => {
    const secret = createCheckedToken('cs');
    const nameless = { clientId: `app_${'0'.repeat(32)}`, clientSecret: secret };
    const id = idOf(await token({}, nameless));
    expect(await findRequest(dashboard, id)).toMatchObject({
      reason: 'client_unknown',
      credential: null,
      secretLastFour: null,
    });
    const { requests } = await listRequests(dashboard);
    expect(requests.map((request) => request.id)).not.toContain(id);
  });
});

test('strangers who know the client ID leave few records, and hide no failure of the application', async () => {
  const flooded = await platform.createApplication({ businessId: ada.businessId, name: 'Flooded' });
  const guess = (index: number) =>
    oauthClient(platform, { ...flooded, clientSecret: 'x' }, index % 2).post('/v2/oauth/token', {});
  for (let sent = 0; sent < 160; sent += 20) {
    await Promise.all(Array.from({ length: 20 }, (_, index) => guess(index)));
  }
  const own = idOf((await oauthClient(platform, flooded).refresh(createCheckedToken('rt'))).response);
  expect(await findRequest(dashboard, own)).toMatchObject({ reason: 'refresh_unknown' });

  const [listed, counted] = [
    "SELECT count(*)::int AS n FROM request_log WHERE limit_id = $1 AND refusal = 'client_secret_malformed'",
    'SELECT coalesce(sum(unlisted), 0)::int AS n FROM request_log_minutes WHERE business_id = $1',
  ];
  const number = async (text: string, value: unknown) =>
    (await platform.sql<{ n: number }>(text, [value]))[0]?.n ?? 0;
  const rows = () => number(listed, flooded.id);
  await expectEventually(
    async () => expect((await rows()) + (await number(counted, ada.businessId))).toBe(160),
    { withinMs: 10_000 },
  );
  // 20 a minute at each of two replicas; the flood may lie across the end of a minute.
  expect(await rows()).toBeLessThanOrEqual(80);
  const { unlisted } = await listRequests(dashboard, { credential: flooded.id });
  expect(unlisted.reduce((sum, { requests }) => sum + requests, 0)).toBe(
    await number(counted, ada.businessId),
  );
});
