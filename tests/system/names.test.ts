import { beforeAll, describe, expect, test } from '@jest/globals';
import { adminJsonOn, adminOn } from '../harness/admin.ts';
import type { TestApplication } from '../harness/applications.ts';
import { createBrowser } from '../harness/browser.ts';
import { untilBusinessIsBack } from '../harness/business-outage.ts';
import { type Dashboard, openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { restricted } from '../harness/made-key.ts';
import { authorizePath } from '../harness/oauth.ts';
import { call } from '../harness/patience.ts';
import { awaitMail, newAddress, signUp, signUpVerified, type TestPerson } from '../harness/people.ts';
import { query } from '../harness/postgres.ts';
import { settings } from '../harness/registered-application.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/** Names that other people see: one rule at every door, and names that look like those of others. */

const platform = running(sharedPlatform);
let owner: TestPerson;
let dashboard: Dashboard;
beforeAll(async () => {
  owner = await signUpVerified(platform);
  dashboard = await openDashboard(owner, owner.browser);
});

const misleading = [
  ['zero-width', 'Ac\u200bme'],
  ['reversed', 'Acme \u202egnp.exe'],
  ['with a filler', 'Acme\u3164'],
  ['with a tag', 'Acme\u{e0041}'],
] as const;

const misleadingText = /invisible, reversing or control characters/;

describe.each(misleading)('a name %s is refused', (_, name) => {
  test('by the dashboard API: a key, an application, its description', async () => {
    const key = await dashboard.own('POST', '/api-keys', { ...restricted, name });
    const application = await dashboard.own('POST', '/applications', { ...settings, name });
    const described = await dashboard.own('POST', '/applications', { ...settings, description: name });
    for (const response of [key, application, described]) {
      expect(response.status).toBe(400);
      expect(response.text).toMatch(misleadingText);
    }
  });

  test('by forms: a person, a business, its registered name', async () => {
    const browser = createBrowser(platform.gatewayPorts[0] ?? 0);
    const email = newAddress('mallory');
    await browser.open('/signup');
    await browser.submit('/signup', { email });
    await browser.open((await awaitMail(platform.mailDirectory, email)).link);
    const fields = { name, password: 'seven brass wheels', business_name: name, username: 'x' };
    const refused = await browser.submit('/signup/confirm', fields);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('id="name-error"')]);
    expect(refused.text).toContain('id="business_name-error"');
    const unverified = await signUp(platform);
    await unverified.browser.open(`/account/verification?business=${unverified.businessId}`);
    const facts = { legal_name: name, registration_number: name, country: 'DE' };
    const { status, text } = await unverified.browser.submit('/account/verification', facts);
    expect([status, text]).toEqual([400, expect.stringContaining('id="legal_name-error"')]);
    expect(text).toContain('id="registration_number-error"');
  });

  test('by the operations that the admin CLI calls, and by business-service', async () => {
    const { businessRpc } = platform;
    const application = await platform.createApplication({
      businessId: await platform.createVerifiedBusiness('maker'),
    });
    const facts = { registrationNumber: 'HRB 1', country: 'DE' };
    const unverified = await platform.createBusiness('unverified');
    const outcomes = await Promise.allSettled([
      businessRpc.CreateBusiness({ accountHolder: name, username: 'acme-x', logo: '' }, call),
      businessRpc.SubmitVerification({ businessId: unverified, legalName: name, ...facts }, call),
      platform.createKey({ name }),
      platform.updateApplication(application, { name }),
    ]);
    const message = expect.stringMatching(misleadingText);
    const refused = { status: 'rejected', reason: { kind: 'invalid_argument', message } };
    expect(outcomes).toMatchObject(outcomes.map(() => refused));
  });
});

describe.each([
  ['word', 'Support Team', 'support-team'],
  ['lookalike of one', 'Аdmin', 'adm1n'],
  ['name of the platform', 'Business API Help', 'business-api'],
])('a reserved %s is refused', (_, name, username) => {
  test('by the dashboard API: an application, a business, its username', async () => {
    const application = await dashboard.own('POST', '/applications', { ...settings, name });
    expect([application.status, application.json()]).toMatchObject([
      400,
      { fields: { name: expect.any(String) } },
    ]);
    const business = await dashboard.own('PATCH', '', { accountHolder: name, username });
    const fields = {
      accountHolder: expect.stringContaining('reserved'),
      username: expect.stringContaining('reserved'),
    };
    expect([business.status, business.json()]).toMatchObject([400, { fields }]);
  });

  test('by forms: a person, a business, its username', async () => {
    const browser = createBrowser(platform.gatewayPorts[0] ?? 0);
    const email = newAddress('mallory');
    await browser.open('/signup');
    await browser.submit('/signup', { email });
    await browser.open((await awaitMail(platform.mailDirectory, email)).link);
    const fields = { name, password: 'seven brass wheels', business_name: name, username };
    const { status, text } = await browser.submit('/signup/confirm', fields);
    // Each in the summary and beside its field.
    expect([status, text.match(/name is reserved for the platform/g)?.length]).toEqual([400, 6]);
  });

  test('by business-service, and so by the admin CLI', async () => {
    const { businessRpc } = platform;
    const outcomes = await Promise.allSettled([
      businessRpc.CreateBusiness({ accountHolder: name, username: 'acme-x', logo: '' }, call),
      businessRpc.CreateBusiness({ accountHolder: 'Acme', username, logo: '' }, call),
    ]);
    const message = expect.stringContaining('is reserved for the platform');
    const refused = { status: 'rejected', reason: { kind: 'invalid_argument', message } };
    expect(outcomes).toMatchObject([refused, refused]);
  });
});

