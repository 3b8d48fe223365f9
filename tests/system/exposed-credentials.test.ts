import { beforeAll, expect, test } from '@jest/globals';
import { createCheckedToken } from '@platform/service-kit/secrets/checked-token.ts';
import { type Dashboard, openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { metricOf } from '../harness/metrics.ts';
import { connect } from '../harness/oauth.ts';
import { allMailsTo, joinBusiness, signUp, signUpVerified, type TestPerson } from '../harness/people.ts';
import { decided, findRequest, listRequests } from '../harness/recorded-requests.ts';
import { unissued } from '../harness/refused-bearers.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/*
 * A credential that crossed the network over http is refused before anything is looked up, and its owner learns of it.
 * Over two gateways behind a proxy.
 */

const path = '/v2/businesses/me';
const titles = {
  key: 'Rotate this key: it crossed the network unencrypted',
  token: 'Revoke this token: it crossed the network unencrypted',
  tokenNotice: 'A token of an app crossed the network unencrypted',
  unknown: 'Sent over http',
};

const platform = running(sharedPlatform);
let ada: TestPerson;
let dashboard: Dashboard;
beforeAll(async () => {
  ada = await signUpVerified(platform);
  dashboard = await openDashboard(ada, ada.browser);
});

/** Sends a credential over http, which is refused, and returns the X-Request-Id. */
async function expose(gateway: number, key: string, address = '192.0.2.7'): Promise<string> {
  const headers = { 'X-Forwarded-Proto': 'http', 'X-Forwarded-For': address };
  const response = await platform.request(gateway, 'GET', path, { key, headers });
  expect([response.status, response.headers.link]).toEqual([403, '</docs/errors#plain_http>; rel="help"']);
  return String(response.headers['x-request-id']);
}

const mailsOf = ({ email }: TestPerson, subject: string) =>
  allMailsTo(platform.mailDirectory, email).filter((mail) => mail.subject === subject);

const mailed = (person: TestPerson, subject: string) =>
  expectEventually(
    () => {
      const [mail] = mailsOf(person, subject);
      if (mail === undefined) throw new Error(`no email “${subject}”`);
      return mail;
    },
    { withinMs: 20_000 },
  );

/** Look-ups of both gateways. */
async function lookups(): Promise<number> {
  const counts = await Promise.all(
    platform.gateways.map((gateway) => metricOf(gateway, 'gateway_identity_answers_total')),
  );
  return counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
}

/** Business of a record, once it is stored. */
const businessOf = (id: string) =>
  expectEventually(
    async () => {
      const [row] = await platform.sql('SELECT business_id, credential_id FROM request_log WHERE id = $1', [
        id,
      ]);
      if (row === undefined) throw new Error('not recorded');
      return row.business_id === null ? undefined : Number(row.business_id);
    },
    { withinMs: 10_000 },
  );

test.each([0, 1])(
  'the owner of a key that gateway %i has never seen is advised to rotate it',
  async (gateway) => {
    const key = await platform.createKey({ businessId: ada.businessId, name: 'Till' });
    const found = await findRequest(dashboard, await expose(gateway, key.keyString));
    expect(found).toMatchObject({
      status: 403,
      reason: 'plain_http',
      title: titles.key,
      clientIp: '192.0.2.7',
      credential: { type: 'secret_key', id: key.id, limitId: key.id, caller: { name: 'Till', exists: true } },
      explanation: { help: '/docs/errors#plain_http' },
      remedy: { page: 'api_key', id: key.id },
    });
    expect(decided(found).failed).toEqual(['request']);
    expect(found.decision[0]?.words).toBe('The request came over https');
    const { requests } = await listRequests(dashboard, { credential: key.id });
    expect(requests.map(({ title }) => title)).toEqual([titles.key]);
    const usage = await platform.sql('SELECT 1 FROM usage_counts WHERE limit_id = $1', [key.id]);
    expect(usage).toEqual([]);
  },
);

test('owners and the maker of a key get one notice of it an hour, over all gateways', async () => {
  const [grace, mary, bob] = [await signUpVerified(platform), await signUp(platform), await signUp(platform)];
  await joinBusiness(platform, mary, grace.businessId, 'developer');
  await joinBusiness(platform, bob, grace.businessId, 'developer');
  const key = await platform.createKey({ businessId: grace.businessId, name: 'Till' });
  await platform.sql('UPDATE api_keys SET created_by = $2 WHERE id = $1', [key.id, mary.id]);
  const ids: string[] = [];
  for (let turn = 0; turn < 10; turn++) ids.push(await expose(turn % 2, key.keyString));
  for (const id of ids) expect(await businessOf(id)).toBe(grace.businessId);
  for (const person of [grace, mary]) {
    const { text } = await mailed(person, titles.key);
    expect(text).toContain(`“Till” (…${key.keyString.slice(-4)}) came over http from 192.0.2.7.`);
    expect(text).toContain(`/dashboard/${grace.businessId}/settings/developers/keys/${key.id}`);
    expect(text).not.toContain('/dashboard/notices');
  }
  const recorded = await platform.sql(
    `SELECT person_id, topic, key FROM notices WHERE subject_id = $1 ORDER BY person_id, key`,
    [key.id],
  );
  // The hour may end in between.
  const hours = await platform.sql(
    `SELECT DISTINCT extract(epoch FROM date_trunc('hour', at, 'UTC')) AS hour FROM request_log
     WHERE id = ANY ($1) ORDER BY hour`,
    [ids],
  );
  const people = [grace.id, mary.id].sort();
  const expected = people.flatMap((person_id) =>
    hours.map(({ hour }) => ({ person_id, topic: 'security', key: `api_key.exposed:${key.id}:${hour}` })),
  );
  expect(recorded).toEqual(expected);
  for (const person of [grace, mary])
    await expectEventually(() => expect(mailsOf(person, titles.key)).toHaveLength(hours.length), {
      withinMs: 10_000,
    });
});

test('a token is attributed to the business that it acts for, whose owners get a notice', async () => {
  const application = await platform.createApplication({
    businessId: platform.businessId,
    name: 'Parcel Post',
  });
  const { accessToken } = await connect(platform, ada.browser, application);
  const found = await findRequest(dashboard, await expose(0, accessToken));
  expect(found).toMatchObject({
    title: titles.token,
    credential: { type: 'access_token', caller: { name: 'Parcel Post', isOwn: false } },
    remedy: { page: 'connected' },
  });
  const { text } = await mailed(ada, titles.tokenNotice);
  expect(text).toContain('The app “Parcel Post” sent an access token of your business over http');
});

test('an ended key, an unknown key and a missing key are attributed to no business', async () => {
  const ended = await platform.createKey({ businessId: ada.businessId });
  await platform.deleteKey(ended);
  for (const key of [ended.keyString, unissued(platform, 'rk'), createCheckedToken('sk'), 'nonsense']) {
    expect(await businessOf(await expose(0, key))).toBeUndefined();
  }
  const notices = await platform.sql('SELECT 1 FROM notices WHERE subject_id = $1', [ended.id]);
  expect(notices).toEqual([]);
});

test('while identity-service is down the response is the same, and a cached key is still attributed', async () => {
  const [known, cold] = [await platform.createKey(), await platform.createKey()];
  const warm = await platform.request(0, 'GET', path, {
    key: known.keyString,
    headers: { 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': '192.0.2.7' },
  });
  expect(warm.status).toBe(200);
  for (const identity of platform.identities) identity.freeze();
  const unavailable = async () =>
    (await metricOf(platform.gateways[0], 'gateway_identity_answers_total', { outcome: 'unavailable' })) ?? 0;
  const before = await unavailable();
  const ids: string[] = [];
  try {
    for (const key of [known, cold]) ids.push(await expose(0, key.keyString));
    await expectEventually(async () => expect(await unavailable()).toBeGreaterThan(before), {
      withinMs: 20_000,
    });
  } finally {
    for (const identity of platform.identities) identity.thaw();
  }
  expect(await Promise.all(ids.map(businessOf))).toEqual([platform.businessId, undefined]);
});

test('a flood of strings costs no look-up, or a bounded number, and hides no key of an owner', async () => {
  const refusals = async () =>
    (await metricOf(platform.gateways[0], 'gateway_refusals_total', { reason: 'plain_http' })) ?? 0;
  const [before, refusedBefore] = [await lookups(), await refusals()];
  for (let sent = 0; sent < 200; sent++) await expose(sent % 2, createCheckedToken('sk'));
  expect(await lookups()).toBe(before);
  // With a valid tag, as only ended credentials have: from one network a gateway looks up 30 a minute.
  const startedAt = performance.now();
  const flood = (_: unknown, sent: number) => expose(sent % 2, unissued(platform, 'sk'), '198.51.100.1');
  for (let round = 0; round < 6; round++) await Promise.all(Array.from({ length: 50 }, flood));
  // Sixteen look-ups at a time leave none for others; identity-service responds to them before it makes a key.
  const isSettled = async () => {
    const counted = await lookups();
    await platform.createKey();
    expect(await lookups()).toBe(counted);
  };
  await expectEventually(isSettled, { withinMs: 10_000 });
  const key = await platform.createKey({ businessId: ada.businessId, name: 'Beside a flood' });
  const found = await findRequest(dashboard, await expose(0, key.keyString));
  expect(found.title).toBe(titles.key);
  const looked = (await lookups()) - before;
  expect(looked).toBeGreaterThan(1);
  // And half a one a second, on each of both.
  expect(looked).toBeLessThanOrEqual(70 + (performance.now() - startedAt) / 1_000);
  expect((await refusals()) - refusedBefore).toBeGreaterThanOrEqual(250);
});
