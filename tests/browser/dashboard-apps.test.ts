import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import type { TestApplication } from '../harness/applications.ts';
import { eventually } from '../harness/eventually.ts';
import { connect, oauthClient } from '../harness/oauth.ts';
import { signUp, signUpVerified, type TestPerson } from '../harness/people.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { query } from '../harness/postgres.ts';
import { type CallbackApplication, startCallbackApplication } from './callback-application.ts';
import { launchChromium } from './chromium.ts';
import { openAs } from './open-as.ts';

/** Apps as their developers look after them: registered, connected, changed, given new secrets, deleted. */

let platform: Platform;
let chromium: Browser;
let shop: CallbackApplication;
beforeAll(async () => {
  [platform, chromium, shop] = await Promise.all([
    startPlatform({ gatewayEnv: { TRUSTED_PROXIES: '127.0.0.1' } }),
    launchChromium(),
    startCallbackApplication(),
  ]);
});
afterAll(async () => {
  await chromium?.close();
  await shop?.close();
  await platform?.close();
});

let ada: TestPerson;
beforeEach(async () => {
  ada = await signUpVerified(platform);
});
const contexts: BrowserContext[] = [];
afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
});

/** A window in which somebody is logged in, on a page about apps. */
async function enter(rest = '', options: BrowserContextOptions = {}, person = ada) {
  const window = await openAs(chromium, platform, person, `/developers/apps${rest}`, options);
  contexts.push(window.context);
  return window;
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const button = (within: Page | Locator, name: string) => within.getByRole('button', { name, exact: true });
const field = (within: Page | Locator, name: string) => within.getByRole('textbox', { name, exact: true });
const permission = (within: Page | Locator, scope: string) =>
  within.getByRole('checkbox', { description: new RegExp(scope) });
const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true });
const toast = (page: Page, text: string | RegExp) => page.getByRole('status').filter({ hasText: text });
const addresses = (page: Page) => page.getByRole('group', { name: 'IP whitelist' }).getByRole('textbox');
const valuesOf = async (inputs: Locator) =>
  Promise.all((await inputs.all()).map((input) => input.inputValue()));
const rows = (page: Page) => valuesOf(addresses(page));

const settings = {
  redirectUris: ['https://shop.example/callback'],
  ipWhitelist: ['127.0.0.1', '192.0.2.0/24'],
};
const register = (changes: Partial<Parameters<Platform['createApplication']>[0]> = {}) =>
  platform.createApplication({ businessId: ada.businessId, ...settings, ...changes });

const use = async (token: string, address: string) =>
  (
    await platform.request(0, 'GET', '/v2/businesses/me', {
      key: token,
      headers: { 'X-Forwarded-For': address },
    })
  ).status;
/** What the token endpoint says to a secret: 400 once it is accepted, since no grant type is named. */
const knocks = async (app: TestApplication, clientSecret = app.clientSecret) =>
  (await oauthClient(platform, { ...app, clientSecret }).post('/v2/oauth/token', {})).status;

/** Connects ada's own business, and calls from two addresses. Resolves when the dashboard can know of it. */
async function makeCalls(app: TestApplication): Promise<string> {
  const { accessToken } = await connect(platform, ada.browser, app);
  expect([await use(accessToken, '192.0.2.1'), await use(accessToken, '192.0.2.2')]).toEqual([200, 200]);
  await eventually(
    async () => {
      const text = `SELECT count(*)::int AS n FROM usage_addresses u JOIN grants g ON g.id = u.limit_id
                    WHERE g.application_id = $1`;
      expect(await query(platform.databases.identity, text, [app.id])).toEqual([{ n: 2 }]);
    },
    { withinMs: 15_000 },
  );
  return accessToken;
}

/** Reads a secret off its dialog, and closes that as one must. */
async function takeSecret(page: Page, title: string) {
  const dialog = page.getByRole('dialog', { name: title });
  await dialog.waitFor();
  const [clientId = '', clientSecret = ''] = await dialog.locator('code').allTextContents();
  await page.keyboard.press('Escape');
  expect(await button(dialog, 'Done').isDisabled()).toBe(true);
  await dialog.getByLabel('I have stored it').check();
  await button(dialog, 'Done').click();
  await dialog.waitFor({ state: 'detached' });
  return { clientId, clientSecret };
}

async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press('Tab');
    if ((await page.locator(':focus').ariaSnapshot()).includes(name)) return;
  }
  throw new Error(`The keyboard does not reach ${name}.`);
}

