import { beforeEach, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { eventsOf } from '../harness/audit-events.ts';
import { type Dashboard, openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { holdTable } from '../harness/hold-table.ts';
import {
  authorizePath,
  connect,
  consentFields,
  oauthClient,
  returned,
  submitConsent,
  tokensOf,
} from '../harness/oauth.ts';
import { makeOperator, protect } from '../harness/operators.ts';
import { addPasskey, newDevice, type PasskeyPerson, signUpWithPasskey } from '../harness/passkeys.ts';
import { joinBusiness, mailsTo, signUp, signUpVerified } from '../harness/people.ts';
import { refusalOf } from '../harness/refusals.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { acceptInvitation, type DashboardPerson, invite, openColleague } from '../harness/team.ts';

/*
 * Promise: where a business requires a second factor, a person without one does nothing for it, from the next request on,
 * whichever replica is asked; programs are not affected.
 */

const platform = running(sharedPlatform);
/** Owner with a passkey, through the first gateway; the other is a member without a factor, through the second. */
let ada: PasskeyPerson & { readonly own: Dashboard['own'] };
let bob: DashboardPerson;
beforeEach(async () => {
  const owner = await signUpWithPasskey(platform);
  const { businessId } = owner;
  ada = { ...owner, own: owner.dashboard.own };
  await platform.businessRpc.SubmitVerification(
    { businessId, legalName: 'Engines Limited', registrationNumber: 'HRB 1000', country: 'DE' },
    { deadlineMs: 30_000 },
  );
  await platform.businessRpc.ApproveVerification({ businessId }, { deadlineMs: 30_000 });
  bob = await openColleague(platform, ada, 'developer');
});

const path = '/required-second-factor';
const confirmation = (used: number) => ({ password: ada.password, code: ada.recoveryCodes[used] ?? '' });
const require = async () => expect((await ada.own('PUT', path, confirmation(0))).status).toBe(200);
const lift = async () => expect((await ada.own('DELETE', path, confirmation(1))).status).toBe(200);
const requireBySql = 'INSERT INTO second_factor_requirements (business_id, person_id) VALUES ($1, $2)';
const refused = { code: 403, reason: 'second_factor_required', fields: [] };
const requirementEvents = async () =>
  (await eventsOf(platform, String(ada.businessId))).filter(({ action }) =>
    action.startsWith('business.second_factor_'),
  );

describe('requiring a second factor', () => {
  test('takes password and second factor of an owner, and each change makes one event and a notice per owner', async () => {
    const cyd = await openColleague(platform, ada, 'owner');
    expect((await bob.own('GET', path)).json()).toEqual({ requiredAt: null });
    expect((await ada.own('PUT', path, confirmation(0))).json()).toEqual({ requiredAt: expect.any(String) });
    expect((await ada.own('PUT', path, confirmation(1))).status).toBe(200);
    await addPasskey(bob, newDevice(platform), { password: bob.password });
    expect((await bob.own('GET', path)).json()).toEqual({ requiredAt: expect.any(String) });
    expect((await ada.own('DELETE', path, confirmation(2))).json()).toEqual({ requiredAt: null });
    expect((await ada.own('DELETE', path, confirmation(3))).status).toBe(200);
    const by = { actor_kind: 'person', actor_id: ada.id };
    expect(await requirementEvents()).toEqual([
      { action: 'business.second_factor_required', ...by },
      { action: 'business.second_factor_optional', ...by },
    ]);
    const notices = z.object({ notices: z.array(z.object({ title: z.string(), text: z.string() })) });
    const titlesOf = async ({ call }: Dashboard) =>
      notices
        .parse((await call('GET', '/notices')).json())
        .notices.map(({ title }) => title)
        .filter((title) => title.includes('required'));
    const titles = ['A second factor is no longer required', 'A second factor is now required'];
    expect([await titlesOf(ada.dashboard), await titlesOf(cyd), await titlesOf(bob)]).toEqual([
      titles,
      titles,
      [],
    ]);
  });

  test('is refused for an owner without a second factor, who would lose access', async () => {
    const cyd = await openColleague(platform, ada, 'owner');
    const response = await cyd.own('PUT', path, { password: cyd.password });
    expect(refusalOf(response)).toEqual({ code: 409, reason: 'second_factor_off', fields: [] });
    expect((await bob.own('GET', path)).json()).toEqual({ requiredAt: null });
  });

  test('is refused with a session alone, and for a member who is no owner', async () => {
    const { password } = ada;
    const attempts = [{ password: 'not it' }, { password }, { password, code: 'aaaaa-bbbbb' }];
    const outcomes = [];
    for (const body of attempts) outcomes.push(refusalOf(await ada.own('PUT', path, body)));
    expect(outcomes).toEqual([
      { code: 400, reason: 'wrong_password', fields: ['password'] },
      { code: 400, reason: 'code_required', fields: ['code'] },
      { code: 400, reason: 'wrong_code', fields: ['code'] },
    ]);
    expect((await bob.own('PUT', path, { password: bob.password })).status).toBe(403);
    expect(await requirementEvents()).toEqual([]);
    await require();
    expect(refusalOf(await ada.own('DELETE', path, { password }))).toMatchObject({ reason: 'code_required' });
    expect((await ada.own('GET', path)).json()).toEqual({ requiredAt: expect.any(String) });
  });

  test('succeeds while another owner does the same for another business that both own', async () => {
    const cyd = await openColleague(platform, ada, 'owner');
    const { recoveryCodes } = await addPasskey(cyd, newDevice(platform), { password: cyd.password });
    const { businessId } = await signUp(platform);
    for (const owner of [ada, cyd]) await joinBusiness(platform, owner, businessId, 'owner');
    const held = await holdTable(platform.databases.identity, 'second_factor_requirements', 'writes');
    const responses = Promise.all([
      ada.own('PUT', path, confirmation(0)),
      cyd.call('PUT', `/businesses/${businessId}${path}`, { password: cyd.password, code: recoveryCodes[0] }),
    ]);
    // Each has shown who it is, and has yet to write the notices of both.
    await held.untilWaiting(2);
    await held.release();
    expect((await responses).map(({ status }) => status)).toEqual([200, 200]);
  });
});

describe('without the second factor that a business requires', () => {
  test('each request is refused on every replica, and accepted as soon as the person has one', async () => {
    const cyd = await openColleague(platform, ada, 'owner', 0);
    const statuses = async () => [
      (await bob.own('GET', '/api-keys')).status,
      (await cyd.own('GET', '/api-keys')).status,
      (await cyd.own('PUT', '/freeze', {})).status,
      (await ada.own('GET', '/api-keys')).status,
    ];
    expect(await statuses()).toEqual([200, 200, 200, 200]);
    await require();
    expect(await statuses()).toEqual([403, 403, 403, 200]);
    const { error, ...refusal } = z
      .looseObject({ error: z.string() })
      .parse((await bob.own('GET', '/api-keys')).json());
    expect(refusal).toEqual({ status: 'Forbidden', code: 403, reason: 'second_factor_required' });
    expect(error).toMatch(/in your profile\.$/);

    await addPasskey(bob, newDevice(platform), { password: bob.password });
    expect(await statuses()).toEqual([200, 403, 403, 200]);
    const list = z.object({ passkeys: z.array(z.object({ id: z.string() })) });
    const { passkeys } = list.parse((await bob.call('GET', '/profile/passkeys')).json());
    await platform.sql('DELETE FROM passkeys WHERE id = $1', [passkeys[0]?.id]);
    expect(await statuses()).toEqual([403, 403, 403, 200]);
    await lift();
    expect(await statuses()).toEqual([200, 200, 200, 200]);
  });

  test('a person keeps the role, sees the business in the session, and has access to other businesses', async () => {
    await require();
    const session = z.object({
      person: z.object({ secondFactor: z.boolean() }),
      businesses: z.array(z.object({ id: z.string(), role: z.string(), requiresSecondFactor: z.boolean() })),
    });
    const { person, businesses } = session.parse((await bob.call('GET', '/session')).json());
    expect(person.secondFactor).toBe(false);
    expect(businesses.map(({ role, requiresSecondFactor }) => [role, requiresSecondFactor])).toEqual([
      ['owner', false],
      ['developer', true],
    ]);
    const own = await openDashboard(bob, bob.browser);
    const mine = businesses[0]?.id ?? '';
    expect((await own.call('GET', `/businesses/${mine}/api-keys`)).status).toBe(200);
  });

  test('a person can accept an invitation, but does not get access to the business', async () => {
    await require();
    const dan = await signUp(platform);
    const dashboard = await openDashboard(ada, dan.browser);
    const { token } = await invite(platform, ada, dan.email);
    expect((await acceptInvitation(dashboard, token)).json()).toEqual({ businessId: String(ada.businessId) });
    expect(refusalOf(await dashboard.own('GET', '/team'))).toEqual(refused);
    await addPasskey(dashboard, newDevice(platform), { password: dan.password });
    expect((await dashboard.own('GET', '/team')).status).toBe(200);
  });

  test('API keys and connections of the business keep working, even with new tokens', async () => {
    const { keyString } = await platform.createKey({ businessId: ada.businessId });
    const application = await platform.createApplication({ businessId: ada.businessId });
    const tokens = await connect(platform, ada.browser, application);
    await require();
    await platform.sql('DELETE FROM passkeys WHERE person_id = $1', [ada.id]);
    const refreshed = tokensOf(await oauthClient(platform, application).refresh(tokens.refreshToken));
    for (const gateway of [0, 1]) {
      for (const key of [keyString, refreshed.accessToken]) {
        expect((await platform.me(key, gateway)).status).toBe(200);
      }
    }
  });
});

test('owners see which members have a second factor, and other members see only their own', async () => {
  const factors = z.object({
    members: z.array(z.object({ personId: z.string(), hasSecondFactor: z.boolean().nullable() })),
  });
  const seenBy = async ({ own }: Pick<Dashboard, 'own'>) =>
    Object.fromEntries(
      factors
        .parse((await own('GET', '/team')).json())
        .members.map(({ personId, hasSecondFactor }) => [personId, hasSecondFactor]),
    );
  expect(await seenBy(ada)).toEqual({ [ada.id]: true, [bob.id]: false });
  expect(await seenBy(bob)).toEqual({ [ada.id]: null, [bob.id]: false });
});

describe('on pages for a business that requires a second factor', () => {
  const asks = (text: string) => expect(text).toContain('href="/dashboard/profile"');
  const grants = () => platform.sql('SELECT 1 FROM grants WHERE business_id = $1', [ada.businessId]);

  test('consent is refused on a new page, on an open page, and for an application that was approved before', async () => {
    const cyd = await signUp(platform);
    const maker = await signUpVerified(platform);
    const newApplication = () => platform.createApplication({ businessId: maker.businessId });
    const [application, approved] = [await newApplication(), await newApplication()];
    await joinBusiness(platform, cyd, ada.businessId, 'owner');
    // The person's own business is not verified: this one is the only candidate.
    await connect(platform, cyd.browser, approved);
    expect(returned(await cyd.browser.open(authorizePath(approved)))).toHaveProperty('code');
    await cyd.browser.open(authorizePath(application));
    expect(consentFields(cyd.browser)).toMatchObject({ business: String(ada.businessId) });
    await require();
    const { length } = await grants();
    const submitted = await submitConsent(cyd.browser, 'approve');
    expect(submitted.status).toBe(403);
    asks(submitted.text);
    await platform.sql('DELETE FROM memberships WHERE person_id = $1 AND business_id = $2', [
      cyd.id,
      cyd.businessId,
    ]);
    for (const each of [application, approved]) {
      const shown = await cyd.browser.open(authorizePath(each));
      expect(shown.status).toBe(403);
      asks(shown.text);
    }
    expect(await grants()).toHaveLength(length);
    const failures = 'SELECT status, refusal FROM request_log WHERE business_id = $1';
    await expectEventually(
      async () =>
        expect(await platform.sql(failures, [maker.businessId])).toContainEqual({
          status: 403,
          refusal: 'approval_second_factor',
        }),
      { withinMs: 10_000 },
    );
  });

  test('consent is still offered for another business of the person, and is not skipped', async () => {
    const cyd = await signUpVerified(platform, { businessName: 'Own Engines' });
    await joinBusiness(platform, cyd, ada.businessId, 'owner');
    const maker = await signUpVerified(platform);
    const application = await platform.createApplication({ businessId: maker.businessId });
    await cyd.browser.open(authorizePath(application));
    await submitConsent(cyd.browser, 'approve', { business: String(cyd.businessId) });
    await require();
    const shown = await cyd.browser.open(authorizePath(application));
    expect(shown.status).toBe(200);
    expect(consentFields(cyd.browser)).toMatchObject({ business: String(cyd.businessId) });
    asks(shown.text);
  });

  test('verification, the list of connections and ending a connection are refused', async () => {
    const cyd = await openColleague(platform, ada, 'owner');
    const application = await platform.createApplication({ businessId: ada.businessId, name: 'Parcel Post' });
    await connect(platform, ada.browser, application);
    await cyd.browser.open('/account/applications');
    expect(cyd.browser.page.response.text).toContain('Parcel Post');
    const [grant] = await platform.sql<{ id: string }>('SELECT id FROM grants WHERE business_id = $1', [
      ada.businessId,
    ]);
    await require();
    const ended = await cyd.browser.submit('/account/applications', {
      business: String(ada.businessId),
      grant: grant?.id ?? '',
    });
    expect(ended.status).toBe(403);
    asks(ended.text);
    const list = await cyd.browser.open('/account/applications');
    expect([list.status, list.text.includes('Parcel Post')]).toEqual([200, false]);
    asks(list.text);
    expect((await cyd.browser.open('/account/sessions')).status).toBe(200);
    await lift();
    const verification = `/account/verification?business=${ada.businessId}`;
    expect((await cyd.browser.open(verification)).status).toBe(200);
    await platform.sql(requireBySql, [ada.businessId, ada.id]);
    const shown = await cyd.browser.open(verification);
    expect(shown.status).toBe(403);
    asks(shown.text);
  });

  test('submitting a verification from an open page is refused', async () => {
    const cyd = await signUp(platform);
    await cyd.browser.open('/account/verification');
    await platform.sql(requireBySql, [cyd.businessId, cyd.id]);
    const facts = { legal_name: 'Own Limited', registration_number: 'HRB 2000', country: 'DE' };
    const response = await cyd.browser.submit('/account/verification', facts);
    expect(response.status).toBe(403);
    asks(response.text);
    const { business } = await platform.businessRpc.GetBusiness(
      { businessId: cyd.businessId },
      { deadlineMs: 30_000 },
    );
    expect(business?.verification?.status).toBe('VERIFICATION_STATUS_UNVERIFIED');
  });

  test('the last factor is removed after a warning', async () => {
    const cyd = await signUp(platform);
    await protect(cyd);
    const warning = 'you have no access to it until you have one again';
    expect((await cyd.browser.open('/account/second-factor')).text).not.toContain(warning);
    await platform.sql(requireBySql, [cyd.businessId, cyd.id]);
    expect((await cyd.browser.open('/account/second-factor')).text).toContain(warning);
  });
});

test('operators see since when a business has required a second factor', async () => {
  const operator = await makeOperator(platform);
  const seen = async () => (await operator.call('GET', `/businesses/${ada.businessId}`)).json();
  expect(await seen()).toMatchObject({ secondFactorRequiredAt: null });
  await require();
  expect(await seen()).toMatchObject({ secondFactorRequiredAt: expect.stringMatching(/^20\d\d-.*Z$/) });
});

test('the email to owners about a required second factor links to the profile', async () => {
  await require();
  const mails = () =>
    mailsTo(platform.mailDirectory, ada.email).filter(({ subject }) => subject.includes('required'));
  await expectEventually(() => expect(mails().map(({ link }) => link)).toEqual(['/dashboard/profile']), {
    withinMs: 10_000,
  });
});
