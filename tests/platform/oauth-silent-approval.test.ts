import { beforeAll, describe, expect, test } from '@jest/globals';
import type { TestApplication } from '../harness/applications.ts';
import { createBrowser, decode } from '../harness/browser.ts';
import { authorizePath, connect, returned, submitConsent } from '../harness/oauth.ts';
import { joinBusiness, signUpVerified, type TestPerson } from '../harness/people.ts';
import { query } from '../harness/postgres.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/** Approvals without a page, and the parameters that ask for one or forbid it (OpenID Connect Core section 3.1.2.1). */

const platform = running(sharedPlatform);
let owner: TestPerson;
beforeAll(async () => {
  owner = await signUpVerified(platform);
});

/** A new application of a business of its own, so that no limit is met. */
async function newApplication(settings = {}): Promise<TestApplication & { businessId: number }> {
  const businessId = await platform.createVerifiedBusiness('maker');
  return {
    ...(await platform.createApplication({ businessId, name: 'Parcel Desk', ...settings })),
    businessId,
  };
}

type Made = Awaited<ReturnType<typeof newApplication>>;

const update = (app: Made, change: object) => platform.updateApplication(app, change);
const publisher = (app: Made, change: string) =>
  query(platform.databases.business, `UPDATE businesses SET ${change} WHERE id = $1`, [app.businessId]);
const newHost = 'https://elsewhere.example/callback';

const changes: [string, (app: Made) => Promise<unknown>, string, Record<string, string>?][] = [
  ['name', (app) => update(app, { name: 'Bank' }), 'Its name was “Parcel Desk” when you approved it.'],
  [
    'redirect host',
    (app) => update(app, { redirectUris: [app.redirectUri, newHost] }),
    'It now returns you to elsewhere.example; you approved app.example.',
    { redirect_uri: newHost },
  ],
  ['publisher', (app) => publisher(app, "account_holder = 'Other'"), 'It was offered by “maker'],
  [
    'verified company',
    (app) => publisher(app, "legal_name = 'Other AG'"),
    'Its verified company was “maker Limited, DE” when you approved it.',
  ],
];

describe('an earlier approval', () => {
  test.each(changes)(
    'does not hold after a change of the %s, and the page says what changed',
    async (...row) => {
      const [, change, sentence, parameters = {}] = row;
      const app = await newApplication();
      await connect(platform, owner.browser, app);
      await change(app);
      const silent = await owner.browser.send('GET', authorizePath(app, { prompt: 'none', ...parameters }));
      expect(returned(silent).error).toBe('consent_required');
      const page = await owner.browser.open(authorizePath(app, parameters));
      expect([page.status, decode(page.text)]).toEqual([200, expect.stringContaining(sentence)]);
      expect(returned(await submitConsent(owner.browser, 'approve')).code).toMatch(/^ac_/);
      expect(returned(await owner.browser.open(authorizePath(app, parameters))).code).toMatch(/^ac_/);
    },
  );

  test('holds after a change of the description or a path', async () => {
    const app = await newApplication();
    await connect(platform, owner.browser, app);
    const redirectUri = 'https://app.example/another';
    await update(app, { description: 'Prints labels', redirectUris: [app.redirectUri, redirectUri] });
    const again = await owner.browser.open(authorizePath(app, { redirect_uri: redirectUri }));
    expect(returned(again).code).toMatch(/^ac_/);
  });

  test('does not hold if what was approved is not recorded', async () => {
    const app = await newApplication();
    await connect(platform, owner.browser, app);
    const forget = 'UPDATE grants SET approved_as = NULL WHERE application_id = $1';
    await platform.sql(forget, [app.id]);
    expect((await owner.browser.open(authorizePath(app))).status).toBe(200);
  });
});

describe('an open consent page', () => {
  test.each<[string, (app: Made) => Promise<unknown>, string]>([
    ['name', (app) => update(app, { name: 'Bank' }), 'Its name was “Parcel Desk” a moment ago.'],
    ['description', (app) => update(app, { description: 'Banks' }), 'Its description has changed.'],
    ['publisher', (app) => publisher(app, "account_holder = 'Other'"), 'It was offered by “maker'],
  ])('is shown again without an approval if the %s changes before it is submitted', async (...row) => {
    const [, change, sentence] = row;
    const app = await newApplication();
    await owner.browser.open(authorizePath(app));
    await change(app);
    const page = await owner.browser.submitAndFollow('/oauth/consent', { decision: 'approve' });
    expect([page.status, page.headers.location]).toEqual([409, undefined]);
    expect(decode(page.text)).toContain(sentence);
    expect((await platform.getApplication(app)).connectedUsers).toBe(0);
    expect(returned(await submitConsent(owner.browser, 'approve')).code).toMatch(/^ac_/);
  });
});

describe('prompt', () => {
  test('consent shows the page again', async () => {
    const app = await newApplication();
    await connect(platform, owner.browser, app);
    expect((await owner.browser.open(authorizePath(app, { prompt: 'consent' }))).status).toBe(200);
    expect(returned(await submitConsent(owner.browser, 'approve')).code).toMatch(/^ac_/);
  });

  test.each([
    ['login', false],
    ['select_account', false],
    ['consent login', true],
  ])('%s requires the password once more', async (prompt, isAsked) => {
    const app = await newApplication();
    await connect(platform, owner.browser, app);
    const login = await owner.browser.open(authorizePath(app, { prompt, state: 'kept %' }));
    expect([login.status, owner.browser.page.path]).toEqual([200, expect.stringMatching(/^\/login\?/)]);
    const { email, password } = owner;
    const wrong = await owner.browser.submitAndFollow('/login', { email, password: 'not the password' });
    expect(wrong.status).toBe(400);
    const done = await owner.browser.submitAndFollow('/login', { email, password });
    expect(done.status).toBe(isAsked ? 200 : 303);
    const response = isAsked ? await submitConsent(owner.browser, 'approve') : done;
    expect(returned(response)).toMatchObject({ code: expect.stringMatching(/^ac_/), state: 'kept %' });
  });

  test('none returns a code while an approval holds', async () => {
    const app = await newApplication();
    await connect(platform, owner.browser, app);
    const response = await owner.browser.send('GET', authorizePath(app, { prompt: 'none' }));
    expect(returned(response).code).toMatch(/^ac_/);
  });

  test('none never shows a page, and the error says what is needed', async () => {
    const app = await newApplication();
    const path = authorizePath(app, { prompt: 'none' });
    const errorOf = async (browser: TestPerson['browser']) => returned(await browser.send('GET', path));
    const [gateway = 0] = platform.gatewayPorts;
    const iss = `http://127.0.0.1:${gateway}`;
    expect(await errorOf(createBrowser(gateway))).toMatchObject({
      error: 'login_required',
      state: 'a state',
      iss,
    });
    expect((await errorOf(owner.browser)).error).toBe('consent_required');
    await connect(platform, owner.browser, app);
    await platform.sql(
      `INSERT INTO grant_suspensions (grant_id, person_id, reason) SELECT id, $2, '' FROM grants WHERE application_id = $1`,
      [app.id, owner.id],
    );
    expect((await errorOf(owner.browser)).error).toBe('interaction_required');
    const person = await signUpVerified(platform);
    await joinBusiness(platform, person, await platform.createVerifiedBusiness('second'), 'owner');
    expect((await errorOf(person.browser)).error).toBe('interaction_required');
  });
});
