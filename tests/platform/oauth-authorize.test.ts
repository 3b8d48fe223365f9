import { beforeAll, describe, expect, test } from '@jest/globals';
import type { TestApplication } from '../harness/applications.ts';
import { createBrowser } from '../harness/browser.ts';
import { oauthError } from '../harness/error-responses.ts';
import {
  authorizePath,
  connect,
  consentFields,
  oauthClient,
  pkce,
  returned,
  submitConsent,
  tokensOf,
} from '../harness/oauth.ts';
import { joinBusiness, signUp, signUpVerified, type TestPerson } from '../harness/people.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/** Contract 4.1: the authorization request, and the way back. */

const platform = running(sharedPlatform);
let owner: TestPerson;
let application: TestApplication;
beforeAll(async () => {
  owner = await signUpVerified(platform);
  application = await platform.createApplication({
    businessId: platform.businessId,
    redirectUris: [
      'https://app.example/callback',
      'http://127.0.0.1/callback',
      'https://app.example/cb?tenant=7',
    ],
  });
});

const visitor = () => createBrowser(platform.gatewayPorts[0] ?? 0);
/** A new application of a business of its own, so that no limit is met. */
const newApplication = async (settings = {}) =>
  platform.createApplication({ businessId: await platform.createVerifiedBusiness('maker'), ...settings });

describe('an error page without a redirect', () => {
  test.each([
    ['an unknown client', { client_id: 'app_00000000000000000000000000000000' }],
    ['no client', { client_id: undefined }],
    ['a client with NUL', { client_id: 'app_\0' }],
    ['no redirect_uri', { redirect_uri: undefined }],
    ['a redirect_uri of another host', { redirect_uri: 'https://evil.example/callback' }],
    ['a redirect_uri with a slash more', { redirect_uri: 'https://app.example/callback/' }],
    ['a redirect_uri with a query more', { redirect_uri: 'https://app.example/callback?x=1' }],
    ['a redirect_uri on another port', { redirect_uri: 'https://app.example:8443/callback' }],
    [
      'a redirect_uri of a host that begins alike',
      { redirect_uri: 'https://app.example.evil.example/callback' },
    ],
    ['a redirect_uri with a user name', { redirect_uri: 'https://app.example@evil.example/callback' }],
    ['a redirect_uri that leads out', { redirect_uri: 'https://app.example/callback/../../evil' }],
    ['script', { redirect_uri: 'javascript:alert(1)//https://app.example/callback' }],
    ['a redirect_uri with a backslash', { redirect_uri: 'https://app.example\\callback' }],
  ])('for %s', async (_, change) => {
    for (const browser of [visitor(), owner.browser]) {
      const response = await browser.send('GET', authorizePath(application, change));
      expect(response.status).toBe(400);
      expect(response.headers.location).toBeUndefined();
      expect(response.headers['content-type']).toMatch(/^text\/html/);
    }
  });

  test.each(['redirect_uri', 'client_id'])('when %s comes twice', async (name) => {
    const path = authorizePath(application);
    const value = new URLSearchParams(path.split('?')[1]).get(name) ?? '';
    for (const again of [value, 'https://evil.example/']) {
      const response = await visitor().send('GET', `${path}&${name}=${encodeURIComponent(again)}`);
      expect([response.status, response.headers.location]).toEqual([400, undefined]);
    }
  });
});

