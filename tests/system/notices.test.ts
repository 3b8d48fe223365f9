import { beforeAll, describe, expect, test } from '@jest/globals';
import type { TestKey } from '../harness/api-keys.ts';
import type { TestApplication } from '../harness/applications.ts';
import { type Dashboard, openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { holdTable } from '../harness/hold-table.ts';
import { noticeMails, noticesOf, noticeTitles, onlyNoticeMail, settledNotices } from '../harness/notices.ts';
import { connect, oauthClient } from '../harness/oauth.ts';
import { allMailsTo, joinBusiness, logIn, signUpVerified, type TestPerson } from '../harness/people.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/** Notices of what happens, in the dashboard and by email, over two identity-services. */

const platform = running(sharedPlatform);
let ada: TestPerson;
let application: TestApplication;
beforeAll(async () => {
  ada = await signUpVerified(platform, { businessName: 'Analytical Engines' });
  application = await platform.createApplication({ businessId: ada.businessId, name: 'Parcel Post' });
});

/** Keys, which are looked at every ten seconds: prepared first, so that other tests pass meanwhile. */
let maker: TestPerson;
let other: TestPerson;
/** Created a key of the other business as a developer, and is a viewer now. */
let demoted: TestPerson;
let ending: TestKey;
let busy: TestKey;
let began: string;
beforeAll(async () => {
  const { businessId } = ada;
  maker = await signUpVerified(platform);
  await joinBusiness(platform, maker, businessId, 'developer');
  ending = await makeEnding(maker, businessId);
  [other, demoted] = [await signUpVerified(platform), await signUpVerified(platform)];
  await joinBusiness(platform, demoted, other.businessId, 'viewer');
  await makeEnding(demoted, other.businessId);
  busy = await platform.createKey({ businessId, name: 'Busy till' });
  await platform.setKeyLimit(busy, 5);
  const get = () => platform.me(busy.keyString);
  began = dayOf(Date.now());
  for (let sent = 0; sent < 7; sent++) await get();
});

/** The day of a time, in UTC. */
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** A key that a person has created, and that ends in six days. */
async function makeEnding({ id }: TestPerson, businessId: number): Promise<TestKey> {
  const key = await platform.createKey({ businessId, name: 'Till' });
  await platform.sql(
    `UPDATE api_keys SET created_by = $2, created_at = now() - interval '40 days',
       expires_at = now() + interval '6 days' WHERE id = $1`,
    [key.id, id],
  );
  return key;
}

const mailsOf = (person: TestPerson, subject: string) => noticeMails(platform, person, subject);
const mailOf = (person: TestPerson, subject: string) => onlyNoticeMail(platform, person, subject);
const settled = (person: TestPerson) => settledNotices(platform, person);

describe('a login', () => {
  test('from a new browser is emailed once, a later one from the same browser is not', async () => {
    const grace = await signUpVerified(platform);
    // An act of hers is on record under two businesses.
    await joinBusiness(platform, grace, ada.businessId, 'developer');
    const browser = await logIn(platform, grace, 1);
    const { text, html } = await mailOf(grace, 'Login from a new browser');
    expect(text).toMatch(/A browser that was not known logged in to your account from 127\.0\.0\.1\.\n/);
    expect(text).toContain(`${platform.publicUrl}/password/forgot`);
    expect(html).toContain(`<a href="${platform.publicUrl}/password/forgot"`);
    await browser.open('/account/sessions');
    await browser.submit('/logout', {});
    await browser.open('/login');
    await browser.submitAndFollow('/login', { email: grace.email, password: grace.password });
    expect(browser.page.path).toBe('/dashboard');
    await settled(grace);
    expect(mailsOf(grace, 'Login from a new browser')).toHaveLength(1);
  });
});

describe('a connection', () => {
  let eve: TestPerson;
  let owned: Dashboard;
  let mary: TestPerson;
  let member: TestPerson;
  beforeAll(async () => {
    [eve, mary, member] = await Promise.all([
      signUpVerified(platform, { businessName: 'Night Owls' }),
      signUpVerified(platform),
      signUpVerified(platform),
    ]);
    await joinBusiness(platform, mary, eve.businessId, 'owner');
    await joinBusiness(platform, member, eve.businessId, 'developer');
    owned = await openDashboard(eve, eve.browser);
  });

  test('and its end are emailed to every owner once, with the names of app, business and person', async () => {
    const { refreshToken } = await connect(platform, eve.browser, application);
    for (const owner of [eve, mary]) {
      const { text } = await mailOf(owner, 'An app was connected');
      expect(text).toContain('The app “Parcel Post” was connected by Ada Lovelace.');
      expect(text).toContain('Business: Night Owls');
      expect(text).toContain(`${platform.publicUrl}/dashboard/${eve.businessId}/connected`);
      expect(text).toContain(`${platform.publicUrl}/dashboard/notices`);
    }
    await oauthClient(platform, application).revoke(refreshToken, { token_type: 'refresh_token' });
    await mailOf(mary, 'An app was disconnected');
    const { notices, unread } = await noticesOf(owned);
    expect(notices.map(({ title }) => title)).toEqual(['An app was disconnected', 'An app was connected']);
    expect(notices[0]).toMatchObject({
      text: 'The app “Parcel Post” was disconnected by the app itself. Its tokens no longer work.',
      businessId: String(eve.businessId),
      path: `/dashboard/${eve.businessId}/connected`,
    });
    expect(unread).toBe(2);
    expect((await owned.call('POST', '/notices/read')).status).toBe(204);
    expect((await noticesOf(owned)).unread).toBe(0);
    const other = await openDashboard(member, member.browser);
    expect([await noticeTitles(other), mailsOf(member, 'An app was connected')]).toEqual([[], []]);
  });

  test('ended by a token that was used twice is a matter of security', async () => {
    const { refreshToken } = await connect(platform, eve.browser, application);
    await oauthClient(platform, application).reuse(refreshToken, 1);
    const { text } = await mailOf(mary, 'A connection was ended for security');
    expect(text).toContain('a refresh token of it was used twice from 127.0.0.1');
    expect(text).not.toContain('/dashboard/notices');
    const published = await mailOf(ada, 'A connection of your app was ended for security');
    expect(published.text).toContain(
      `The connection of business ${eve.businessId} with the app “Parcel Post”`,
    );
    expect(await noticeTitles(await openDashboard(ada, ada.browser))).toContain(
      'A connection of your app was ended for security',
    );
  });

  test('is no longer shown to an owner who has left', async () => {
    const of = await openDashboard(mary, mary.browser);
    expect(await noticeTitles(of)).toContain('An app was connected');
    await platform.sql('DELETE FROM memberships WHERE person_id = $1 AND business_id = $2', [
      mary.id,
      eve.businessId,
    ]);
    expect(await noticeTitles(of)).not.toContain('An app was connected');
  });
});

describe('choices', () => {
  test.each([{ security: 'off' }, { keys: 'weekly' }, { nonsense: 'off' }])(
    '%j is none of them',
    async (emails) => {
      const { call } = await openDashboard(ada, ada.browser);
      expect((await call('PATCH', '/notices/topics', { emails })).status).toBe(400);
    },
  );

  test('a topic without emails is still shown in the dashboard, and security is always emailed', async () => {
    const bob = await signUpVerified(platform);
    const { call } = await openDashboard(bob, bob.browser);
    await call('PATCH', '/notices/topics', { emails: { connections: 'daily', limits: 'off' } });
    const chosen = await call('PATCH', '/notices/topics', {
      emails: { connections: 'off', access: 'daily' },
    });
    expect(chosen.json()).toEqual((await call('GET', '/notices/topics')).json());
    expect(chosen.json()).toMatchObject({
      topics: [
        { topic: 'security', email: 'at_once', isFixed: true },
        { topic: 'keys', email: 'at_once', isFixed: false },
        { topic: 'limits', email: 'off' },
        { topic: 'connections', email: 'off' },
        { topic: 'access', email: 'daily' },
        { topic: 'team', email: 'at_once' },
      ],
    });
    await connect(platform, bob.browser, application);
    await logIn(platform, bob);
    await mailOf(bob, 'Login from a new browser');
    await settled(bob);
    expect(mailsOf(bob, 'An app was connected')).toEqual([]);
    expect(await noticeTitles({ call })).toEqual(['Login from a new browser', 'An app was connected']);
  });
});

test('replicas that process notices at the same time send each email once', async () => {
  const grace = await signUpVerified(platform);
  // Against writes alone: the look for digests goes on.
  const held = await holdTable(platform.databases.identity, 'notices', 'writes');
  try {
    // Due since a while: statements that wait have begun before they are here.
    await held.run(
      `INSERT INTO notices (id, person_id, key, topic, action, subject_id, actor_kind, actor_id, details, mail_due_at)
       SELECT 'ntc_' || gen_random_uuid(), $1, n, 'security', 'person.password_changed', $1, 'person', $1, '{}',
              now() - interval '1 minute'
       FROM generate_series(1, 20) AS n`,
      [grace.id],
    );
    await expectEventually(
      async () => expect(await held.waiting('%UPDATE notices n SET mail_tries%')).toBe(2),
      { withinMs: 20_000 },
    );
  } finally {
    await held.release();
  }
  await settled(grace);
  expect(mailsOf(grace, 'Your password was changed')).toHaveLength(20);
});

test('a suspended app is a notice for its publisher and for who has connected it, who learns no name', async () => {
  const grace = await signUpVerified(platform);
  const own = await platform.createApplication({ businessId: ada.businessId, name: 'Night Mail' });
  await connect(platform, grace.browser, own);
  const publisher = await openDashboard(ada, ada.browser);
  const path = `/applications/${own.id}/suspension`;
  expect((await publisher.own('PUT', path, { reason: 'Wrong totals' })).status).toBe(200);
  const [ofAda, ofGrace] = [
    await mailOf(ada, 'An app was suspended'),
    await mailOf(grace, 'An app was suspended'),
  ];
  expect(ofAda.text).toContain('The app “Night Mail” was suspended by its publisher');
  expect(ofAda.text).toContain('Reason: “Wrong totals”.');
  for (const name of ['Ada', 'Wrong totals']) expect(ofGrace.text).not.toContain(name);
  expect((await publisher.own('DELETE', path)).status).toBe(200);
  await mailOf(grace, 'An app was resumed');
  // A publisher cannot flood those who connected its app: once an hour, which may end in between.
  for (let turn = 0; turn < 4; turn++) {
    expect((await publisher.own('PUT', path, { reason: '' })).status).toBe(200);
    expect((await publisher.own('DELETE', path)).status).toBe(200);
  }
  await settled(grace);
  expect(mailsOf(grace, 'An app was suspended').length).toBeLessThanOrEqual(2);
});

test('owners get one email each about a freeze, a ban and their ends', async () => {
  const grace = await signUpVerified(platform, { name: 'Grace Hopper' });
  const of = await openDashboard(grace, grace.browser);
  expect((await of.own('PUT', '/freeze', { reason: 'See evil.example/now' })).status).toBe(200);
  const { text } = await mailOf(grace, 'API access was frozen');
  expect(text).toContain('API access was frozen by Grace Hopper');
  expect(text).not.toContain('evil.example');
  await of.own('DELETE', '/freeze');
  await platform.businessRpc.BanBusiness({ businessId: grace.businessId }, { deadlineMs: 30_000 });
  await mailOf(grace, 'Your business was banned');
  await platform.businessRpc.UnbanBusiness({ businessId: grace.businessId }, { deadlineMs: 30_000 });
  await mailOf(grace, 'The ban on your business was lifted');
  await settled(grace);
  const ids = allMailsTo(platform.mailDirectory, grace.email).flatMap(
    ({ raw }) => /^Message-ID: <(ntc_.*)@/m.exec(raw)?.[1] ?? [],
  );
  expect(ids).toHaveLength(4);
  expect(new Set(ids).size).toBe(4);
});

describe('a key', () => {
  test('that ends soon is a notice for owners and its maker, once for the step that it is in', async () => {
    for (const person of [ada, maker]) {
      const { text } = await mailOf(person, 'An API key expires within 7 days');
      expect(text).toContain(`The API key “Till” (…${ending.keyString.slice(-4)}) expires within 7 days.`);
      expect(text).toContain(`/dashboard/${ada.businessId}/settings/developers/keys/${ending.id}`);
    }
    expect(mailsOf(ada, 'An API key expires within 14 days')).toEqual([]);
  });

  test('that ends soon is no notice for its maker who is a viewer now', async () => {
    await mailOf(other, 'An API key expires within 7 days');
    const dashboard = await openDashboard(demoted, demoted.browser);
    expect(await noticeTitles(dashboard)).not.toContain('An API key expires within 7 days');
  });

  test('near its limit, and refused at its limit, is a notice for owners once a day each', async () => {
    for (const subject of ['An API key is near its limit', 'An API key has reached its limit']) {
      const found = () => mailsOf(ada, subject);
      await expectEventually(() => expect(found()).not.toEqual([]), { withinMs: 20_000 });
      // A day may have begun in between.
      expect(found().length).toBeLessThanOrEqual(dayOf(Date.now()) === began ? 1 : 2);
    }
    expect(mailsOf(ada, 'An API key is near its limit')[0]?.text).toContain(
      `The API key “Busy till” (…${busy.keyString.slice(-4)}) has used 80% of its 5 requests`,
    );
    expect(mailsOf(maker, 'An API key has reached its limit')).toEqual([]);
  });
});
