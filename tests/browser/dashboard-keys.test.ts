import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import type { NewKey, TestKey } from '../harness/api-keys.ts';
import { eventually } from '../harness/eventually.ts';
import { pastedCurl } from '../harness/pasted-curl.ts';
import { joinBusiness, signUpVerified, type TestPerson } from '../harness/people.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { query } from '../harness/postgres.ts';
import { launchChromium, openWindow } from './chromium.ts';

/** API keys as people look after them: made, seen in use, changed, replaced, removed. */

let platform: Platform;
let chromium: Browser;
beforeAll(async () => {
  [platform, chromium] = await Promise.all([
    startPlatform({ gatewayEnv: { TRUSTED_PROXIES: '127.0.0.1' } }),
    launchChromium(),
  ]);
});
afterAll(async () => {
  await chromium?.close();
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

const keysPath = (rest = '') => `/dashboard/${ada.businessId}/developers/keys${rest}`;

/** A window in which somebody is logged in, on a page about keys. */
async function enter(rest = '', options: BrowserContextOptions = {}, person = ada) {
  const window = await openWindow(chromium, { baseURL: platform.publicUrl, ...options });
  contexts.push(window.context);
  const cookies = [...person.browser.cookies].map(([name, value]) => ({ name, value }));
  await window.context.addCookies(cookies.map((cookie) => ({ ...cookie, url: platform.publicUrl })));
  await window.page.goto(keysPath(rest));
  return window;
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const button = (within: Page | Locator, name: string) => within.getByRole('button', { name, exact: true });
const field = (within: Page | Locator, name: string) => within.getByRole('textbox', { name, exact: true });
const permission = (within: Page | Locator, scope: string) =>
  within.getByRole('checkbox', { description: new RegExp(scope) });
const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const toast = (page: Page, text: string | RegExp) => page.getByRole('status').filter({ hasText: text });

const makeKey = (key: NewKey = {}) =>
  platform.createKey({ businessId: ada.businessId, name: 'Shop', ...key });
const restricted = { type: 'restricted', scopes: ['business:read', 'orders:read', 'orders:write'] } as const;

async function use(keyString: string, path = '/v2/businesses/me', address = '192.0.2.7'): Promise<number> {
  const headers = { 'X-Forwarded-For': address };
  return (await platform.request(0, 'GET', path, { key: keyString, headers })).status;
}

/** Resolves when the dashboard can know of that many requests. */
const awaitReport = ({ id }: TestKey, requests: number) =>
  eventually(
    async () => {
      const text = 'SELECT sum(requests)::int AS n FROM usage_endpoints WHERE limit_id = $1';
      expect(await query(platform.databases.identity, text, [id])).toEqual([{ n: requests }]);
    },
    { withinMs: 15_000 },
  );

/** Reads the key off its dialog, and closes that as one must. */
async function takeKey(page: Page, title: string) {
  const dialog = page.getByRole('dialog', { name: title });
  await dialog.waitFor();
  const [keyString = ''] = await dialog.locator('code').allTextContents();
  const command =
    (await dialog.locator('pre').count()) > 0 ? await dialog.locator('pre').textContent() : null;
  await page.keyboard.press('Escape');
  expect(await button(dialog, 'Done').isDisabled()).toBe(true);
  const close = async () => {
    await dialog.getByLabel('I have stored it').check();
    await button(dialog, 'Done').click();
    await dialog.waitFor({ state: 'detached' });
  };
  return { keyString, command, dialog, close };
}

describe('a first key', () => {
  test('is made, shown once, used, and seen in use', async () => {
    const { page, problems } = await enter();
    await page.getByText('No API keys yet').waitFor();
    await page.getByText('Does everything that the API can do with your business.').waitFor();
    await page.getByRole('link', { name: 'Create your first key' }).click();
    await heading(page, 'Create an API key').waitFor();
    await page.getByText('The type cannot be changed later.').waitFor();
    await page.getByText('Cannot be changed later. A second key').waitFor();
    await field(page, 'Name').fill('Web shop');
    await field(page, 'Description').fill('Production');
    await permission(page, 'business:read').check();
    await page.getByRole('radio', { name: '30 days' }).click();
    await button(page, 'Create key').click();

    const { keyString, command, close } = await takeKey(page, 'Your new API key');
    expect(keyString).toMatch(/^rk_/);
    const { url, headers } = pastedCurl(command ?? '');
    expect([url, headers]).toEqual([
      `${platform.publicUrl}/v2/businesses/me`,
      { Authorization: `Bearer ${keyString}` },
    ]);
    expect((await page.request.get(url, { headers })).status()).toBe(200);
    await close();

    await heading(page, 'Web shop').waitFor();
    await page.getByText(`rk_…${keyString.slice(-4)}`).waitFor();
    // The page looks again every ten seconds.
    const soon = { timeout: 25_000 };
    await part(page, 'Permissions')
      .getByText(/^Used /)
      .waitFor(soon);
    await part(page, 'What uses it').getByText('1 call in the last hour').waitFor(soon);
    await part(page, 'Rate limit').getByText('9,999 of 10,000 requests left in this hour').waitFor(soon);
    expect(await page.content()).not.toContain(keyString);
    await page.getByRole('link', { name: 'API keys' }).first().click();
    const row = page.getByRole('row', { name: /Web shop/ });
    await row.getByText('from 127.0.0.1').waitFor();
    expect(await row.textContent()).toMatch(/Restricted.*Active.*Until.*just now.*9,999of 10,000/);
    expect(problems).toEqual([]);
  });

  test('is made by the keyboard alone', async () => {
    const { page, problems } = await enter('/new');
    await heading(page, 'Create an API key').waitFor();
    await permission(page, 'business:read').waitFor();
    const tabTo = async (name: string) => {
      for (let presses = 0; presses < 30; presses++) {
        await page.keyboard.press('Tab');
        if ((await page.locator(':focus').ariaSnapshot()).includes(name)) return;
      }
      throw new Error(`The keyboard does not reach ${name}.`);
    };
    await tabTo('textbox "Name"');
    await page.keyboard.type('By hand');
    await tabTo('radio "Restricted key');
    await page.keyboard.press('ArrowRight');
    expect(await page.getByRole('checkbox').count()).toBe(0);
    await page.keyboard.press('ArrowLeft');
    await tabTo('checkbox "See your orders');
    await page.keyboard.press('Space');
    await tabTo('radio "90 days"');
    await page.keyboard.press('ArrowRight');
    await tabTo('button "Create key"');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Your new API key' }).waitFor();
    await tabTo('I have stored it');
    await page.keyboard.press('Space');
    await tabTo('button "Done"');
    await page.keyboard.press('Enter');
    await heading(page, 'By hand').waitFor();
    const [key] = await query<{ days: number; scopes: string[] }>(
      platform.databases.identity,
      `SELECT extract(day FROM expires_at - created_at)::int AS days, scopes FROM api_keys WHERE business_id = $1`,
      [ada.businessId],
    );
    expect(key?.scopes).toEqual(['orders:read']);
    expect(key?.days).toBeGreaterThanOrEqual(364);
    expect(problems).toEqual([]);
  });

  test('is made once, however often the button is pressed', async () => {
    const { page } = await enter('/new');
    await field(page, 'Name').fill('Once');
    await page.getByRole('radio', { name: /^Secret key/ }).click();
    await button(page, 'Create key').focus();
    await page.evaluate('for (let presses = 0; presses < 5; presses++) document.activeElement.click()');
    await page.getByRole('dialog', { name: 'Your new API key' }).waitFor();
    const { apiKeys } = await platform.apiKeyRpc.ListApiKeys(
      { businessId: ada.businessId },
      { deadlineMs: 5_000 },
    );
    expect(apiKeys).toHaveLength(1);
  });

  test('fits a phone', async () => {
    const { page } = await enter('', { viewport: { width: 390, height: 844 } });
    await page.getByRole('link', { name: 'Create a key' }).click();
    await field(page, 'Name').fill('N'.repeat(100));
    await permission(page, 'orders:read').check();
    await button(page, 'Create key').click();
    const { close } = await takeKey(page, 'Your new API key');
    await close();
    await heading(page, 'N'.repeat(100)).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await page.getByRole('link', { name: 'API keys' }).first().click();
    await page.getByRole('list', { name: 'API keys' }).getByRole('link').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  });
});

describe('the form', () => {
  test('says at each field what is not right, leads there, and loses nothing', async () => {
    const { page } = await enter('/new');
    await permission(page, 'orders:read').waitFor();
    await field(page, 'Description').fill('kept');
    await page.getByRole('radio', { name: 'A date' }).click();
    await page.getByLabel('Last day').fill('2020-01-31');
    await button(page, 'Create key').click();
    await page.getByText('Give the key a name.').waitFor();
    await page.getByText('Choose at least one permission.').waitFor();
    await page.getByText('Choose a day from today on.').waitFor();
    expect(await page.locator(':focus').ariaSnapshot()).toContain('textbox "Name"');

    await field(page, 'Name').fill('n'.repeat(101));
    await permission(page, 'orders:read').check();
    await page.getByRole('radio', { name: 'Never' }).click();
    await button(page, 'Create key').click();
    await page.getByText('Name must be one line of 1 to 100 characters.').waitFor();
    expect(await field(page, 'Description').inputValue()).toBe('kept');
    await field(page, 'Name').fill('Short');
    await button(page, 'Create key').click();
    await page.getByRole('dialog', { name: 'Your new API key' }).waitFor();
  });

  test('keeps everything while a part of the platform is lost, and says what may have happened', async () => {
    const [service] = platform.businesses;
    const { page } = await enter('/new');
    await field(page, 'Name').fill('Later');
    await permission(page, 'orders:read').check();
    await service?.stop();
    await button(page, 'Create key').click();
    const alert = page.getByRole('alert');
    await alert.getByText('does not answer').waitFor();
    await alert.getByText('Request id:').waitFor();
    await page.getByText('The key may have been made all the same.').waitFor();
    await service?.start();
    const dialog = page.getByRole('dialog', { name: 'Your new API key' });
    await eventually(
      async () => {
        if (await dialog.isVisible()) return;
        await button(page, 'Create key').click({ timeout: 1_000 });
        await dialog.waitFor({ timeout: 3_000 });
      },
      { withinMs: 20_000 },
    );
    const { close } = await takeKey(page, 'Your new API key');
    await close();
    await heading(page, 'Later').waitFor();
  });

  test.each([
    ['business:read', '/v2/businesses/me', 200],
    ['orders:read', '/v2/order', 200],
    ['orders:write', '/v2/order', 201],
  ])('gives a key for %s a request to paste that it may make', async (scope, path, status) => {
    const { page } = await enter('/new');
    await field(page, 'Name').fill('Try');
    await permission(page, scope).check();
    await button(page, 'Create key').click();
    const { command } = await takeKey(page, 'Your new API key');
    const { url, headers, body } = pastedCurl(command ?? '');
    expect(url).toBe(`${platform.publicUrl}${path}`);
    const answer = await (body === undefined
      ? page.request.get(url, { headers })
      : page.request.post(url, { headers, data: body }));
    expect(answer.status()).toBe(status);
  });

  test('has nothing to paste for a key that no endpoint takes', async () => {
    const { page } = await enter('/new');
    await field(page, 'Name').fill('Events');
    await permission(page, 'events:read').check();
    await button(page, 'Create key').click();
    expect((await takeKey(page, 'Your new API key')).command).toBeNull();
  });
});

describe('the list', () => {
  const names = (page: Page) => page.getByRole('row').getByRole('link').allTextContents();

  test('is searched and filtered, and the address keeps how', async () => {
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
    await makeKey({ name: 'Web shop', expiresAt: inDays(5) });
    await makeKey({ name: 'Backend', type: 'secret' });
    const { id } = await makeKey({ ...restricted, name: 'Old partner', expiresAt: inDays(1) });
    await query(
      platform.databases.identity,
      "UPDATE api_keys SET created_at = now() - interval '9 days', expires_at = now() - interval '2 days' WHERE id = $1",
      [id],
    );
    const { page, problems } = await enter();
    await page.getByText('3 keys').waitFor();
    expect(await page.getByRole('row', { name: /Web shop/ }).textContent()).toContain('Expires in 4 days');
    expect(await page.getByRole('row', { name: /Old partner/ }).textContent()).toContain('Expired');

    await page.getByLabel('Search by name').fill('BACK');
    await page.getByText('1 of 3 keys').waitFor();
    expect(await names(page)).toEqual(['Backend']);
    await button(page, 'Clear the search').click();
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Expiring soon' }).click();
    await page.getByText('1 of 3 keys').waitFor();
    expect(await names(page)).toEqual(['Web shop']);
    await page.reload();
    await page.getByText('1 of 3 keys').waitFor();
    await page.getByRole('link', { name: 'Web shop' }).click();
    await heading(page, 'Web shop').waitFor();
    await page.goBack();
    await page.getByText('1 of 3 keys').waitFor();
    await page.getByRole('combobox', { name: 'Type' }).click();
    await page.getByRole('option', { name: 'Restricted' }).click();
    await page.getByText('No key matches.').waitFor();
    expect(problems).toEqual([]);
  });

  test('shows a hundred keys fifty at a time', async () => {
    for (let batch = 0; batch < 10; batch++) {
      await Promise.all(Array.from({ length: 10 }, (_, i) => makeKey({ name: `Key ${batch}${i}` })));
    }
    const { page } = await enter();
    await page.getByText('100 keys').waitFor();
    expect(await names(page)).toHaveLength(50);
    await button(page, 'Show more').click();
    await page.getByRole('row').nth(100).waitFor();
    expect(await button(page, 'Show more').count()).toBe(0);
  });

  test('that cannot be loaded says why, with the id of the request, and loads at another try', async () => {
    await makeKey();
    const { page } = await enter('/new');
    const list = '**/api-keys';
    await page.route(list, (route) =>
      route.fulfill({
        status: 503,
        headers: { 'X-Request-Id': 'req-of-this-failure' },
        json: { error: 'Something that we need does not answer.', status: 'Service Unavailable', code: 503 },
      }),
    );
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('alert').getByText('req-of-this-failure').waitFor();
    await page.unroute(list);
    await button(page, 'Try again').click();
    await page.getByRole('link', { name: 'Shop' }).waitFor();
  });
});

describe('the page of a key', () => {
  test('shows its requests by hour and day, as bars and as a table', async () => {
    const key = await makeKey();
    await platform.setKeyLimit(key, 4);
    for (let i = 0; i < 4; i++) await use(key.keyString, '/v2/order', `192.0.2.${i}`);
    await use(key.keyString, '/v2/order', '192.0.2.9');
    await awaitReport(key, 5);
    const { page, problems } = await enter(`/${key.id}`);
    const requests = part(page, 'Requests');
    await requests.getByRole('img', { name: /^5 requests .* 4 with 2xx, 0 with 4xx, 1 with 429/ }).waitFor();
    await requests.getByText('90 days', { exact: true }).click();
    await requests.getByRole('img', { name: /busiest day/ }).waitFor();
    await requests.getByText('By hour', { exact: true }).click();
    await requests.getByRole('img', { name: /busiest hour/ }).waitFor();
    await requests.getByText('By day', { exact: true }).click();
    await requests.getByText('7 days', { exact: true }).click();
    await button(requests, 'Show as table').click();
    await eventually(async () => expect(await requests.getByRole('row').count()).toBe(8), {
      withinMs: 5_000,
    });
    expect(await requests.getByRole('row').nth(1).getByRole('cell').allTextContents()).toEqual([
      '4',
      '0',
      '1',
      '0',
      '5',
    ]);
    await part(page, 'Rate limit').getByText('0 of 4 requests left in this hour').waitFor();
    await part(page, 'Rate limit').getByText('refused with 429').waitFor();
    const places = await part(page, 'What uses it').textContent();
    expect(places).toContain('5 calls in the last hour, 5 in the last 24 hours');
    expect(places).toContain('GET /v2/order 5 calls');
    expect(places).toMatch(/192\.0\.2\.9/);
    expect(problems).toEqual([]);
  });

  test('of a key that is gone says so', async () => {
    const { page } = await enter('/key_gone');
    await heading(page, 'Key not found').waitFor();
    await page.getByRole('link', { name: 'API keys' }).first().click();
    await page.getByText('No API keys yet').waitFor();
  });

  test('lets members do what owners do', async () => {
    const key = await makeKey(restricted);
    const member = await signUpVerified(platform);
    await joinBusiness(platform, member, ada.businessId, 'member');
    const { page } = await enter(`/${key.id}`, {}, member);
    await button(page, 'Delete key').click();
    const dialog = page.getByRole('dialog', { name: 'Delete “Shop”?' });
    await field(dialog, 'Type Shop to confirm').fill('Shop');
    await button(dialog, 'Delete key').click();
    await page.getByText('No API keys yet').waitFor();
    expect(await use(key.keyString)).toBe(401);
  });
});

describe('what a key may do', () => {
  test('is shrunk to what was used with one click, and that is taken back', async () => {
    const key = await makeKey(restricted);
    const { page, problems } = await enter(`/${key.id}`);
    await page.getByText('Nothing was used yet.').waitFor();
    expect(await button(page, 'Keep only what is used').count()).toBe(0);
    expect(await use(key.keyString)).toBe(200);
    await awaitReport(key, 1);
    await page.reload();
    await page.getByText('Requests that need orders:read or orders:write will be refused (403).').waitFor();
    await button(page, 'Keep only what is used').click();
    await toast(page, 'The key keeps only what it uses.').waitFor();
    expect([await use(key.keyString), await use(key.keyString, '/v2/order')]).toEqual([200, 403]);
    await button(page, 'Undo').click();
    await toast(page, 'could before').waitFor();
    expect(await use(key.keyString, '/v2/order')).toBe(200);
    expect(problems).toEqual([]);
  });

  test('is not shrunk when something else was used since the page was loaded', async () => {
    const key = await makeKey(restricted);
    expect(await use(key.keyString)).toBe(200);
    await awaitReport(key, 1);
    // The page asks again by itself now and then; here it shall not.
    const { page } = await enter('');
    await page.clock.install();
    await page.goto(keysPath(`/${key.id}`));
    await button(page, 'Keep only what is used').waitFor();
    expect(await use(key.keyString, '/v2/order')).toBe(200);
    await awaitReport(key, 2);
    await button(page, 'Keep only what is used').click();
    await page.getByText('Something else was used a moment ago, so nothing was changed.').waitFor();
    await page.getByText('Requests that need orders:write will be refused (403).').waitFor();
    expect(await use(key.keyString, '/v2/order')).toBe(200);
  });

  test('is offered as a restricted key, where a secret one did little', async () => {
    const key = await makeKey({ name: 'Backend' });
    expect(await use(key.keyString, '/v2/order')).toBe(200);
    await awaitReport(key, 1);
    const { page } = await enter(`/${key.id}`);
    await page.getByRole('link', { name: 'Make one with just what was used' }).click();
    await heading(page, 'Create a second key').waitFor();
    expect(await field(page, 'Name').inputValue()).toBe('Backend (copy)');
    expect(await page.getByRole('radio', { name: /^Restricted key/ }).isChecked()).toBe(true);
    expect(await permission(page, 'orders:read').isChecked()).toBe(true);
    expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(1);
  });
});

describe('a change', () => {
  test('of name, description and permissions is saved, and says what it takes away', async () => {
    const key = await makeKey(restricted);
    const { page, problems } = await enter(`/${key.id}`);
    await button(page, 'Edit').click();
    const dialog = page.getByRole('dialog', { name: 'Edit key' });
    await field(dialog, 'Name').fill(' ');
    await button(dialog, 'Save').click();
    await dialog.getByText('Name must be one line of 1 to 100 characters.').waitFor();
    await field(dialog, 'Name').fill('Till');
    await field(dialog, 'Description').fill('At the counter');
    await permission(dialog, 'business:read').uncheck();
    await dialog.getByText('Requests that need business:read will be refused (403).').waitFor();
    await button(dialog, 'Save').click();
    await toast(page, 'The changes are saved.').waitFor();
    await heading(page, 'Till').waitFor();
    await page.locator('main').getByText('At the counter').waitFor();
    expect([await use(key.keyString), await use(key.keyString, '/v2/order')]).toEqual([403, 200]);
    expect(problems).toEqual([]);
  });

  test('of the name of a secret key leaves its access as it is', async () => {
    const key = await makeKey();
    const { page } = await enter(`/${key.id}`);
    await button(page, 'Edit').click();
    const dialog = page.getByRole('dialog', { name: 'Edit key' });
    expect(await dialog.getByRole('checkbox').count()).toBe(0);
    await field(dialog, 'Name').fill('Backend');
    await button(dialog, 'Save').click();
    await heading(page, 'Backend').waitFor();
    expect(await use(key.keyString, '/v2/order')).toBe(200);
  });

  test('of a key that ended can only be one of its name', async () => {
    const key = await makeKey({ ...restricted, expiresAt: new Date(Date.now() + 60_000) });
    await query(
      platform.databases.identity,
      "UPDATE api_keys SET created_at = now() - interval '9 days', expires_at = now() - interval '1 day' WHERE id = $1",
      [key.id],
    );
    const { page } = await enter(`/${key.id}`);
    await page.getByText('An expired key cannot be rotated.').waitFor();
    expect(await button(page, 'Rotate key').isDisabled()).toBe(true);
    await button(page, 'Edit').click();
    const dialog = page.getByRole('dialog', { name: 'Edit key' });
    await dialog.getByText('only its name and description can still be changed').waitFor();
    expect(await dialog.getByRole('checkbox').count()).toBe(0);
  });
});

describe('rotation', () => {
  test('says first who would notice, then shows the new string, and the old one is dead', async () => {
    const key = await makeKey(restricted);
    expect(await use(key.keyString, '/v2/order', '2001:db8::7')).toBe(200);
    await awaitReport(key, 1);
    const { page, problems } = await enter(`/${key.id}`);
    await button(page, 'Rotate key').click();
    const dialog = page.getByRole('dialog', { name: 'Rotate “Shop”?' });
    const radius = dialog.getByRole('region', { name: 'What uses this key' });
    await radius.getByText('1 call in the last hour').waitFor();
    expect(await radius.textContent()).toMatch(/in the last 24 hours.*2001:db8::7.*GET \/v2\/order 1 call/);
    await dialog.getByText('The old string stops working at once').waitFor();
    await button(dialog, 'Rotate key').click();
    const { keyString, close } = await takeKey(page, 'Your new key string');
    expect([await use(key.keyString), await use(keyString)]).toEqual([401, 200]);
    await close();
    await page.getByText(`rk_…${keyString.slice(-4)}`).waitFor();
    expect(problems).toEqual([]);
  });

  test('leads to a second key with the same settings instead', async () => {
    const key = await makeKey({ ...restricted, expiresAt: new Date(Date.now() + 30 * 86_400_000) });
    const { page } = await enter(`/${key.id}`);
    await button(page, 'Rotate key').click();
    await page.getByText('Nothing used this key in the last 24 hours.').last().waitFor();
    await page.getByRole('link', { name: 'make a second key with the same settings' }).click();
    await heading(page, 'Create a second key').waitFor();
    expect(await field(page, 'Name').inputValue()).toBe('Shop (copy)');
    expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(3);
    expect(await page.getByRole('radio', { name: '30 days' }).isChecked()).toBe(true);
    await button(page, 'Create key').click();
    const { keyString } = await takeKey(page, 'Your new API key');
    expect([await use(keyString), await use(key.keyString)]).toEqual([200, 200]);
  });

  test('waits for what uses the key, and can do without where that cannot be told', async () => {
    const key = await makeKey(restricted);
    const { page } = await enter(`/${key.id}`);
    await page.getByText('Nothing used this key').waitFor();
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/blast-radius', async (route) => {
      await held;
      await route.fulfill({ status: 404, json: { error: 'Not now.', status: 'Not Found', code: 404 } });
    });
    await button(page, 'Rotate key').click();
    const dialog = page.getByRole('dialog', { name: 'Rotate “Shop”?' });
    await dialog.getByText('Loading').waitFor();
    expect(await button(dialog, 'Rotate key').isDisabled()).toBe(true);
    answer();
    await dialog.getByText('It is not known now what uses this key').waitFor();
    await button(dialog, 'Rotate key').click();
    await page.getByRole('dialog', { name: 'Your new key string' }).waitFor();
  });

  test('that fails says so in its dialog, and works at the next try', async () => {
    const key = await makeKey(restricted);
    const { page } = await enter(`/${key.id}`);
    await page.route('**/rotate', (route) => route.abort());
    await button(page, 'Rotate key').click();
    const dialog = page.getByRole('dialog', { name: 'Rotate “Shop”?' });
    await button(dialog, 'Rotate key').click();
    await dialog.getByRole('alert').getByText('No answer came.').waitFor();
    await page.unroute('**/rotate');
    await button(dialog, 'Rotate key').click();
    await page.getByRole('dialog', { name: 'Your new key string' }).waitFor();
  });
});

describe('deletion', () => {
  test('wants the name, and ends the key', async () => {
    const key = await makeKey(restricted);
    const { page, problems } = await enter(`/${key.id}`);
    await button(page, 'Delete key').click();
    const dialog = page.getByRole('dialog', { name: 'Delete “Shop”?' });
    await dialog.getByText('Nothing used this key in the last 24 hours.').waitFor();
    expect(await button(dialog, 'Delete key').isDisabled()).toBe(true);
    await field(dialog, 'Type Shop to confirm').fill('shop');
    expect(await button(dialog, 'Delete key').isDisabled()).toBe(true);
    await field(dialog, 'Type Shop to confirm').fill('Shop');
    await page.keyboard.press('Enter');
    await toast(page, '“Shop” is deleted.').waitFor();
    await page.getByText('No API keys yet').waitFor();
    expect(await use(key.keyString)).toBe(401);
    await page.evaluate(`history.pushState(null, '', '${keysPath(`/${key.id}`)}')`);
    await heading(page, 'Key not found').waitFor();
    expect(problems).toEqual([]);
  });

  test('says so while gateways cannot be told', async () => {
    const key = await makeKey(restricted);
    const other = await makeKey(restricted);
    const { page } = await enter(`/${key.id}`);
    await page.getByText('Nothing used this key').waitFor();
    await platform.redis?.stop();
    try {
      await button(page, 'Delete key').click();
      await page.getByLabel('Type Shop to confirm').fill('Shop');
      await page.keyboard.press('Enter');
      await toast(page, 'Gateways confirm within 30 seconds').waitFor();
      await page.goto(keysPath(`/${other.id}`));
      await button(page, 'Rotate key').click();
      await button(page.getByRole('dialog'), 'Rotate key').click();
      const dialog = page.getByRole('dialog', { name: 'Your new key string' });
      await dialog.getByText('gateways confirm within 30 seconds').waitFor();
    } finally {
      await platform.redis?.start();
    }
  });
});