describe('the application gets the error', () => {
  test.each([
    ['response_type missing', { response_type: undefined }, 'invalid_request'],
    ['response_type token', { response_type: 'token' }, 'unsupported_response_type'],
    ['code_challenge missing', { code_challenge: undefined }, 'invalid_request'],
    ['code_challenge malformed', { code_challenge: 'abc' }, 'invalid_request'],
    ['code_challenge_method missing', { code_challenge_method: undefined }, 'invalid_request'],
    ['code_challenge_method plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['an unknown scope', { scope: 'admin' }, 'invalid_scope'],
    ['a scope beyond the application', { scope: 'orders:read orders:write' }, 'invalid_scope'],
  ])('%s, before the login', async (_, change, error) => {
    const response = await visitor().send('GET', authorizePath(application, change));
    expect(returned(response)).toEqual({
      ...oauthError(error),
      state: 'a state',
      iss: `http://127.0.0.1:${platform.gatewayPorts[0]}`,
    });
    expect(response.headers['cache-control']).toBe('no-store');
  });

  test('without a state if none was sent', async () => {
    const response = returned(await visitor().send('GET', authorizePath(application, { state: undefined })));
    expect(response).toMatchObject({ error: 'invalid_request' });
    expect(response).not.toHaveProperty('state');
  });

  test.each(['state=other', 'scope=orders%3Aread&scope=orders%3Aread', 'response_type=code', 'x=1&x=1'])(
    'a parameter twice (%s)',
    async (more) => {
      const response = await visitor().send('GET', `${authorizePath(application)}&${more}`);
      expect(returned(response)).toMatchObject({ error: 'invalid_request' });
    },
  );

  test('at a redirect URI with a query of its own, which stays', async () => {
    const redirect_uri = 'https://app.example/cb?tenant=7';
    const response = await visitor().send('GET', authorizePath(application, { redirect_uri, scope: 'x' }));
    expect(response.headers.location).toMatch(/^https:\/\/app\.example\/cb\?tenant=7&error=invalid_scope&/);
  });

  test('at any port on loopback', async () => {
    const redirect_uri = 'http://127.0.0.1:49152/callback';
    const response = await visitor().send('GET', authorizePath(application, { redirect_uri, scope: 'x' }));
    expect(response.headers.location).toMatch(/^http:\/\/127\.0\.0\.1:49152\/callback\?error=/);
  });
});

describe('the state comes back byte for byte', () => {
  test.each([
    'a+b',
    'a%20b',
    '%E2%9C%93',
    '%ff',
    '%zz',
    'a%26b%3Dc',
    "!$'()*,-./:;@_~",
    '%2F%2f',
    '%22%3E%3Cscript%3E',
  ])('%s', async (raw) => {
    const path = authorizePath(application, { state: undefined });
    const refused = await visitor().send('GET', `${path}&scope=x&state=${raw}`);
    expect(refused.headers.location).toContain(`&state=${raw}&iss=`);
    const page = await owner.browser.open(`${path}&state=${raw}`);
    const done = page.status === 303 ? page : await submitConsent(owner.browser, 'approve');
    expect(done.headers.location).toContain(`&state=${raw}&iss=`);
  });

  test.each(['a'.repeat(11_500), '%7E'.repeat(2_300)])(
    'after a login, also a long one: %.9s…',
    async (raw) => {
      const browser = visitor();
      const { email, password } = owner;
      await browser.open(`${authorizePath(application, { state: undefined })}&state=${raw}`);
      const page = await browser.submitAndFollow('/login', { email, password });
      const done = page.status === 303 ? page : await submitConsent(browser, 'approve');
      expect(done.headers.location).toContain(`&state=${raw}&iss=`);
    },
  );

  test('even if it is too long to be kept over a login, with an error that says so', async () => {
    for (const browser of [visitor(), owner.browser]) {
      const state = 'a'.repeat(12_500);
      const response = returned(await browser.send('GET', authorizePath(application, { state })));
      const error_description = expect.stringContaining('use a shorter state');
      expect(response).toMatchObject({ error: 'invalid_request', error_description, state });
    }
  });
});

describe('approval of an authorization request', () => {
  test('an unverified business is refused, with the reason', async () => {
    const person = await signUp(platform);
    const response = returned(await person.browser.open(authorizePath(application)));
    expect(response).toMatchObject({
      error: 'access_denied',
      error_description: expect.stringContaining('not verified'),
    });
  });

  test.each(['developer', 'viewer'])('a %s who is not the owner is refused', async (role) => {
    const person = await signUpVerified(platform);
    await platform.sql('UPDATE memberships SET role = $2::membership_role WHERE person_id = $1', [
      person.id,
      role,
    ]);
    const response = returned(await person.browser.open(authorizePath(application)));
    expect(response).toMatchObject({
      error: 'access_denied',
      error_description: expect.stringContaining('owns no business'),
    });
  });

  test('an owner of several businesses chooses one', async () => {
    const person = await signUpVerified(platform);
    const second = await platform.createVerifiedBusiness('second');
    const third = await platform.createBusiness('third');
    for (const id of [second, third]) await joinBusiness(platform, person, id, 'owner');
    const app = await newApplication();
    const { verifier, challenge } = pkce();
    const page = await person.browser.open(authorizePath(app, { code_challenge: challenge }));
    expect(page.text).toContain('second Ltd');
    expect(page.text).not.toContain('third Ltd');
    expect((await submitConsent(person.browser, 'approve')).status).toBe(403);
    const response = await submitConsent(person.browser, 'approve', { business: String(second) });
    const { code = '' } = returned(response);
    const { accessToken } = tokensOf(await oauthClient(platform, app).exchange(code, verifier));
    const me = await platform.me(accessToken);
    expect(me.json()).toMatchObject({ id: second });
  });
});

describe('connected users', () => {
  test('fifty connect, also when eleven approve at once for the last place, and the others get the reason', async () => {
    const person = await signUpVerified(platform);
    const ids = await Promise.all(Array.from({ length: 60 }, () => platform.createVerifiedBusiness('many')));
    for (const id of ids) await joinBusiness(platform, person, id, 'owner');
    const app = await newApplication();
    const forms: Record<string, string>[] = [];
    for (const id of ids) {
      await person.browser.open(authorizePath(app));
      forms.push({ ...consentFields(person.browser), decision: 'approve', business: String(id) });
    }
    const first = forms.slice(0, 49);
    const rest = forms.slice(49);
    const send = (form: Record<string, string>) => person.browser.send('POST', '/oauth/consent', { form });
    for (const form of first) expect(returned(await send(form)).code).toMatch(/^ac_/);
    const responses = (await Promise.all(rest.map(send))).map(returned);
    expect(responses.filter(({ code }) => code !== undefined)).toHaveLength(1);
    for (const refused of responses.filter(({ code }) => code === undefined)) {
      expect(refused).toMatchObject({
        error: 'access_denied',
        error_description: expect.stringContaining('connected users'),
      });
    }
    expect((await platform.getApplication(app)).connectedUsers).toBe(50);

    const late = returned(await owner.browser.open(authorizePath(app)));
    expect(late).toMatchObject({
      error: 'access_denied',
      error_description: expect.stringContaining('connected users'),
    });
    await platform.setConnectedUserLimit(app, 51);
    expect((await connect(platform, owner.browser, app)).accessToken).toMatch(/^at_/);
  });

  test('the limit has room again after a disconnection', async () => {
    const app = await newApplication();
    await platform.setConnectedUserLimit(app, 1);
    await connect(platform, owner.browser, app);
    const other = await signUpVerified(platform);
    expect(returned(await other.browser.open(authorizePath(app)))).toMatchObject({ error: 'access_denied' });
    const grants = await platform.listGrants(owner.businessId);
    const grantId = grants.find(({ applicationId }) => applicationId === app.id)?.id ?? '';
    await platform.disconnectGrant(owner.businessId, grantId);
    await connect(platform, other.browser, app);
    expect((await platform.getApplication(app)).connectedUsers).toBe(1);
  });
});
