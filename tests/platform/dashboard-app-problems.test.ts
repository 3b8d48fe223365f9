import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createCheckedToken } from '@platform/service-kit/secrets/checked-token.ts';
import { z } from 'zod';
import type { TestApplication } from '../harness/applications.ts';
import { type Dashboard, openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { authorizeApplication, connect, oauthClient } from '../harness/oauth.ts';
import { joinBusiness, signUpVerified, type TestPerson } from '../harness/people.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/** Problems of an application, as its publisher sees them. */

const response = z.object({
  problems: z.array(
    z.object({
      reason: z.string(),
      isListed: z.boolean(),
      title: z.string(),
      advice: z.string(),
      help: z.string(),
      requests: z.number(),
      lastAt: z.string(),
      businesses: z.array(z.strictObject({ name: z.string().nullable(), requests: z.number() })),
    }),
  ),
});

const platform = running(sharedPlatform);
/** Publishes an application; new in each test. */
let ada: TestPerson;
let dashboard: Dashboard;
/** Connects it. */
let eve: TestPerson;
beforeAll(async () => {
  eve = await signUpVerified(platform, { businessName: 'Corner Bakery' });
});
beforeEach(async () => {
  ada = await signUpVerified(platform);
  dashboard = await openDashboard(ada, ada.browser);
});

const read = async (application: TestApplication) => {
  const { text } = await dashboard.own('GET', `/applications/${application.id}/problems`);
  return { text, problems: response.parse(JSON.parse(text)).problems };
};

/** The Grant of eve's business. */
async function grantOf({ id }: TestApplication): Promise<string> {
  const text = 'SELECT id FROM grants WHERE application_id = $1 AND business_id = $2';
  const [grant] = await platform.sql<{ id: string }>(text, [id, eve.businessId]);
  return grant?.id ?? '';
}

test('an application without failed requests has no problems', async () => {
  const application = await platform.createApplication({ businessId: ada.businessId });
  await connect(platform, eve.browser, application);
  expect((await read(application)).problems).toEqual([]);
});

test('failed OAuth requests are counted by reason and lead to the list of requests', async () => {
  const application = await platform.createApplication({ businessId: ada.businessId });
  const client = oauthClient(platform, application);
  const wrong = oauthClient(platform, { ...application, clientSecret: createCheckedToken('cs') });
  await wrong.post('/v2/oauth/token', {});
  await wrong.post('/v2/oauth/token', {});
  await client.post('/v2/oauth/token', {}, { 'X-Forwarded-For': '192.0.2.9' });
  const { code, verifier } = await authorizeApplication(eve.browser, application);
  await client.exchange(code, verifier);
  await client.exchange(code, verifier);
  await client.reuse((await connect(platform, eve.browser, application)).refreshToken);
  await expectEventually(
    async () => {
      const { problems } = await read(application);
      const counts = problems.map(({ reason, requests, isListed }) => [reason, requests, isListed]);
      expect(counts).toEqual([
        ...[expect.anything(), expect.anything(), expect.anything()],
        ['client_secret_wrong', 2, true],
      ]);
      expect(counts.slice(0, 3).toSorted()).toEqual([
        ['client_address', 1, true],
        ['code_used', 1, true],
        ['refresh_reused', 1, true],
      ]);
    },
    { withinMs: 10_000, everyMs: 200 },
  );
  const listed = await dashboard.own(
    'GET',
    `/requests?credential=${application.id}&reason=client_secret_wrong`,
  );
  expect(z.object({ requests: z.array(z.unknown()) }).parse(listed.json()).requests).toHaveLength(2);
});

test('failed API requests show of a connected business its name and their number, and nothing else', async () => {
  const application = await platform.createApplication({
    businessId: ada.businessId,
    scopes: ['orders:read'],
  });
  const { accessToken: key } = await connect(platform, eve.browser, application);
  const missing = '/v2/order/ord_0123456789abcdef01234567';
  await platform.request(0, 'GET', missing, { key });
  await platform.request(1, 'GET', missing, { key });
  await platform.request(0, 'POST', '/v2/order', { key, body: { number: 'Secret-17' } });
  await expectEventually(
    async () => {
      const { problems } = await read(application);
      expect(problems).toMatchObject([
        { reason: '404', isListed: false, requests: 2, businesses: [{ name: 'Corner Bakery', requests: 2 }] },
        {
          ...{ reason: 'insufficient_scope', isListed: false, requests: 1 },
          businesses: [{ name: 'Corner Bakery', requests: 1 }],
        },
      ]);
    },
    { withinMs: 10_000, everyMs: 200 },
  );
  const { text } = await read(application);
  const withheld = [await grantOf(application), missing, 'Secret-17', '127.0.0.1', eve.email, eve.name];
  for (const fact of withheld) expect(text).not.toContain(fact);
});

test('a code_challenge that comes again is a problem, and a fresh one is not', async () => {
  const application = await platform.createApplication({ businessId: ada.businessId });
  await authorizeApplication(eve.browser, application);
  expect((await read(application)).problems).toEqual([]);
  const change = { code_challenge: 'c'.repeat(43) };
  for (const _ of [1, 2, 3]) await authorizeApplication(eve.browser, application, change);
  expect((await read(application)).problems).toMatchObject([{ reason: 'repeated_challenge', requests: 2 }]);
});

test.each<[string, readonly (readonly [admitted: number, refused: number])[], number]>([
  [
    '429 alone after 429 alone',
    [
      [9, 1],
      [0, 4],
      [0, 5],
      [0, 6],
    ],
    11,
  ],
  [
    '429 alone in one minute',
    [
      [9, 1],
      [0, 4],
      [9, 0],
    ],
    0,
  ],
  [
    '429 alone, each after a request that was admitted',
    [
      [0, 4],
      [1, 0],
      [0, 5],
    ],
    0,
  ],
  [
    '429 beside requests that were admitted',
    [
      [1, 4],
      [1, 5],
      [1, 6],
    ],
    0,
  ],
])('requests came too early where the minutes of a connection have %s', async (_, minutes, early) => {
  const application = await platform.createApplication({ businessId: ada.businessId });
  await connect(platform, eve.browser, application);
  const grantId = await grantOf(application);
  const begin = Date.now() - 7_200_000;
  for (const [index, [admitted, refused]] of minutes.entries()) {
    const values = [grantId, eve.businessId, new Date(begin + index * 60_000), admitted, refused];
    await platform.sql(
      `INSERT INTO usage_counts
         (credential_id, minute, credential_type, business_id, limit_id, count_2xx, count_4xx, count_429, count_5xx)
       VALUES ($1, date_trunc('minute', $3::timestamptz), 'access_token', $2, $1, $4, 0, $5, 0)`,
      values,
    );
    await platform.sql(
      `INSERT INTO usage_hours AS stored (business_id, hour, limit_id, count_2xx, count_4xx, count_429, count_5xx)
       VALUES ($2, date_trunc('hour', $3::timestamptz), $1, $4, 0, $5, 0)
       ON CONFLICT (business_id, hour, limit_id) DO UPDATE SET count_429 = stored.count_429 + excluded.count_429`,
      values,
    );
  }
  const { problems } = await read(application);
  const expected = {
    reason: 'early_calls',
    requests: early,
    businesses: [{ name: 'Corner Bakery', requests: early }],
  };
  expect(problems).toMatchObject(early === 0 ? [] : [expected]);
});

test('a viewer of the publisher reads the problems, and the connected business does not', async () => {
  const application = await platform.createApplication({ businessId: ada.businessId });
  const viewer = await signUpVerified(platform);
  await joinBusiness(platform, viewer, ada.businessId, 'viewer');
  const path = `/dashboard-api/businesses/${ada.businessId}/applications/${application.id}/problems`;
  const statuses = [viewer, eve].map(async ({ browser }) => (await browser.send('GET', path)).status);
  expect(await Promise.all(statuses)).toEqual([200, 404]);
});