describe('a first app', () => {
  test('is registered, connected by another business with what the page offers, and seen in use', async () => {
    const { page, problems } = await enter();
    await page.getByText('No apps yet').waitFor();
    await page.getByRole('link', { name: 'Register your first app' }).click();
    await heading(page, 'Register an app').waitFor();
    await field(page, 'Name').fill('Parcel Pilot');
    await field(page, 'Description').fill('Prints labels');
    await field(page, 'Redirect URI').fill(shop.redirectUri);
    await permission(page, 'business:read').check();
    await page.getByText('Your address now is 127.0.0.1, which is not covered.').waitFor();
    await button(page, 'Add it').click();
    await page.getByText('Your address now is 127.0.0.1, which is covered.').waitFor();
    await button(page, 'Register the app').click();
    const { clientId, clientSecret } = await takeSecret(page, 'Your app is registered');
    expect([clientId, clientSecret]).toEqual([expect.stringMatching(/^app_/), expect.stringMatching(/^cs_/)]);

    await heading(page, 'Parcel Pilot').waitFor();
    await page.getByText('No business has connected this app yet.').waitFor();
    await tab(page, 'Credentials').click();
    await part(page, 'Client ID').getByText(clientId).waitFor();
    await part(page, 'Client secrets')
      .getByText(`cs_…${clientSecret.slice(-4)}`)
      .waitFor();
    expect(await page.content()).not.toContain(clientSecret);
    const [url = '', command = ''] = await part(page, 'Try connecting').locator('pre').allTextContents();
    expect(command).not.toContain(clientSecret);

    const user = await signUpVerified(platform, { businessName: 'Difference Ltd' });
    const theirs = await enter('', {}, user);
    await theirs.page.goto(url);
    await button(theirs.page, 'Approve').click();
    await theirs.page.waitForURL(shop.lastPage);
    const code = shop.callbacks.at(-1)?.get('code') ?? '';
    const verifier = /code_verifier='([^']+)'/.exec(command)?.[1] ?? '';
    const app = { id: '', businessId: 0, clientId, clientSecret, redirectUri: shop.redirectUri };
    const { status, body } = await oauthClient(platform, app).exchange(code, verifier);
    expect(status).toBe(200);
    expect(await use(String(body.access_token), '127.0.0.1')).toBe(200);

    await eventually(
      async () => {
        await page.reload();
        await tab(page, 'Overview').click();
        const row = part(page, 'Connected businesses').getByRole('row', { name: /Difference Ltd/ });
        await row.getByText('just now').waitFor({ timeout: 2_000 });
      },
      { withinMs: 20_000 },
    );
    await part(page, 'Connected businesses').getByText('1 of 50').waitFor();
    await part(page, 'Requests')
      .getByRole('img', { name: /^1 requests? from/ })
      .waitFor();
    expect(
      await part(page, 'Where it calls from')
        .getByRole('row', { name: /127\.0\.0\.1/ })
        .textContent(),
    ).toMatch(/127\.0\.0\.111just now/);
    expect(problems).toEqual([]);
  });

  test('is registered by the keyboard alone, a row more by Enter', async () => {
    const { page, problems } = await enter('/new');
    await permission(page, 'orders:read').waitFor();
    await tabTo(page, 'textbox "Name"');
    await page.keyboard.type('By hand');
    await tabTo(page, 'textbox "Description"');
    await page.keyboard.type('Typed');
    await tabTo(page, 'textbox "Redirect URI"');
    await page.keyboard.type('https://shop.example/a');
    await page.keyboard.press('Enter');
    await page.keyboard.type('https://shop.example/b');
    await page.keyboard.press('Enter');
    // A row that is left empty goes the way it came.
    await page.keyboard.press('Backspace');
    await tabTo(page, 'checkbox "See your orders');
    await page.keyboard.press('Space');
    await tabTo(page, 'textbox "Address or network"');
    await page.keyboard.type('192.0.2.1');
    await tabTo(page, 'switch "Webhooks"');
    await page.keyboard.press('Space');
    await tabTo(page, 'checkbox "An order was paid"');
    await page.keyboard.press('Space');
    await tabTo(page, 'button "Register the app"');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Your app is registered' }).waitFor();
    await tabTo(page, 'I have stored it');
    await page.keyboard.press('Space');
    await tabTo(page, 'button "Done"');
    await page.keyboard.press('Enter');
    await heading(page, 'By hand').waitFor();
    const stored = await query(
      platform.databases.identity,
      `SELECT redirect_uris, scopes, ip_whitelist, webhooks_enabled, webhook_events FROM applications
       WHERE business_id = $1`,
      [ada.businessId],
    );
    expect(stored).toEqual([
      {
        redirect_uris: ['https://shop.example/a', 'https://shop.example/b'],
        scopes: ['orders:read'],
        ip_whitelist: ['192.0.2.1'],
        webhooks_enabled: true,
        webhook_events: ['order.paid'],
      },
    ]);
    expect(problems).toEqual([]);
  });

  test('is registered once, however often the button is pressed', async () => {
    const { page } = await enter('/new');
    await fillIn(page);
    await button(page, 'Register the app').focus();
    await page.evaluate('for (let presses = 0; presses < 5; presses++) document.activeElement.click()');
    await takeSecret(page, 'Your app is registered');
    await heading(page, 'Shop').waitFor();
    await page.getByRole('link', { name: 'Apps' }).first().click();
    await page.getByText('1 of 3 apps').waitFor();
  });

  test('is out of reach for a business that is not verified: the page says why, and leads there', async () => {
    const unverified = await signUp(platform);
    for (const rest of ['', '/new']) {
      const { page } = await enter(rest, {}, unverified);
      await page.getByText('The business is not verified as a legal entity.').waitFor();
      expect(await page.getByRole('textbox').count()).toBe(0);
      await page.getByRole('link', { name: 'Go to verification' }).click();
      await heading(page, 'Business').waitFor();
    }
  });
});

