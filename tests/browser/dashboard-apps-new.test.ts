import { describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { expectEventually } from '../harness/expect-eventually.ts';
import { oauthClient } from '../harness/oauth.ts';
import { signUp, signUpVerified } from '../harness/people.ts';
import { addresses, setApps, tab, takeSecret, valuesOf } from './dashboard-apps.ts';
import { focusComesTo, storeSecret, tabTo } from './keyboard.ts';
import { button, field, heading, permission, press, region } from './locators.ts';
import { setStage } from './stage.ts';

/** Registration of apps: the first one, the form, and the limit of three. */

const stage = setStage();
const apps = setApps(stage);

describe('a first app', () => {
  test('is registered, connected by another business with the link of the page, and shown in use', async () => {
    const { page, problems } = await apps.enter();
    await page.getByText('No apps yet').waitFor();
    await page.getByRole('link', { name: 'Register your first app' }).click();
    await heading(page, 'Register an app').waitFor();
    await field(page, 'Name').fill('Parcel Pilot');
    await field(page, 'Description').fill('Prints labels');
    await field(page, 'Redirect URI').fill(stage.shop.redirectUri);
    await permission(page, 'business:read').check();
    await page.getByText('Your current address 127.0.0.1 is not included.').waitFor();
    await press(page, 'Add it');
    await page.getByText('Your current address 127.0.0.1 is included.').waitFor();
    await press(page, 'Register the app');
    const { clientId, clientSecret } = await takeSecret(page, 'Your app is registered');
    expect([clientId, clientSecret]).toEqual([expect.stringMatching(/^app_/), expect.stringMatching(/^cs_/)]);

    await heading(page, 'Parcel Pilot').waitFor();
    await page.getByText('No business has connected this app yet.').waitFor();
    await tab(page, 'Credentials').click();
    await region(page, 'Client ID').getByText(clientId).waitFor();
    await region(page, 'Client secrets')
      .getByText(`cs_…${clientSecret.slice(-4)}`)
      .waitFor();
    expect(await page.content()).not.toContain(clientSecret);
    await region(page, 'Try the OAuth flow').locator('pre').first().waitFor();
    const [url = '', command = ''] = await region(page, 'Try the OAuth flow')
      .locator('pre')
      .allTextContents();
    expect(command).not.toContain(clientSecret);

    const user = await signUpVerified(stage.platform, { businessName: 'Difference Ltd' });
    const theirs = await apps.enter('', {}, user);
    await theirs.page.goto(url);
    await press(theirs.page, 'Approve');
    await theirs.page.waitForURL(stage.shop.lastPage);
    const code = stage.shop.callbacks.at(-1)?.get('code') ?? '';
    const verifier = /code_verifier='([^']+)'/.exec(command)?.[1] ?? '';
    const app = { id: '', businessId: 0, clientId, clientSecret, redirectUri: stage.shop.redirectUri };
    const { status, body } = await oauthClient(stage.platform, app).exchange(code, verifier);
    expect(status).toBe(200);
    expect(await apps.use(String(body.access_token), '127.0.0.1')).toBe(200);

    const used = 'SELECT 1 FROM grants WHERE business_id = $1 AND last_used_at IS NOT NULL';
    await expectEventually(
      async () => expect(await stage.platform.sql(used, [user.businessId])).toHaveLength(1),
      { withinMs: 15_000 },
    );
    await page.reload();
    await tab(page, 'Overview').click();
    const row = region(page, 'Connected businesses').getByRole('row', { name: /Difference Ltd/ });
    await row.getByText('just now').waitFor();
    await region(page, 'Connected businesses').getByText('1 of 50').waitFor();
    await region(page, 'Requests')
      .getByRole('img', { name: /^1 requests? from/ })
      .waitFor();
    expect(
      await region(page, 'IP addresses')
        .getByRole('row', { name: /127\.0\.0\.1/ })
        .textContent(),
    ).toMatch(/127\.0\.0\.111just now/);
    expect(problems).toEqual([]);
  });

  test('is registered with only the keyboard, and Enter adds a row', async () => {
    const { page, problems } = await apps.enter('/new');
    await permission(page, 'orders:read').waitFor();
    await tabTo(page, 'textbox "Name"');
    await page.keyboard.type('By hand');
    await tabTo(page, 'textbox "Description"');
    await page.keyboard.type('Typed');
    await tabTo(page, 'textbox "Redirect URI"');
    await page.keyboard.type('https://shop.example/a');
    await page.keyboard.press('Enter');
    await focusComesTo(page, 'textbox "Redirect URI 2"');
    await page.keyboard.type('https://shop.example/b');
    await page.keyboard.press('Enter');
    // A row that is left empty is removed.
    await page.keyboard.press('Backspace');
    await tabTo(page, 'checkbox "See your orders');
    await page.keyboard.press('Space');
    await tabTo(page, 'textbox "Address or network"');
    await page.keyboard.type('192.0.2.1');
    await tabTo(page, 'textbox "Allowed origin"');
    await page.keyboard.type('https://tool.shop.example');
    await tabTo(page, 'switch "Webhooks"');
    await page.keyboard.press('Space');
    await tabTo(page, 'checkbox "Order paid"');
    await page.keyboard.press('Space');
    await tabTo(page, 'switch "Repeat a lost refresh"');
    await page.keyboard.press('Space');
    await tabTo(page, 'button "Register the app"');
    await page.keyboard.press('Enter');
    await storeSecret(page, 'Your app is registered');
    await heading(page, 'By hand').waitFor();
    const stored = await stage.platform.sql(
      `SELECT redirect_uris, scopes, ip_whitelist, allowed_origins, webhooks_enabled, webhook_events,
         repeat_lost_refresh FROM applications
       WHERE business_id = $1`,
      [apps.ada.businessId],
    );
    expect(stored).toEqual([
      {
        redirect_uris: ['https://shop.example/a', 'https://shop.example/b'],
        scopes: ['orders:read'],
        ip_whitelist: ['192.0.2.1'],
        allowed_origins: ['https://tool.shop.example'],
        webhooks_enabled: true,
        webhook_events: ['order.paid'],
        repeat_lost_refresh: true,
      },
    ]);
    expect(problems).toEqual([]);
  });

  test('is registered once, however often the button is pressed', async () => {
    const { page } = await apps.enter('/new');
    await fillIn(page);
    await button(page, 'Register the app').focus();
    await page.evaluate('for (let presses = 0; presses < 5; presses++) document.activeElement.click()');
    await takeSecret(page, 'Your app is registered');
    await heading(page, 'Shop').waitFor();
    await page.getByRole('link', { name: 'Apps' }).first().click();
    await page.getByText('1 of 3 apps').waitFor();
  });

  test('is not available to an unverified business, and the page explains why with a link to verification', async () => {
    const unverified = await signUp(stage.platform);
    for (const rest of ['', '/new']) {
      const { page } = await apps.enter(rest, {}, unverified);
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
  test('shows the error of each field and entry, moves the focus there, and keeps the input', async () => {
    const { page } = await apps.enter('/new');
    await permission(page, 'orders:read').waitFor();
    const label = (name: string) => page.getByRole('group', { name }).textContent();
    expect(await label('Redirect URIs')).toMatch(/^Redirect URIs \*/);
    expect(await label('Allowed origins')).not.toContain('*');
    await field(page, 'Description').fill('kept');
    await press(page, 'Register the app');
    for (const error of [
      'Enter a name.',
      'Enter at least one redirect URI.',
      'Select at least one permission.',
      'Enter at least one address.',
    ]) {
      await page.getByText(error, { exact: true }).waitFor();
    }
    await focusComesTo(page, 'textbox "Name"');

    await fillIn(page);
    await field(page, 'Description').fill('kept');
    await field(page, 'Redirect URI').fill('https://shop.example/callback');
    await press(page.getByRole('group', { name: 'Redirect URIs' }), 'Add another');
    await focusComesTo(page, 'textbox "Redirect URI 2"');
    await page.keyboard.type('http://shop.example/');
    await field(page, 'Address or network').fill('192.0.2.300');
    // Its error comes while it is typed, and is shown when the focus leaves.
    await field(page, 'Name').focus();
    await page.getByText('"192.0.2.300" is not a valid IP address or network.').waitFor();
    await field(page, 'Address or network').focus();
    await page
      .getByText('"192.0.2.300" is not a valid IP address or network.')
      .waitFor({ state: 'detached' });
    // A press as long as of a hand: the button must not move before its end.
    await button(page, 'Register the app').click({ delay: 300 });
    await page.getByText('A redirect URI must use https; http is for loopback addresses only.').waitFor();
    await page.getByText('"192.0.2.300" is not a valid IP address or network.').waitFor();
    expect(await valuesOf(page.locator('[aria-invalid=true]'))).toEqual([
      'http://shop.example/',
      '192.0.2.300',
    ]);

    // An error stays with its entry when another entry is removed.
    await press(page, 'Remove https://shop.example/callback');
    await page.getByText('A redirect URI must use https; http is for loopback addresses only.').waitFor();
    await field(page, 'Redirect URI').fill('https://shop.example/other');
    await field(page, 'Address or network').fill('192.0.2.3');
    expect(await field(page, 'Description').inputValue()).toBe('kept');
    await press(page, 'Register the app');
    await takeSecret(page, 'Your app is registered');
    await heading(page, 'Shop').waitFor();
  });

  test('accepts a pasted list of addresses, and reports an invalid one during input', async () => {
    const { page } = await apps.enter('/new');
    await addresses(page).first().focus();
    await paste(page, '192.0.2.1\n198.51.100.0/24, 2001:db8::1\nshop.example\n');
    expect(await valuesOf(addresses(page))).toEqual([
      '192.0.2.1',
      '198.51.100.0/24',
      '2001:db8::1',
      'shop.example',
    ]);
    await field(page, 'Name').focus();
    await page.getByText('"shop.example" is not a valid IP address or network.').waitFor();
    await press(page, 'Remove shop.example');
    expect(await page.locator('[aria-invalid=true]').count()).toBe(0);
    await addresses(page).nth(1).fill('0.0.0.0/0');
    await page.getByText('the whole internet').waitFor();
  });

  test('keeps all rows of a list that is too long, and says how many to remove', async () => {
    const { page } = await apps.enter('/new');
    const origins = page.getByRole('group', { name: 'Allowed origins' });
    const rows = origins.getByRole('textbox');
    await rows.first().fill('https://first.example');
    await press(origins, 'Add another');
    await rows.nth(1).fill('https://last.example');
    const pasted = Array.from({ length: 10 }, (_, i) => `https://${i}.example`);
    await rows.first().focus();
    await paste(page, pasted.join('\n'));
    await origins.getByText('At most 10 entries: remove 2.').waitFor();
    expect(await valuesOf(rows)).toEqual(['https://first.example', ...pasted, 'https://last.example']);
    await fillIn(page);
    await press(page, 'Register the app');
    await page.getByRole('alert').filter({ hasText: 'Check the highlighted fields.' }).waitFor();
    await press(origins, 'Remove https://0.example');
    await press(origins, 'Remove https://1.example');
    await origins.getByText('At most 10 entries').waitFor({ state: 'detached' });
    await press(page, 'Register the app');
    await takeSecret(page, 'Your app is registered');
  });
});

/** Pastes a text at the focus, as from the clipboard. */
async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate(`{
    const data = new DataTransfer();
    data.setData('text/plain', ${JSON.stringify(text)});
    const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
    document.activeElement.dispatchEvent(event);
  }`);
}

test('a business can register three apps, and then the list shows how to free a place', async () => {
  for (const name of ['One', 'Two']) await apps.register({ name });
  const { page } = await apps.enter('/new');
  await fillIn(page);
  const listed = page.waitForResponse(
    (response) => response.url().endsWith('/applications') && response.request().method() === 'GET',
  );
  await press(page, 'Register the app');
  // By now the list has reached its limit.
  expect(await (await listed).json()).toMatchObject({ obstacle: { reason: 'application_limit_reached' } });
  await takeSecret(page, 'Your app is registered');
  await heading(page, 'Shop').waitFor();
  await page.getByRole('link', { name: 'Apps' }).first().click();
  await page.getByText('3 of 3 apps').waitFor();
  await page.getByText('A business has at most 3 apps. Delete an app').waitFor();
  expect(await page.getByRole('link', { name: 'Register an app' }).count()).toBe(0);
  await page.goto(apps.path('/new'));
  await page.getByText('A business has at most 3 apps. Delete an app').waitFor();
  expect(await page.getByRole('textbox').count()).toBe(0);
});
