import { describe, expect, test } from '@jest/globals';
import { createCheckedToken } from '@platform/service-kit/secrets/checked-token.ts';
import type { TestApplication } from '../harness/applications.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { connect, oauthClient, tokensOf } from '../harness/oauth.ts';
import { auditAccessibility } from './accessibility-audit.ts';
import { addresses, setApps, tab, takeSecret, valuesOf } from './dashboard-apps.ts';
import { failure } from './failure.ts';
import { button, field, heading, press, region, toast } from './locators.ts';
import { phone, widthOf } from './screens.ts';
import { slowTimers } from './slow-timers.ts';
import { setStage } from './stage.ts';

/** The page of an app: settings, secrets, deletion. */

const stage = setStage();
const apps = setApps(stage);

/** Status of the token endpoint for a secret: 400 when it is accepted, since the request has no grant type. */
const knocks = async (app: TestApplication, clientSecret = app.clientSecret) =>
  (await oauthClient(stage.platform, { ...app, clientSecret }).post('/v2/oauth/token', {})).status;

/** Connects ada's own business, and calls from two addresses. Resolves when the dashboard can show it. */
async function makeCalls(app: TestApplication): Promise<string> {
  const { accessToken } = await connect(stage.platform, apps.ada.browser, app);
  expect([await apps.use(accessToken, '192.0.2.1'), await apps.use(accessToken, '192.0.2.2')]).toEqual([
    200, 200,
  ]);
  await expectEventually(
    async () => {
      const text = `SELECT count(*)::int AS n FROM usage_addresses u JOIN grants g ON g.id = u.limit_id
                    WHERE g.application_id = $1`;
      expect(await stage.platform.sql(text, [app.id])).toEqual([{ n: 2 }]);
    },
    { withinMs: 15_000 },
  );
  return accessToken;
}

describe('the whitelist of an app', () => {
  test('warns before it blocks an address with recent requests, and then blocks it', async () => {
    const app = await apps.register();
    const token = await makeCalls(app);
    const { page, problems } = await apps.enter(`/${app.id}?tab=settings`);
    await page.getByText('Your current address 127.0.0.1').waitFor();
    expect(await page.getByText('would be blocked').count()).toBe(0);
    await field(page, 'Address or network 2').fill('192.0.2.2');
    await page.getByText('An address that your app uses would be blocked').waitFor();
    await press(page, 'Add it');
    await page.getByText('would be blocked').waitFor({ state: 'detached' });
    expect(await valuesOf(addresses(page))).toEqual(['127.0.0.1', '192.0.2.2', '192.0.2.1']);

    await press(page, 'Remove 192.0.2.1');
    await press(page, 'Remove 192.0.2.2');
    await press(page, 'Save changes');
    const dialog = page.getByRole('dialog', { name: 'Block addresses that are in use?' });
    await dialog.getByText('192.0.2.1').waitFor();
    const listed = await dialog.getByRole('listitem').allTextContents();
    expect(listed.map((text) => text.split(' ')[0])).toEqual(['192.0.2.2', '192.0.2.1']);
    await press(dialog, 'Cancel');
    await dialog.waitFor({ state: 'detached' });
    expect(await apps.use(token, '192.0.2.1')).toBe(200);
    expect(await valuesOf(addresses(page))).toEqual(['127.0.0.1']);

    await press(page, 'Save changes');
    await press(dialog, 'Save and block them');
    await toast(page, 'Changes saved.').waitFor();
    expect([await apps.use(token, '192.0.2.1'), await apps.use(token, '127.0.0.1')]).toEqual([403, 200]);
    expect(problems).toEqual([]);
  });

  test('is saved without confirmation when no client loses access', async () => {
    const app = await apps.register();
    const token = await makeCalls(app);
    const { page, context } = await apps.enter(`/${app.id}?tab=settings`);
    await slowTimers(context);
    await page.reload();
    await field(page, 'Address or network 2').fill('192.0.2.77/25');
    await press(page, 'Save changes');
    await toast(page, 'Changes saved.').waitFor();
    // As it is kept; also before the page has looked at anything again.
    expect(await valuesOf(addresses(page))).toEqual(['127.0.0.1', '192.0.2.0/25']);
    expect(await apps.use(token, '192.0.2.1')).toBe(200);
  });
});