/** Everything that a new app needs. */
async function fillIn(page: Page): Promise<void> {
  await field(page, 'Name').fill('Shop');
  await field(page, 'Description').fill('Sends orders out');
  await field(page, 'Redirect URI').fill('https://shop.example/callback');
  await permission(page, 'orders:read').check();
  await field(page, 'Address or network').fill('192.0.2.1');
}

describe('the form', () => {
  test('says at each field and entry what is not right, leads there, and loses nothing', async () => {
    const { page } = await enter('/new');
    await permission(page, 'orders:read').waitFor();
    await field(page, 'Description').fill('kept');
    await button(page, 'Register the app').click();
    for (const fault of [
      'Give the app a name.',
      'Enter at least one redirect URI.',
      'Choose at least one permission.',
      'Enter at least one address.',
    ]) {
      await page.getByText(fault, { exact: true }).waitFor();
    }
    expect(await page.locator(':focus').ariaSnapshot()).toContain('textbox "Name"');

    await fillIn(page);
    await field(page, 'Description').fill('kept');
    await field(page, 'Redirect URI').fill('https://shop.example/callback');
    await button(page.getByRole('group', { name: 'Redirect URIs' }), 'Add another').click();
    await page.keyboard.type('http://shop.example/');
    await field(page, 'Address or network').fill('192.0.2.300');
    await button(page, 'Register the app').click();
    await page.getByText('A redirect URI uses https; http is for loopback addresses only.').waitFor();
    await page.getByText('"192.0.2.300" is no IP address or network.').waitFor();
    expect(await valuesOf(page.locator('[aria-invalid=true]'))).toEqual([
      'http://shop.example/',
      '192.0.2.300',
    ]);

    // A fault stays with its entry when another one goes.
    await button(page, 'Remove https://shop.example/callback').click();
    await page.getByText('A redirect URI uses https; http is for loopback addresses only.').waitFor();
    await field(page, 'Redirect URI').fill('https://shop.example/other');
    await field(page, 'Address or network').fill('192.0.2.3');
    expect(await field(page, 'Description').inputValue()).toBe('kept');
    await button(page, 'Register the app').click();
    await takeSecret(page, 'Your app is registered');
    await heading(page, 'Shop').waitFor();
  });

  test('takes a pasted list of addresses, and names what is none while it is written', async () => {
    const { page } = await enter('/new');
    await addresses(page).first().focus();
    await paste(page, '192.0.2.1\n198.51.100.0/24, 2001:db8::1\nshop.example\n');
    expect(await rows(page)).toEqual(['192.0.2.1', '198.51.100.0/24', '2001:db8::1', 'shop.example']);
    await field(page, 'Name').focus();
    await page.getByText('"shop.example" is no IP address or network.').waitFor();
    await button(page, 'Remove shop.example').click();
    expect(await page.locator('[aria-invalid=true]').count()).toBe(0);
    await addresses(page).nth(1).fill('0.0.0.0/0');
    await page.getByText('the whole internet').waitFor();
  });

  test('keeps everything while a part of the platform is lost, and says what may have happened', async () => {
    const [service] = platform.businesses;
    const { page } = await enter('/new');
    await fillIn(page);
    await service?.stop();
    await button(page, 'Register the app').click();
    await page.getByRole('alert').getByText('does not answer').waitFor();
    await page.getByText('The app may have been registered all the same.').waitFor();
    await service?.start();
    await eventually(
      async () => {
        await button(page, 'Register the app').click();
        await page.getByRole('dialog', { name: 'Your app is registered' }).waitFor({ timeout: 1_000 });
      },
      { withinMs: 15_000 },
    );
    await takeSecret(page, 'Your app is registered');
    await heading(page, 'Shop').waitFor();
  });
});

