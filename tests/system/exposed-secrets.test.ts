import { expect, test } from '@jest/globals';
import { createCheckedToken } from '@platform/service-kit/secrets/checked-token.ts';
import type { TestApplication } from '../harness/applications.ts';
import { openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { oauthClient } from '../harness/oauth.ts';
import { awaitMailAbout, joinBusiness, signUp, signUpVerified } from '../harness/people.ts';
import { decided, findRequest, listRequests } from '../harness/recorded-requests.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/*
 * A client secret that crossed the network over http is refused before anything is looked up, and the owners of its
 * application learn of it; who knows the client ID alone makes no record. Over two gateways behind a proxy.
 */

const title = 'Rotate this client secret: it crossed the network unencrypted';
const plain = { 'X-Forwarded-Proto': 'http', 'X-Forwarded-For': '203.0.113.7' };
const paths = ['/v2/oauth/token', '/v2/oauth/revoke'];

const platform = running(sharedPlatform);

/** A person who publishes an application. */
async function newPublisher() {
  const person = await signUpVerified(platform);
  const dashboard = await openDashboard(person, person.browser);
  const { businessId } = person;
  const application = await platform.createApplication({ businessId, name: 'Parcel Post' });
  return { person, dashboard, application };
}

const basic = ({ clientId, clientSecret }: TestApplication) => ({
  Authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
});

interface Sent {
  readonly gateway?: number;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fields?: Readonly<Record<string, string | undefined>>;
}

/** Sends a request over http, which is refused, and returns the X-Request-Id. */
async function expose(application: TestApplication, sent: Sent = {}): Promise<string> {
  const { gateway = 0, path = '/v2/oauth/token', headers = {}, fields = {} } = sent;
  const client = oauthClient(platform, application, gateway);
  const { response } = await client.post(path, fields, { ...plain, ...headers });
  expect([response.status, response.headers.link]).toEqual([403, '</docs/errors#plain_http>; rel="help"']);
  return String(response.headers['x-request-id']);
}

const noSecret = { client_id: undefined, client_secret: undefined };

const recordsOf = ({ id }: TestApplication) =>
  platform.sql('SELECT id FROM request_log WHERE limit_id = $1 ORDER BY at', [id]);

const noticesOf = ({ id }: TestApplication) =>
  platform.sql<{ person_id: string }>('SELECT DISTINCT person_id FROM notices WHERE subject_id = $1', [id]);

test.each(
  paths.flatMap((path, gateway) => [
    { path, gateway, form: 'a Basic header' },
    { path, gateway, form: 'the body' },
  ]),
)('a secret in $form of $path over http is shown to its owner with the advice to rotate it', async (sent) => {
  const { dashboard, application } = await newPublisher();
  const given =
    sent.form === 'the body'
      ? { fields: { token: 'x', token_type: 'access_token' } }
      : { headers: basic(application), fields: noSecret };
  const found = await findRequest(dashboard, await expose(application, { ...sent, ...given }));
  expect(found).toMatchObject({
    status: 403,
    reason: 'plain_http',
    title,
    path: sent.path,
    clientIp: '203.0.113.7',
    credential: { type: 'client', id: application.clientId, caller: { name: 'Parcel Post', isOwn: true } },
    secretLastFour: application.clientSecret.slice(-4),
    explanation: { help: '/docs/errors#plain_http' },
    remedy: { page: 'application', id: application.id },
  });
  expect(decided(found).failed).toEqual(['request']);
  expect(found.decision[0]?.words).toBe('The request came over https');
  const { requests } = await listRequests(dashboard, { credential: application.id });
  expect(requests.map((request) => request.title)).toEqual([title]);
});

test('only owners get a notice of a secret, once an hour over all gateways', async () => {
  const { person: grace, application } = await newPublisher();
  const mary = await signUp(platform);
  await joinBusiness(platform, mary, grace.businessId, 'developer');
  for (let turn = 0; turn < 6; turn++) await expose(application, { gateway: turn % 2 });
  const { text } = await awaitMailAbout(platform.mailDirectory, grace.email, title);
  expect(text).toContain(
    `(…${application.clientSecret.slice(-4)}) of the app “Parcel Post” came over http from`,
  );
  expect(text).toContain(`/dashboard/${grace.businessId}/settings/developers/apps/${application.id}`);
  expect(text).not.toContain(application.clientSecret);
  await expectEventually(async () => expect(await recordsOf(application)).toHaveLength(6), {
    withinMs: 10_000,
  });
  expect(await noticesOf(application)).toEqual([{ person_id: grace.id }]);
  const recorded = 'SELECT topic, count(*)::int AS rows FROM notices WHERE subject_id = $1 GROUP BY topic';
  const [row] = await platform.sql(recorded, [application.id]);
  expect(row?.topic).toBe('security');
  // The hour may end in between.
  expect(Number(row?.rows)).toBeLessThanOrEqual(2);
});

test('a client ID alone or with the secret of another application is not recorded', async () => {
  const { dashboard, application } = await newPublisher();
  const { application: other } = await newPublisher();
  const guess = { ...application, clientSecret: createCheckedToken('cs') };
  const mixed = { ...application, clientSecret: other.clientSecret };
  for (const wrong of [guess, mixed, { ...application, clientSecret: 'my password' }]) {
    await expose(wrong);
    await expose(wrong, { headers: basic(wrong), fields: noSecret });
  }
  await expose(application, { fields: { client_secret: undefined } });
  // Too large to be kept.
  await expose(application, { fields: { state: 'x'.repeat(9_000) } });
  // Later than all of these.
  const id = await expose(application);
  await findRequest(dashboard, id);
  expect(await recordsOf(application)).toEqual([{ id }]);
  expect(await recordsOf(other)).toEqual([]);
});

test('a flood of secrets leaves a bounded number of records, and hides no secret from another network', async () => {
  const { application } = await newPublisher();
  const flood = (_: unknown, sent: number) =>
    expose(application, { gateway: sent % 2, headers: { 'X-Forwarded-For': '198.18.0.1' } });
  for (let round = 0; round < 4; round++) await Promise.all(Array.from({ length: 50 }, flood));
  const { dashboard, application: beside } = await newPublisher();
  await findRequest(dashboard, await expose(beside));
  const [row] = await platform.sql<{ sum: number }>(
    'SELECT count(*)::int AS sum FROM request_log WHERE limit_id = $1',
    [application.id],
  );
  expect(row?.sum).toBeGreaterThan(1);
  expect(row?.sum).toBeLessThanOrEqual(150);
});
