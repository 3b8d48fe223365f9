import { describe, expect, test } from '@jest/globals';
import { expectEventually } from '../harness/expect-eventually.ts';
import { signUpVerified } from '../harness/people.ts';
import { backAndForth } from './back-and-forth.ts';
import { setApps } from './dashboard-apps.ts';
import { restricted, setKeys, takeKey } from './dashboard-keys.ts';
import { failure } from './failure.ts';
import { holdRequests } from './hold-requests.ts';
import { button, field, permission, press, region, toast } from './locators.ts';
import { setStage } from './stage.ts';
import { makeTraffic } from './tour/make-traffic.ts';

/** Responses that come late, or not at all, and what the person does meanwhile. */

const stage = setStage();
const keys = setKeys(stage);
const apps = setApps(stage);

describe('a key string, which is shown once,', () => {
  test('is shown to a person who goes back during the rotation', async () => {
    const key = await keys.make(restricted);
    const { page, problems } = await keys.enter();
    await page.getByRole('link', { name: 'Shop' }).click();
    await press(page, 'Rotate key');
    const { sent, release } = await holdRequests(page, '**/rotate');
    await press(page.getByRole('dialog'), 'Rotate key');
    await sent;
    await backAndForth(page);
    release();
    const { keyString, close } = await takeKey(page, 'Your new key string');
    expect([await keys.use(key.keyString), await keys.use(keyString)]).toEqual([401, 200]);
    await close();
    await page.goBack();
    await page.getByText('1 key', { exact: true }).waitFor();
    expect(problems).toEqual([]);
  });

  test('is shown to a person who goes back during the creation of a key', async () => {
    const { page } = await keys.enter();
    await page.getByRole('link', { name: 'Create your first key' }).click();
    await field(page, 'Name').fill('Web shop');
    await permission(page, 'business:read').check();
    const { sent, release } = await holdRequests(page, '**/api-keys');
    await press(page, 'Create key');
    await sent;
    await page.locator('a[data-disabled]', { hasText: 'Cancel' }).waitFor();
    await backAndForth(page);
    release();
    await takeKey(page, 'Your new API key');
  });

  test('stays visible when the session ends, and the login page follows', async () => {
    const { page, context } = await keys.enter('/new');
    await field(page, 'Name').fill('Web shop');
    await permission(page, 'business:read').check();
    await press(page, 'Create key');
    const { keyString, dialog, close } = await takeKey(page, 'Your new API key');
    const questions: string[] = [];
    page.on('dialog', (question) => {
      questions.push(question.type());
      void question.dismiss();
    });
    await context.clearCookies();
    const refused = page.waitForResponse('**/dashboard-api/session');
    await page.clock.setFixedTime(Date.now() + 60_000);
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
    expect((await refused).status()).toBe(401);
    expect(await dialog.locator('code').first().textContent()).toBe(keyString);
    await close();
    await page.waitForURL('**/login?continue=*');
    expect(questions).toEqual([]);
  });
});

test('a rotation without a response says that the old key string may have ended', async () => {
  const key = await keys.make(restricted);
  const { page } = await keys.enter(`/${key.id}`);
  await page.route('**/rotate', async (route) => {
    await route.fetch();
    await route.abort();
  });
  await press(page, 'Rotate key');
  const dialog = page.getByRole('dialog', { name: 'Rotate “Shop”?' });
  await press(dialog, 'Rotate key');
  await dialog.getByText('The old string may have ended').waitFor();
  expect(await keys.use(key.keyString)).toBe(401);
  await page.unroute('**/rotate');
  await press(dialog, 'Rotate key');
  const { keyString } = await takeKey(page, 'Your new key string');
  expect(await keys.use(keyString)).toBe(200);
});

describe('settings of an app', () => {
  test('that are typed during a save are kept', async () => {
    const app = await apps.register();
    const { page, problems } = await apps.enter(`/${app.id}?tab=settings`);
    await field(page, 'Name').fill('Till');
    const { sent, release } = await holdRequests(page, `**/applications/${app.id}`);
    await press(page, 'Save changes');
    await sent;
    await field(page, 'Description').fill('Written meanwhile');
    release();
    await toast(page, 'Changes saved.').waitFor();
    await page.getByText('You have unsaved changes.').waitFor();
    expect(await field(page, 'Description').inputValue()).toBe('Written meanwhile');
    await press(page, 'Save changes');
    await page.getByText('You have unsaved changes.').waitFor({ state: 'detached' });
    expect(await stage.platform.getApplication(app)).toMatchObject({
      name: 'Till',
      description: 'Written meanwhile',
    });
    expect(problems).toEqual([]);
  });

  test('that are saved no longer show the error of an earlier attempt', async () => {
    const app = await apps.register();
    const { page } = await apps.enter(`/${app.id}?tab=settings`);
    await field(page, 'Address or network 2').fill('192.0.2.7');
    await page.route('**/whitelist-check', (route) => route.fulfill(failure));
    await press(page, 'Save changes');
    await page.getByRole('alert').getByText('req-of-this-failure').waitFor();
    await press(page, 'Discard changes');
    await field(page, 'Name').fill('Till');
    await press(page, 'Save changes');
    await toast(page, 'Changes saved.').waitFor();
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });
});

test('the numbers of one period are never shown under another chosen period', async () => {
  const ada = await signUpVerified(stage.platform);
  await makeTraffic(stage.platform, ada.businessId);
  const { page, problems } = await stage.enterAs(ada, `/dashboard/${ada.businessId}`);
  const requests = region(page, 'Requests');
  const chart = requests.getByRole('img');
  await chart.waitFor();
  const ofDay = await chart.getAttribute('aria-label');
  const { sent, release } = await holdRequests(page, '**/overview?*');
  await requests.getByText('30 days', { exact: true }).click();
  await sent;
  await requests.locator('[aria-busy=true]').waitFor();
  expect(await chart.getAttribute('aria-label')).toBe(ofDay);
  release();
  await requests.locator('[aria-busy=true]').waitFor({ state: 'detached' });
  await expectEventually(async () => expect(await chart.getAttribute('aria-label')).not.toBe(ofDay), {
    withinMs: 20_000,
  });
  await button(requests, 'Show as table').waitFor();
  expect(problems).toEqual([]);
});