/** Puts a text where the focus is, as from the clipboard. */
async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate(`{
    const data = new DataTransfer();
    data.setData('text/plain', ${JSON.stringify(text)});
    const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
    document.activeElement.dispatchEvent(event);
  }`);
}

describe('the whitelist of an app', () => {
  test('warns before it shuts out who called lately, and then does', async () => {
    const app = await register();
    const token = await makeCalls(app);
    const { page, problems } = await enter(`/${app.id}?tab=settings`);
    await page.getByText('Your address now is 127.0.0.1').waitFor();
    expect(await page.getByText('would be refused').count()).toBe(0);
    await field(page, 'Address or network 2').fill('192.0.2.2');
    await page.getByText('An address that your app calls from would be refused').waitFor();
    await button(page, 'Add it').click();
    await page.getByText('would be refused').waitFor({ state: 'detached' });
    expect(await rows(page)).toEqual(['127.0.0.1', '192.0.2.2', '192.0.2.1']);

    await button(page, 'Remove 192.0.2.1').click();
    await button(page, 'Remove 192.0.2.2').click();
    await button(page, 'Save changes').click();
    const dialog = page.getByRole('dialog', { name: 'Shut out addresses that are in use?' });
    await dialog.getByText('192.0.2.1').waitFor();
    const listed = await dialog.getByRole('listitem').allTextContents();
    expect(listed.map((text) => text.split(' ')[0])).toEqual(['192.0.2.2', '192.0.2.1']);
    await button(dialog, 'Cancel').click();
    await dialog.waitFor({ state: 'detached' });
    expect(await use(token, '192.0.2.1')).toBe(200);
    expect(await rows(page)).toEqual(['127.0.0.1']);

    await button(page, 'Save changes').click();
    await button(dialog, 'Save and shut them out').click();
    await toast(page, 'The changes are saved.').waitFor();
    expect([await use(token, '192.0.2.1'), await use(token, '127.0.0.1')]).toEqual([403, 200]);
    expect(problems).toEqual([]);
  });

  test('is saved without a question when nobody is shut out', async () => {
    const app = await register();
    const token = await makeCalls(app);
    const { page } = await enter(`/${app.id}?tab=settings`);
    await field(page, 'Address or network 2').fill('192.0.2.77/25');
    await button(page, 'Save changes').click();
    await toast(page, 'The changes are saved.').waitFor();
    // As it is kept.
    expect(await rows(page)).toEqual(['127.0.0.1', '192.0.2.0/25']);
    expect(await use(token, '192.0.2.1')).toBe(200);
  });
});

