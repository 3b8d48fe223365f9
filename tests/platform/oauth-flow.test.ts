import { beforeAll, expect, test } from '@jest/globals';
import type { TestApplication } from '../harness/applications.ts';
import {
  authorizePath,
  challengeOf,
  oauthClient,
  returned,
  submitConsent,
  tokensOf,
} from '../harness/oauth.ts';
import { signUpVerified, type TestPerson } from '../harness/people.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/** The flow of contract 5.2 from end to end, over two gateways and two identity-services. */

const platform = running(sharedPlatform);
let owner: TestPerson;
let application: TestApplication;
beforeAll(async () => {
  owner = await signUpVerified(platform);
  application = await platform.createApplication({ businessId: platform.businessId });
});

test('an application acts for the business that approved it, and refreshes', async () => {
  // RFC 7636 appendix B.
  const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
  const page = await owner.browser.open(
    authorizePath(application, { code_challenge: challengeOf(verifier) }),
  );
  expect(page.status).toBe(200);
  const callback = await submitConsent(owner.browser, 'approve');
  expect(callback.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'same-origin' });
  const { code = '', ...rest } = returned(callback);
  expect(code).toMatch(/^ac_/);
  expect(rest).toEqual({ state: 'a state', iss: `http://127.0.0.1:${platform.gatewayPorts[0]}` });

  const client = oauthClient(platform, application);
  const exchanged = await client.exchange(code, verifier, {}, 1);
  expect(exchanged.body).toEqual({
    access_token: expect.stringMatching(/^at_[0-9A-Za-z]{45}$/),
    token_type: 'Bearer',
    expires_in: 3_600,
    refresh_token: expect.stringMatching(/^rt_[0-9A-Za-z]{45}$/),
    scope: 'business:read orders:read',
  });
  expect(exchanged.response.headers).toMatchObject({
    'cache-control': 'no-store',
    pragma: 'no-cache',
    'content-type': 'application/json; charset=utf-8',
  });
  const first = tokensOf(exchanged);
  const me = await platform.me(first.accessToken);
  expect(me.json()).toMatchObject({ id: owner.businessId });

  const second = tokensOf(await client.refresh(first.refreshToken));
  for (const accessToken of [first.accessToken, second.accessToken]) {
    const response = await platform.me(accessToken, 1);
    expect(response.status).toBe(200);
  }
  expect(second.refreshToken).not.toBe(first.refreshToken);
});

test('a person who is not logged in can log in during the flow', async () => {
  const { browser } = owner;
  await browser.open('/account/sessions');
  await browser.submit('/logout');
  const login = await browser.open(authorizePath(application, { state: 'way in' }));
  expect(browser.page.path).toMatch(/^\/login\?continue=/);
  expect(login.status).toBe(200);
  const done = await browser.submitAndFollow('/login', { email: owner.email, password: owner.password });
  expect(returned(done)).toMatchObject({ code: expect.stringMatching(/^ac_/), state: 'way in' });
});

test('the metadata lists what the authorization server supports', async () => {
  const response = await platform.request(0, 'GET', '/.well-known/oauth-authorization-server');
  const issuer = `http://127.0.0.1:${platform.gatewayPorts[0]}`;
  expect(response.json()).toEqual({
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/v2/oauth/token`,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    revocation_endpoint: `${issuer}/v2/oauth/revoke`,
    revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    scopes_supported: ['business:read', 'events:read', 'orders:read', 'orders:write'],
    authorization_response_iss_parameter_supported: true,
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    service_documentation: expect.stringMatching(/^http.*\/docs\/oauth$/),
  });
});
