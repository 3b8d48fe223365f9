import { expect, test } from '@jest/globals';
import { authorizePath, oauthClient, pkce, tokensOf } from '../harness/oauth.ts';
import { call } from '../harness/patience.ts';
import { awaitMail, newAddress } from '../harness/people.ts';
import { fillForm } from './fill-form.ts';
import { setStage } from './stage.ts';

/** The whole flow once, over two gateways and two identity-services. */

const stage = setStage();

test('a person signs up, is verified, approves an app, and disconnects it after API requests', async () => {
  const { page, problems } = await stage.open('/signup');
  const [email, password] = [newAddress('walker'), 'seven brass wheels turning'];

  await fillForm(page, { 'Email address': email }, 'Send the link');
  await page.goto((await awaitMail(stage.platform.mailDirectory, email)).link);
  const typed = { 'Your name': 'Ada Lovelace', Password: password };
  const business = { 'Business name': 'Difference Works', 'Business username': 'difference-works' };
  await fillForm(page, { ...typed, ...business }, 'Create account');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.goto('/account/verification');
  await page.getByText('Not verified').waitFor();
  const facts = { 'Registered name': 'Difference Works Limited', 'Registration number': 'HRB 1' };
  await fillForm(page, { ...facts, Country: 'GB' }, 'Submit for verification');
  await page.getByText('In review').waitFor();
  const businessId = Number(new URL(page.url()).searchParams.get('business'));
  await stage.platform.businessRpc.ApproveVerification({ businessId }, call);
  await page.reload();
  await page.getByText('The business is verified.').waitFor();

  const application = await stage.platform.createApplication({
    businessId,
    redirectUris: [stage.shop.redirectUri],
  });
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByText('You are logged out.').waitFor();

  const { verifier, challenge } = pkce();
  await page.goto(authorizePath(application, { code_challenge: challenge }));
  await fillForm(page, { 'Email address': email, Password: password }, 'Log in');
  await page.getByRole('heading', { name: 'Connect Shop?' }).waitFor();
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.waitForURL(stage.shop.lastPage);
  const [callback] = stage.shop.callbacks;
  expect([callback?.get('state'), callback?.get('iss')]).toEqual(['a state', stage.platform.publicUrl]);

  const exchanged = await oauthClient(stage.platform, application, 1).exchange(
    callback?.get('code') ?? '',
    verifier,
  );
  const { accessToken, refreshToken } = tokensOf(exchanged);
  const me = await stage.platform.me(accessToken, 1);
  expect([me.status, me.json()]).toMatchObject([200, { id: businessId, username: 'difference-works' }]);

  await page.goto('/account/applications');
  await page.getByRole('button', { name: 'Disconnect' }).click();
  await page.getByText('The app no longer has access.').waitFor();
  for (const gateway of [0, 1]) {
    const { status } = await stage.platform.me(accessToken, gateway);
    expect(status).toBe(401);
  }
  const { status, body } = await oauthClient(stage.platform, application).refresh(refreshToken);
  expect([status, body.error]).toEqual([400, 'invalid_grant']);
  expect(problems).toEqual([]);
});