describe('settings', () => {
  test('are changed, taken back, and kept in the form when they cannot be saved', async () => {
    const app = await register();
    const { page } = await enter(`/${app.id}?tab=settings`);
    await field(page, 'Name').fill('Till');
    await page.getByText('There are unsaved changes.').waitFor();
    await button(page, 'Discard changes').click();
    expect(await field(page, 'Name').inputValue()).toBe('Shop');
    expect(await page.getByText('There are unsaved changes.').count()).toBe(0);

    await field(page, 'Name').fill('Till');
    await tab(page, 'Overview').click();
    await part(page, 'Requests').waitFor();
    await tab(page, 'Settings').click();
    expect(await field(page, 'Name').inputValue()).toBe('Till');

    const address = `**/applications/${app.id}`;
    await page.route(address, (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    );
    await button(page, 'Save changes').click();
    await page.getByRole('alert').getByText('No answer came.').waitFor();
    expect(await field(page, 'Name').inputValue()).toBe('Till');
    await page.unroute(address);
    await button(page, 'Save changes').click();
    await toast(page, 'The changes are saved.').waitFor();
    await heading(page, 'Till').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('that a colleague changed meanwhile are not overwritten', async () => {
    const app = await register();
    const { page } = await enter(`/${app.id}?tab=settings`);
    await field(page, 'Description').fill('Mine');
    const change = { businessId: ada.businessId, applicationId: app.id, name: 'Theirs' };
    const actor = { kind: 'operator', id: 'test', clientIp: '' };
    await platform.applicationRpc.UpdateApplication({ ...change, actor }, { deadlineMs: 5_000 });
    await button(page, 'Save changes').click();
    await heading(page, 'Theirs').waitFor();
    expect(await platform.getApplication(app)).toMatchObject({ name: 'Theirs', description: 'Mine' });
    expect(await field(page, 'Name').inputValue()).toBe('Theirs');
  });

  test('follow what a colleague changed, as long as nothing was typed', async () => {
    const app = await register();
    const { page } = await enter(`/${app.id}?tab=settings`);
    await field(page, 'Name').waitFor();
    const change = { businessId: ada.businessId, applicationId: app.id, name: 'Theirs' };
    const actor = { kind: 'operator', id: 'test', clientIp: '' };
    await platform.applicationRpc.UpdateApplication({ ...change, actor }, { deadlineMs: 5_000 });
    // Whatever asks for the app again.
    await tab(page, 'Credentials').click();
    await button(page, 'Rotate').click();
    await button(page, 'Make a second secret').click();
    await takeSecret(page, 'Your new client secret');
    await heading(page, 'Theirs').waitFor();
    await tab(page, 'Settings').click();
    expect(await field(page, 'Name').inputValue()).toBe('Theirs');
    expect(await page.getByText('There are unsaved changes.').count()).toBe(0);
  });

  test('say when gateways are still to confirm', async () => {
    const app = await register();
    await connect(platform, ada.browser, app);
    const { page } = await enter(`/${app.id}?tab=settings`);
    await permission(page, 'orders:read').uncheck();
    await platform.redis?.stop();
    try {
      await button(page, 'Save changes').click();
      await toast(page, 'Gateways confirm within 30 seconds').waitFor();
    } finally {
      await platform.redis?.start();
    }
  });
});

describe('client secrets', () => {
  test('are replaced side by side: the old one works until it is deleted, after a warning', async () => {
    const app = await register();
    expect(await knocks(app)).toBe(400);
    const { page, problems } = await enter(`/${app.id}?tab=credentials`);
    await button(page, 'Rotate').click();
    const dialog = page.getByRole('dialog', { name: 'Rotate the client secret?' });
    await button(dialog, 'Make a second secret').click();
    const { clientSecret } = await takeSecret(page, 'Your new client secret');
    expect([await knocks(app), await knocks(app, clientSecret)]).toEqual([400, 400]);

    await button(page, `Delete the secret that ends in ${app.clientSecret.slice(-4)}`).click();
    const question = page.getByRole('dialog', { name: 'Delete this client secret?' });
    await question.getByText('a server of yours probably still has it').waitFor();
    await button(question, 'Delete secret').click();
    await toast(page, 'is deleted').waitFor();
    expect([await knocks(app), await knocks(app, clientSecret)]).toEqual([401, 400]);
    expect(await part(page, 'Client secrets').getByRole('row').count()).toBe(2);
    expect(problems).toEqual([]);
  });

  test('are replaced at once, and two are the most', async () => {
    const app = await register();
    const { page } = await enter(`/${app.id}?tab=credentials`);
    const dialog = page.getByRole('dialog', { name: 'Rotate the client secret?' });
    await button(page, 'Rotate').click();
    await button(dialog, 'Make a second secret').click();
    const second = await takeSecret(page, 'Your new client secret');
    await button(page, 'Rotate').click();
    await dialog.getByText('There are two secrets already. Delete one first.').waitFor();
    expect(await dialog.getByRole('radio', { name: /^Keep it/ }).isDisabled()).toBe(true);
    await button(dialog, 'Replace at once').click();
    const third = await takeSecret(page, 'Your new client secret');
    expect([
      await knocks(app),
      await knocks(app, second.clientSecret),
      await knocks(app, third.clientSecret),
    ]).toEqual([401, 401, 400]);
  });

  test('the last one may go too: the page says what that means', async () => {
    const app = await register();
    const { page } = await enter(`/${app.id}?tab=credentials`);
    await button(page, `Delete the secret that ends in ${app.clientSecret.slice(-4)}`).click();
    const question = page.getByRole('dialog', { name: 'Delete this client secret?' });
    await question.getByText('It was never used.').waitFor();
    await question.getByText('It is the only one').waitFor();
    await button(question, 'Delete secret').click();
    await page.getByText('This app has no secret: it cannot get tokens.').waitFor();
    expect(await knocks(app)).toBe(401);
  });
});

test('an app is deleted by typing its name, after the page says what ends with it', async () => {
  const app = await register();
  const { accessToken } = await connect(platform, ada.browser, app);
  const { page, problems } = await enter(`/${app.id}?tab=settings`);
  await button(page, 'Delete app').click();
  const dialog = page.getByRole('dialog', { name: 'Delete “Shop”?' });
  await dialog.getByText('1 business loses the connection at once.').waitFor();
  expect(await button(dialog, 'Delete app').isDisabled()).toBe(true);
  await dialog.getByRole('textbox').fill('Shop');
  await button(dialog, 'Delete app').click();
  await toast(page, '“Shop” is deleted.').waitFor();
  await page.getByText('No apps yet').waitFor();
  expect(await use(accessToken, '127.0.0.1')).toBe(401);
  await page.goto(`/dashboard/${ada.businessId}/developers/apps/${app.id}`);
  await page.getByText('There is no such app').waitFor();
  expect(problems).toEqual([]);
});

test('three are the most: the third still shows its secret, then the list says how to make room', async () => {
  for (const name of ['One', 'Two']) await register({ name });
  const { page } = await enter('/new');
  await fillIn(page);
  const listed = page.waitForResponse(
    (answer) => answer.url().endsWith('/applications') && answer.request().method() === 'GET',
  );
  await button(page, 'Register the app').click();
  // By now the list knows that there is no room for another.
  expect(await (await listed).json()).toMatchObject({ obstacle: { reason: 'application_limit_reached' } });
  await takeSecret(page, 'Your app is registered');
  await heading(page, 'Shop').waitFor();
  await page.getByRole('link', { name: 'Apps' }).first().click();
  await page.getByText('3 of 3 apps').waitFor();
  await page.getByText('A business has at most 3 applications. Delete one').waitFor();
  expect(await page.getByRole('link', { name: 'Register an app' }).count()).toBe(0);
  await page.goto(`/dashboard/${ada.businessId}/developers/apps/new`);
  await page.getByText('A business has at most 3 applications. Delete one').waitFor();
  expect(await page.getByRole('textbox').count()).toBe(0);
});

test('what cannot be loaded says why, and loads at another try', async () => {
  const app = await register();
  const { page } = await enter();
  const headers = { 'X-Request-Id': 'req-of-this-failure' };
  const json = { error: 'Something that we need does not answer.', status: 'Service Unavailable', code: 503 };
  for (const [address, path, sign] of [
    ['**/applications', '', '1 of 3 apps'],
    [`**/applications/${app.id}`, `/${app.id}`, 'Connected businesses'],
    ['**/connections', `/${app.id}`, 'No business has connected this app yet.'],
    ['**/callers', `/${app.id}`, 'No calls in the last 7 days.'],
  ] as const) {
    await page.route(address, (route) => route.fulfill({ status: 503, headers, json }));
    await page.goto(`/dashboard/${ada.businessId}/developers/apps${path}`);
    await page.getByText('req-of-this-failure').waitFor();
    await page.unroute(address);
    await button(page, 'Try again').click();
    await page.getByText(sign).waitFor();
  }
});

test('names with markup and long names are text, on a phone too', async () => {
  const name = `<img src=x onerror="alert(1)">${'W'.repeat(70)}`;
  const app = await register({ name, description: `</p><script>alert(2)</script>${'y'.repeat(400)}` });
  const { page, problems } = await enter(`/${app.id}`, { viewport: { width: 390, height: 844 } });
  await heading(page, name).waitFor();
  for (const part of ['Overview', 'Credentials', 'Settings']) {
    await tab(page, part).click();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  }
  await page.getByRole('link', { name: 'Apps' }).first().click();
  await page.getByRole('link', { name }).waitFor();
  expect(await page.locator('main').locator('img, script').count()).toBe(0);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  expect(problems).toEqual([]);
});
