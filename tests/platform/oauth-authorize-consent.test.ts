import { beforeAll, describe, expect, test } from '@jest/globals';
import type { TestApplication } from '../harness/applications.ts';
import { decode } from '../harness/browser.ts';
import { holdLocks } from '../harness/hold-table.ts';
import {
  authorizePath,
  connect,
  consentFields,
  oauthClient,
  pkce,
  returned,
  submitConsent,
} from '../harness/oauth.ts';
import { joinBusiness, logIn, signUpVerified, type TestPerson } from '../harness/people.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/** Contract 4.2: consent. */

const platform = running(sharedPlatform);
let owner: TestPerson;
beforeAll(async () => {
  owner = await signUpVerified(platform);
});

/** A new application of a business of its own, so that no limit is met. */
const newApplication = async (settings = {}) =>
  platform.createApplication({ businessId: await platform.createVerifiedBusiness('maker'), ...settings });

describe('the consent page', () => {
  test('says who asks, for what, for which business, and where it returns to', async () => {
    const app = await newApplication({
      name: 'Parcel Desk',
      description: 'Prints labels',
      scopes: ['orders:read'],
    });
    const { text, headers } = await owner.browser.open(authorizePath(app));
    for (const words of [
      'Parcel Desk',
      'Prints labels',
      'maker Ltd',
      'app.example',
      'Analytical Engines',
      'See your orders',
    ]) {
      expect(text).toContain(words);
    }
    expect(text).not.toContain('Create orders');
    expect(headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'x-frame-options': 'DENY',
    });
  });

  test('shows names and descriptions as text, also with markup in them', async () => {
    const attack = `<script>alert(1)</script>"'><img src=x onerror=alert(2)>&lt;`;
    const app = await newApplication({ name: attack, description: attack });
    const { text } = await owner.browser.open(authorizePath(app));
    expect(text).not.toMatch(/<script|<img src=x/);
    expect(text.split('&lt;script&gt;').length).toBeGreaterThan(3);
    expect(decode(text)).toContain(attack);
    await connect(platform, owner.browser, app);
    const list = await owner.browser.open('/account/applications');
    expect(list.text).not.toMatch(/<script|<img src=x/);
    expect(decode(list.text)).toContain(attack);
  });

  test('is shown if the connection ends during an approval without a page', async () => {
    const app = await newApplication();
    await connect(platform, owner.browser, app);
    const locked = 'SELECT 1 FROM applications WHERE id = $1 FOR NO KEY UPDATE';
    const held = await holdLocks(platform.databases.identity, locked, [app.id]);
    const path = authorizePath(app);
    const approved = owner.browser.send('GET', path);
    await held.untilWaiting(1);
    await held.run('UPDATE grants SET ended_at = now() WHERE application_id = $1', [app.id]);
    await held.release();
    const { status, headers } = await approved;
    expect([status, headers.location]).toEqual([303, path]);
    expect((await owner.browser.open(path)).text).toContain('will be able to');
  });

  test('denied: the application gets access_denied, and nothing is connected', async () => {
    const app = await newApplication();
    await owner.browser.open(authorizePath(app));
    const response = await submitConsent(owner.browser, 'deny');
    expect(returned(response)).toMatchObject({ error: 'access_denied', state: 'a state' });
    expect((await platform.getApplication(app)).connectedUsers).toBe(0);
  });

  test.each<[string, (app: TestApplication) => Promise<unknown>]>([
    [
      'its address is no longer registered',
      (app) => platform.updateApplication(app, { redirectUris: ['https://other.example/back'] }),
    ],
    ['it is suspended', (app) => platform.suspendApplication(app)],
    ['it is deleted', (app) => platform.deleteApplication(app)],
  ])('denied after %s: a page, and no redirect', async (_, change) => {
    const app = await newApplication();
    await owner.browser.open(authorizePath(app));
    await change(app);
    const { status, headers } = await submitConsent(owner.browser, 'deny');
    expect([status, headers.location]).toEqual([403, undefined]);
  });

  test('is shown if another business of the person temporarily cannot be chosen', async () => {
    const person = await signUpVerified(platform);
    const second = await platform.createVerifiedBusiness('second');
    await joinBusiness(platform, person, second, 'owner');
    const app = await newApplication();
    for (const business of [person.businessId, second]) {
      await person.browser.open(authorizePath(app));
      expect(
        returned(await submitConsent(person.browser, 'approve', { business: String(business) })).code,
      ).toMatch(/^ac_/);
    }
    await platform.sql(
      `INSERT INTO grant_suspensions (grant_id, person_id, reason)
       SELECT id, $3, '' FROM grants WHERE application_id = $1 AND business_id = $2`,
      [app.id, second, person.id],
    );
    const page = await person.browser.open(authorizePath(app));
    expect([page.status, page.headers.location]).toEqual([200, undefined]);
  });

  test('is skipped only when the request has nothing new', async () => {
    const app = await newApplication({ scopes: ['business:read', 'orders:read', 'orders:write'] });
    await connect(platform, owner.browser, app, { scope: 'orders:read' });
    const again = await owner.browser.open(authorizePath(app, { scope: 'orders:read' }));
    expect(returned(again).code).toMatch(/^ac_/);
    const wider = await owner.browser.open(authorizePath(app, { scope: 'orders:read orders:write' }));
    expect(wider.status).toBe(200);
    expect(wider.text).toMatch(/Create orders.*new/s);
    const { verifier, challenge } = pkce();
    await owner.browser.open(authorizePath(app, { scope: 'orders:write', code_challenge: challenge }));
    const { code = '' } = returned(await submitConsent(owner.browser, 'approve'));
    const exchanged = await oauthClient(platform, app).exchange(code, verifier);
    expect(exchanged.body.scope).toBe('orders:write');
    const grants = await platform.listGrants(owner.businessId);
    expect(grants.find(({ applicationId }) => applicationId === app.id)?.scopes).toEqual([
      'orders:read',
      'orders:write',
    ]);
  });
});

