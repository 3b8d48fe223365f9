import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { freePort } from '../../deploy/local/process/free-port.ts';
import type { TestApplication } from '../harness/applications.ts';
import { authorizePath } from '../harness/oauth.ts';
import { joinBusiness, signUpVerified, type TestPerson } from '../harness/people.ts';
import type { Platform } from '../harness/platform.ts';
import { fillForm } from './fill-form.ts';
import { tabTo } from './keyboard.ts';
import { press } from './locators.ts';
import { widthOf } from './screens.ts';
import { setStage } from './stage.ts';

/** The consent page in Chromium: form, keyboard, and the redirect after the decision. */

const stage = setStage();

let owner: TestPerson;
let application: TestApplication;
beforeEach(async () => {
  owner = await signUpVerified(stage.platform);
  application = await register({ redirectUris: [stage.shop.redirectUri] });
});

const register = (settings: Partial<Parameters<Platform['createApplication']>[0]>) =>
  stage.platform.createApplication({ businessId: owner.businessId, ...settings });

/** Logs in on the way to an authorization request, and waits for it. */
async function logIn(page: Page): Promise<void> {
  await fillForm(page, { 'Email address': owner.email, Password: owner.password }, 'Log in');
  await page.getByRole('button', { name: 'Approve' }).waitFor();
}

/** The latest callback. */
const callback = () => Object.fromEntries(stage.shop.callbacks.at(-1) ?? []);

test('a denial reaches the application', async () => {
  const { page, problems } = await stage.open(authorizePath(application));
  await logIn(page);
  await press(page, 'Deny');
  await page.waitForURL(stage.shop.lastPage);
  expect(callback()).toMatchObject({
    error: 'access_denied',
    state: 'a state',
    iss: stage.platform.publicUrl,
  });
  expect(problems).toEqual([]);
});

test('an owner of several businesses can deny without choosing one', async () => {
  await joinBusiness(stage.platform, owner, await stage.platform.createVerifiedBusiness('second'), 'owner');
  const { page } = await stage.open(authorizePath(application));
  await logIn(page);
  expect(await page.getByRole('radio', { checked: false }).count()).toBe(2);
  await press(page, 'Deny');
  await page.waitForURL(stage.shop.lastPage);
  expect(callback()).toMatchObject({ error: 'access_denied' });
});

test('on a phone, without script, the keyboard alone goes through login and consent', async () => {
  const { page, problems } = await stage.open(authorizePath(application), {
    javaScriptEnabled: false,
    viewport: { width: 320, height: 568 },
  });
  await tabTo(page, 'textbox "Email address"', 12);
  await page.keyboard.type(owner.email);
  await tabTo(page, 'textbox "Password"', 12);
  await page.keyboard.type(owner.password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Connect Shop?' }).waitFor();

  expect(await widthOf(page)).toBe(320);
  for (const button of await page.getByRole('button').all()) {
    expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  }
  await tabTo(page, 'button "Approve"', 12);
  await page.keyboard.press('Enter');
  await page.waitForURL(stage.shop.lastPage);
  expect(callback()).toMatchObject({ code: expect.stringMatching(/^ac_/), state: 'a state' });
  expect(problems).toEqual([]);
});

test('form-action allows the redirect to an application under https', async () => {
  // Nothing listens there: a refused connection means that the policy allowed the redirect.
  const origin = `https://127.0.0.1:${await freePort()}`;
  const secure = await register({ redirectUris: [`${origin}/callback`] });
  const { page, problems } = await stage.open(authorizePath(secure));
  await logIn(page);
  const failure = page.waitForEvent('requestfailed', (request) => request.url().startsWith(origin));
  await press(page, 'Approve');
  const request = await failure;
  expect(new URL(request.url()).searchParams.get('code')).toMatch(/^ac_/);
  expect(request.failure()?.errorText).toBe('net::ERR_CONNECTION_REFUSED');
  expect(problems.filter((text) => /policy/i.test(text))).toEqual([]);
});

test('names with markup are shown as text on every page', async () => {
  const name = `<img src=x onerror="alert(1)">"'&amp;</title><script>alert(2)</script>`;
  const hostile = await register({
    name,
    description: `</p><svg onload=alert(3)>${name}`,
    redirectUris: [stage.shop.redirectUri],
  });
  const { page, problems } = await stage.open('about:blank');
  const dialogs: string[] = [];
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  const expectText = async () => {
    await page.getByText(name).first().waitFor();
    expect(await page.locator('main').locator('img, script, svg').count()).toBe(0);
  };
  await page.goto(authorizePath(hostile));
  await logIn(page);
  await expectText();
  expect(await page.title()).toBe(`Connect ${name}? · Business API`);
  await press(page, 'Approve');
  await page.waitForURL(stage.shop.lastPage);
  await page.goto('/account/applications');
  await expectText();
  expect([dialogs, problems]).toEqual([[], []]);
});

describe('a consent page that was already submitted', () => {
  test('can be decided again after the back button if the decision was a denial', async () => {
    const { page } = await stage.open(authorizePath(application));
    await logIn(page);
    await press(page, 'Deny');
    await page.waitForURL(stage.shop.lastPage);
    await page.goBack();
    await press(page, 'Approve');
    await page.waitForURL(stage.shop.lastPage);
    expect(callback()).toMatchObject({ code: expect.stringMatching(/^ac_/) });
  });

  test('redirects to the application after the back button if the decision was an approval', async () => {
    const { page } = await stage.open(authorizePath(application));
    await logIn(page);
    await press(page, 'Approve');
    await page.waitForURL(stage.shop.lastPage);
    const first = callback();
    await page.goBack();
    await page.waitForURL(stage.shop.lastPage);
    expect(callback().code).not.toBe(first.code);
  });

  test('does not redirect when its form is submitted a second time', async () => {
    const { page } = await stage.open(authorizePath(application));
    await logIn(page);
    const sent = page.waitForRequest('**/oauth/consent');
    await press(page, 'Approve');
    const form = (await sent).postData() ?? '';
    await page.waitForURL(stage.shop.lastPage);
    const count = stage.shop.callbacks.length;
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const again = await page.request.post('/oauth/consent', { headers, data: form, maxRedirects: 0 });
    expect([again.status(), await again.text()]).toEqual([403, expect.stringContaining('already used')]);
    expect(stage.shop.callbacks).toHaveLength(count);
  });
});