test('a search for a part of a name treats % and _ literally', async () => {
  await signUp(platform, { businessName: '100% Wool_Mill' });
  const found = async (text: string) => {
    const result = await adminJsonOn(platform, 'business', 'find', text);
    return JSON.stringify(result).includes('100% Wool_Mill');
  };
  expect([
    await found('0% wool_'),
    await found('100%Mill'),
    await found('Wool%Mill'),
    await found('_ool_Mill'),
  ]).toEqual([true, false, false, false]);
});

test('the admin CLI shows why a name is refused', async () => {
  const name = 'Ac\u200bme';
  const create = ['business', 'create', '--account-holder', name, '--username', 'acme-invisible'];
  const { code, err } = await adminOn(platform, ...create);
  expect([code, err]).toEqual([1, expect.stringContaining('must not contain invisible')]);
});

describe('a name that differs from that of a verified business in confusable letters only', () => {
  let mallory: TestPerson;
  const [brand, imitation] = ['Difference Mills', 'Diffеrеnсе Мills'];
  beforeAll(async () => {
    const { businessId } = await signUp(platform, { businessName: brand });
    await platform.businessRpc.SubmitVerification(
      { businessId, legalName: 'Difference Mills Limited', registrationNumber: 'HRB 2000', country: 'GB' },
      call,
    );
    await platform.businessRpc.ApproveVerification({ businessId }, call);
    // The name of every other test's business is that of verified ones.
    mallory = await signUpVerified(platform, { businessName: 'Quaint Quill Works' });
  });

  /** One of the three that a business may have. */
  const applications = new Map<string, Promise<TestApplication>>();
  const consentPage = async (name: string) => {
    const { businessId } = mallory;
    const application = applications.get(name) ?? platform.createApplication({ businessId, name });
    applications.set(name, application);
    const page = await owner.browser.open(authorizePath(await application));
    expect(page.status).toBe(200);
    return page;
  };

  test('is marked on the consent page, which names the company that was verified and where it returns to', async () => {
    const { text } = await consentPage(imitation);
    expect(text).toMatch(/looks like that of another verified business: Difference Mills \(@engines-/);
    expect(text).toMatch(/Verified company<\/dt><dd><strong>Quaint Quill Works Limited, DE</);
    expect(text).toMatch(/Returns to<\/dt><dd><strong>app\.example</);
  });

  test('is also marked when it is identical, but not when it differs or belongs to an unverified business', async () => {
    expect((await consentPage(brand)).text).toContain('looks like that of another verified business');
    const { businessId } = await signUp(platform, { businessName: 'Difference Wills' });
    const facts = { legalName: 'Difference Wills', registrationNumber: 'HRB 3000', country: 'GB' };
    await platform.businessRpc.SubmitVerification({ businessId, ...facts }, call);
    expect((await consentPage('Difference Wills')).text).not.toContain('looks like');
  });

  test('is also found for an older business without a name key, once its service has started', async () => {
    const { business } = platform.databases;
    await query(business, "UPDATE businesses SET name_keys = '{}'");
    expect((await consentPage(imitation)).text).not.toContain('looks like');
    const [service] = platform.businesses;
    await service?.stop();
    await service?.start();
    await untilBusinessIsBack(platform);
    await expectEventually(async () => expect((await consentPage(imitation)).text).toContain('looks like'), {
      withinMs: 10_000,
    });
  });

  test('is shown to operators, for applications and for businesses', async () => {
    const { businessId } = await signUp(platform, { businessName: imitation });
    const business = await adminJsonOn(platform, 'business', 'get', '--business', String(businessId));
    expect(business).toMatchObject({ looksLike: [{ accountHolder: brand }] });
    const listed = await platform.listApplications(mallory.businessId);
    const id = listed.find((each) => each.name === imitation)?.id ?? '';
    const where = ['--business', String(mallory.businessId), '--application', id];
    const { out } = await adminOn(platform, 'application', 'get', ...where);
    expect(out).toMatch(/looks like +Difference Mills \(@engines-\w+, business \d+\), verified/);
  });
});