describe('settings', () => {
  test('are changed, reset, and kept in the form when they cannot be saved', async () => {
    const app = await apps.register();
    const { page } = await apps.enter(`/${app.id}?tab=settings`);
    await field(page, 'Name').fill('Till');
    await page.getByText('You have unsaved changes.').waitFor();
    await press(page, 'Discard changes');
    expect(await field(page, 'Name').inputValue()).toBe('Shop');
    expect(await page.getByText('You have unsaved changes.').count()).toBe(0);

    await field(page, 'Name').fill('Till');
    await tab(page, 'Overview').click();
    await region(page, 'Requests').waitFor();
    await tab(page, 'Settings').click();
    expect(await field(page, 'Name').inputValue()).toBe('Till');

    const address = `**/applications/${app.id}`;
    await page.route(address, (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    );
    await press(page, 'Save changes');
    await page.getByRole('alert').getByText('No response from the server.').waitFor();
    expect(await field(page, 'Name').inputValue()).toBe('Till');
    await page.unroute(address);
    await press(page, 'Save changes');
    await toast(page, 'Changes saved.').waitFor();
    await heading(page, 'Till').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('that a colleague has changed in the meantime are not overwritten', async () => {
    const app = await apps.register();
    const { page } = await apps.enter(`/${app.id}?tab=settings`);
    await field(page, 'Description').fill('Mine');
    await stage.platform.updateApplication(app, { name: 'Theirs' });
    await press(page, 'Save changes');
    await heading(page, 'Theirs').waitFor();
    expect(await stage.platform.getApplication(app)).toMatchObject({ name: 'Theirs', description: 'Mine' });
    await expectEventually(async () => expect(await field(page, 'Name').inputValue()).toBe('Theirs'), {
      withinMs: 5_000,
    });
  });

  test('show the changes of a colleague as long as the person has typed nothing', async () => {
    const app = await apps.register();
    const { page } = await apps.enter(`/${app.id}?tab=settings`);
    await field(page, 'Name').waitFor();
    await stage.platform.updateApplication(app, { name: 'Theirs' });
    // Triggers a new request for the app.
    await tab(page, 'Credentials').click();
    await press(page, 'Rotate');
    await press(page, 'Create a second secret');
    await takeSecret(page, 'Your new client secret');
    await heading(page, 'Theirs').waitFor();
    await tab(page, 'Settings').click();
    expect(await field(page, 'Name').inputValue()).toBe('Theirs');
    expect(await page.getByText('You have unsaved changes.').count()).toBe(0);
  });
});

describe('client secrets', () => {
  test('can be rotated so that the old one works until it is deleted after a warning', async () => {
    const app = await apps.register();
    expect(await knocks(app)).toBe(400);
    const { page, problems } = await apps.enter(`/${app.id}?tab=credentials`);
    await press(page, 'Rotate');
    const dialog = page.getByRole('dialog', { name: 'Rotate the client secret?' });
    await press(dialog, 'Create a second secret');
    const { clientSecret } = await takeSecret(page, 'Your new client secret');
    expect([await knocks(app), await knocks(app, clientSecret)]).toEqual([400, 400]);

    await press(page, `Delete the secret ending in ${app.clientSecret.slice(-4)}`);
    const question = page.getByRole('dialog', { name: 'Delete this client secret?' });
    await question.getByText('one of your servers probably still uses it').waitFor();
    await press(question, 'Delete secret');
    await toast(page, ' deleted.').waitFor();
    expect([await knocks(app), await knocks(app, clientSecret)]).toEqual([401, 400]);
    const rows = region(page, 'Client secrets').getByRole('row');
    await rows.nth(2).waitFor({ state: 'detached' });
    expect(await rows.count()).toBe(2);
    expect(problems).toEqual([]);
  });

  test('can be replaced at once, and an app has at most two', async () => {
    const app = await apps.register();
    const { page } = await apps.enter(`/${app.id}?tab=credentials`);
    const dialog = page.getByRole('dialog', { name: 'Rotate the client secret?' });
    await press(page, 'Rotate');
    await press(dialog, 'Create a second secret');
    const second = await takeSecret(page, 'Your new client secret');
    await press(page, 'Rotate');
    await dialog.getByText('This app already has two secrets. Delete one first.').waitFor();
    expect(await dialog.getByRole('radio', { name: /^Keep until/ }).isDisabled()).toBe(true);
    await dialog.getByText('and so do all access tokens: your app has no access').waitFor();
    await press(dialog, 'Replace now');
    const third = await takeSecret(page, 'Your new client secret');
    expect([
      await knocks(app),
      await knocks(app, second.clientSecret),
      await knocks(app, third.clientSecret),
    ]).toEqual([401, 401, 400]);
  });

  test('can all be deleted, and the page shows the consequence before the last one', async () => {
    const app = await apps.register();
    const { page } = await apps.enter(`/${app.id}?tab=credentials`);
    await press(page, `Delete the secret ending in ${app.clientSecret.slice(-4)}`);
    const question = page.getByRole('dialog', { name: 'Delete this client secret?' });
    await question.getByText('It has never been used.').waitFor();
    await question.getByText('It is the only secret').waitFor();
    await press(question, 'Delete secret');
    await page.getByText('This app has no client secret and cannot get tokens.').waitFor();
    expect(await knocks(app)).toBe(401);
  });
});

test('the overview says what is missing before going live, what goes wrong for which businesses, and leads to the requests', async () => {
  const app = await apps.register();
  const { page, problems } = await apps.enter(`/${app.id}`);
  const panel = region(page, 'Problems');
  await panel.getByText('No failed requests in the last 7 days.').waitFor();

  const steps = region(page, 'Go live');
  await steps.getByText('3 of 6 steps are done.').waitFor();

  const { accessToken, refreshToken } = await connect(stage.platform, apps.ada.browser, app);
  await stage.platform.request(0, 'POST', '/v2/order', { key: accessToken, body: { number: '' } });
  await knocks(app, createCheckedToken('cs'));
  const entries = panel.getByRole('listitem');
  await expectEventually(
    async () => {
      await page.reload();
      await panel.getByText('Wrong client secret').waitFor({ timeout: 1_000 });
      expect(await entries.count()).toBe(2);
    },
    { withinMs: 20_000 },
  );
  expect(await auditAccessibility(page)).toEqual([]);
  expect(await entries.filter({ hasText: 'For ' }).textContent()).toContain('For Analytical Engines (1)');
  const client = oauthClient(stage.platform, app);
  await client.revoke(tokensOf(await client.refresh(refreshToken)).accessToken);
  await expectEventually(
    async () => {
      await page.reload();
      await steps.getByText('All 6 steps are done.').waitFor({ timeout: 1_000 });
    },
    { withinMs: 20_000 },
  );
  expect(await steps.getByRole('listitem').count()).toBe(0);
  await press(steps, 'Show the steps');
  expect(await steps.getByRole('listitem').count()).toBe(6);
  await entries
    .filter({ hasText: 'Wrong client secret' })
    .getByRole('link', { name: 'Show these requests' })
    .click();
  await page.waitForURL(`**/requests?credential=${app.id}&reason=client_secret_wrong`);
  expect(problems).toEqual([]);
});

test('an app is deleted by typing its name, after the page shows what ends with it', async () => {
  const app = await apps.register();
  const { accessToken } = await connect(stage.platform, apps.ada.browser, app);
  const { page, problems } = await apps.enter(`/${app.id}?tab=settings`);
  // The last line to arrive: a button that moves between press and release of the mouse is not pressed.
  await page.getByText('Your current address').waitFor();
  await press(page, 'Delete app');
  const dialog = page.getByRole('dialog', { name: 'Delete “Shop”?' });
  await dialog.getByText('1 business is disconnected at once.').waitFor();
  expect(await button(dialog, 'Delete app').isDisabled()).toBe(true);
  await dialog.getByRole('textbox').fill('Shop');
  await press(dialog, 'Delete app');
  await toast(page, '“Shop” deleted.').waitFor();
  await page.getByText('No apps yet').waitFor();
  expect(await apps.use(accessToken, '127.0.0.1')).toBe(401);
  await page.goto(apps.path(`/${app.id}`));
  await page.getByText('This app does not exist').waitFor();
  expect(problems).toEqual([]);
});

test('a deleted app is not shown after going back or by a link', async () => {
  const app = await apps.register();
  const { page, problems } = await apps.enter();
  await page.getByRole('link', { name: 'Shop' }).click();
  await tab(page, 'Settings').click();
  await press(page, 'Delete app');
  const dialog = page.getByRole('dialog', { name: 'Delete “Shop”?' });
  await dialog.getByRole('textbox').fill('Shop');
  await press(dialog, 'Delete app');
  await page.getByText('No apps yet').waitFor();
  await page.goBack();
  await page.getByText('No apps yet').waitFor();
  expect(new URL(page.url()).pathname).toBe(apps.path());
  await page.evaluate(`history.pushState(null, '', '${apps.path(`/${app.id}`)}')`);
  await page.getByText('This app does not exist').waitFor();
  expect(problems).toEqual([]);
});

test('a failed load shows its reason, and succeeds on retry', async () => {
  const app = await apps.register();
  const { page } = await apps.enter();
  for (const [address, path, sign] of [
    ['**/applications', '', '1 of 3 apps'],
    [`**/applications/${app.id}`, `/${app.id}`, 'Connected businesses'],
    ['**/connections', `/${app.id}`, 'No business has connected this app yet.'],
    ['**/callers', `/${app.id}`, 'No requests in the last 7 days.'],
  ] as const) {
    await page.route(address, (route) => route.fulfill(failure));
    await page.goto(apps.path(path));
    await page.getByText('req-of-this-failure').waitFor();
    await page.unroute(address);
    await press(page, 'Try again');
    await page.getByText(sign).waitFor();
  }
});

test('names with markup and long names are shown as text, also on a phone', async () => {
  const name = `<img src=x onerror="alert(1)">${'W'.repeat(70)}`;
  const app = await apps.register({ name, description: `</p><script>alert(2)</script>${'y'.repeat(400)}` });
  const { page, problems } = await apps.enter(`/${app.id}`, { viewport: phone });
  await heading(page, name).waitFor();
  for (const part of ['Overview', 'Credentials', 'Settings']) {
    await tab(page, part).click();
    expect(await widthOf(page)).toBeLessThanOrEqual(390);
  }
  await page.getByRole('link', { name: 'Apps' }).first().click();
  await page.getByRole('link', { name }).waitFor();
  expect(await page.locator('main').locator('img, script').count()).toBe(0);
  expect(await widthOf(page)).toBeLessThanOrEqual(390);
  expect(problems).toEqual([]);
});