describe('a consent', () => {
  /** An open consent page for an application without connections. */
  const openConsent = async (browser = owner.browser) => {
    const app = await newApplication();
    await browser.open(authorizePath(app));
    return { app, fields: consentFields(browser) };
  };
  const send = (fields: Record<string, string>, browser = owner.browser) =>
    browser.send('POST', '/oauth/consent', { form: { decision: 'approve', ...fields } });

  test('without its CSRF token, or with that of another session, is refused', async () => {
    const { app, fields } = await openConsent();
    const other = await logIn(platform, owner);
    await other.open('/account/sessions');
    const { _csrf, ...rest } = fields;
    const foreign = /name="_csrf" value="([^"]*)"/.exec(other.page.response.text)?.[1] ?? '';
    for (const form of [rest, { ...rest, _csrf: '' }, { ...rest, _csrf: foreign }]) {
      const response = await send(form);
      expect([response.status, response.headers.location]).toEqual([403, undefined]);
    }
    expect((await platform.getApplication(app)).connectedUsers).toBe(0);
  });

  test.each([
    [
      'a ticket that was changed',
      ({ ticket = '', ...f }: Record<string, string>) => ({
        ...f,
        ticket: `${ticket.startsWith('A') ? 'B' : 'A'}${ticket.slice(1)}`,
      }),
      403,
    ],
    ['a ticket that was made up', (f: Record<string, string>) => ({ ...f, ticket: 'e30' }), 403],
    ['no ticket', ({ ticket: _, ...f }: Record<string, string>) => f, 400],
    ['a business that was not offered', (f: Record<string, string>) => ({ ...f, business: '1' }), 403],
    ['no business', ({ business: _, ...f }: Record<string, string>) => f, 403],
    ['a field more', (f: Record<string, string>) => ({ ...f, redirect_uri: 'https://evil.example/' }), 400],
    ['an unknown decision', (f: Record<string, string>) => ({ ...f, decision: 'perhaps' }), 400],
  ])('with %s is refused', async (_, change, status) => {
    const { app, fields } = await openConsent();
    const response = await send(change(fields));
    expect([response.status, response.headers.location]).toEqual([status, undefined]);
    expect((await platform.getApplication(app)).connectedUsers).toBe(0);
  });

  test('can be decided only once, even when it is submitted ten times at once', async () => {
    const { app, fields } = await openConsent();
    const responses = await Promise.all(Array.from({ length: 10 }, () => send(fields)));
    expect(responses.map(({ status }) => status).sort()).toEqual([
      303,
      ...Array.from({ length: 9 }, () => 403),
    ]);
    expect((await send(fields)).status).toBe(403);
    expect((await send({ ...fields, decision: 'deny' })).status).toBe(403);
    const codes = await platform.sql(
      'SELECT 1 FROM authorization_codes JOIN grants ON id = grant_id WHERE application_id = $1',
      [app.id],
    );
    expect(codes).toHaveLength(1);
  });

  test('cannot be turned into an approval after a denial', async () => {
    const { fields } = await openConsent();
    expect((await send({ ...fields, decision: 'deny' })).status).toBe(303);
    expect((await send(fields)).status).toBe(403);
  });

  test("of another person, or of the person's other session, is refused", async () => {
    const { app, fields } = await openConsent();
    const stranger = await signUpVerified(platform);
    const elsewhere = await logIn(platform, owner);
    for (const browser of [stranger.browser, elsewhere]) {
      const own = await openConsent(browser);
      const response = await send({ ...own.fields, ticket: fields.ticket ?? '' }, browser);
      expect([response.status, response.headers.location]).toEqual([403, undefined]);
    }
    expect((await platform.getApplication(app)).connectedUsers).toBe(0);
  });

  test('of a person who has logged out leads to the login', async () => {
    const browser = await logIn(platform, owner);
    const { fields } = await openConsent(browser);
    await browser.submit('/logout');
    const response = await send(fields, browser);
    expect([303, 403]).toContain(response.status);
    expect(response.headers.location ?? '/login').toMatch(/^\/login/);
  });

  test('for an application that has changed in the meantime is refused', async () => {
    const { app, fields } = await openConsent();
    await platform.updateApplication(app, { redirectUris: ['https://app.example/other'] });
    expect((await send(fields)).status).toBe(403);
    const other = await openConsent();
    await platform.updateApplication(other.app, { scopes: ['orders:read'] });
    expect((await send(other.fields)).status).toBe(403);
    const gone = await openConsent();
    await platform.deleteApplication(gone.app);
    expect((await send(gone.fields)).status).toBe(403);
  });

  test('of a person who is no longer an owner is refused', async () => {
    const person = await signUpVerified(platform);
    const { fields } = await openConsent(person.browser);
    await platform.sql("UPDATE memberships SET role = 'developer' WHERE person_id = $1", [person.id]);
    expect((await send(fields, person.browser)).status).toBe(403);
  });
});
