import { describe, expect, test } from '@jest/globals';
import { pastedCurl } from '../harness/shell.ts';
import { axeViolations } from './axe-violations.ts';
import { backAndForth } from './back-and-forth.ts';
import { setKeys, takeKey } from './dashboard-keys.ts';
import { focusComesTo, storeSecret, tabTo } from './keyboard.ts';
import { button, field, heading, permission, press, region } from './locators.ts';
import { phone, widthOf } from './screens.ts';
import { setStage } from './stage.ts';

/** Creation of API keys. */

const stage = setStage();
const keys = setKeys(stage);

describe('a new key that the browser cannot copy is shown selected with a message', () => {
  test.each([
    ['without a clipboard, as over http', 'delete Navigator.prototype.clipboard'],
    ['with one that is not allowed', 'Clipboard.prototype.writeText = () => Promise.reject(new Error())'],
  ])('%s', async (_, circumstance) => {
    const { page, problems } = await keys.enter('/new');
    await page.evaluate(circumstance);
    await field(page, 'Name').fill('Web shop');
    await permission(page, 'business:read').check();
    await press(page, 'Create key');
    const dialog = page.getByRole('dialog', { name: 'Your new API key' });
    const key = await dialog.locator('code').first().textContent();
    await press(dialog, 'Copy the key');
    await page.getByText('The text is selected').waitFor();
    const text = page.getByLabel('Your browser did not let this page copy the key.');
    const selected =
      '(({ value, selectionStart: from, selectionEnd: to }) => value.slice(from, to))(document.activeElement)';
    await text.and(page.locator(':focus')).waitFor();
    expect(await page.evaluate(selected)).toBe(key);
    expect(await text.inputValue()).toBe(key);
    await page.keyboard.press('Escape');
    await text.waitFor({ state: 'detached' });
    expect(await dialog.isVisible()).toBe(true);
    expect(problems).toEqual([]);
  });
});

test('a link of a program fills in the form, and the person creates the key', async () => {
  const link = new URLSearchParams({ name: 'business-api on host', scopes: 'orders:read events:read' });
  const { page, problems } = await keys.enter(`/new?${link}`);
  await page.getByText('Filled in by the program that sent you here.').waitFor();
  expect(await field(page, 'Name').inputValue()).toBe('business-api on host');
  expect(await permission(page, 'orders:read').isChecked()).toBe(true);
  expect(await permission(page, 'orders:write').isChecked()).toBe(false);
  await press(page, 'Create key');
  const { keyString, close } = await takeKey(page, 'Your new API key');
  expect(keyString).toMatch(/^rk_/);
  await close();
  await page.getByText('Expires').first().waitFor();
  expect(problems).toEqual([]);
});

describe('a first key', () => {
  test('is created, shown once, used, and its use is shown', async () => {
    const { page, problems } = await keys.enter();
    await page.getByText('No API keys yet').waitFor();
    await page.getByText('Can do everything the API offers for your business.').waitFor();
    await page.getByRole('link', { name: 'Create your first key' }).click();
    await heading(page, 'Create an API key').waitFor();
    await page.getByText('Cannot be changed later.', { exact: true }).waitFor();
    await page.getByText('Cannot be changed later. A second key').waitFor();
    await field(page, 'Name').fill('Web shop');
    await field(page, 'Description').fill('Production');
    await permission(page, 'business:read').check();
    await page.getByRole('radio', { name: '30 days' }).click();
    await press(page, 'Create key');

    const { keyString, command, close } = await takeKey(page, 'Your new API key');
    expect(keyString).toMatch(/^rk_/);
    const { url, headers } = pastedCurl(command ?? '');
    expect([url, headers]).toEqual([
      `${stage.platform.publicUrl}/v2/businesses/me`,
      { Authorization: `Bearer ${keyString}` },
    ]);
    expect((await page.request.get(url, { headers })).status()).toBe(200);
    await close();

    await heading(page, 'Web shop').waitFor();
    await page.getByText(`rk_…${keyString.slice(-4)}`).waitFor();
    // The page polls every ten seconds.
    await region(page, 'Permissions')
      .getByText(/^Used /)
      .waitFor();
    await region(page, 'Usage').getByText('1 request in the last hour').waitFor();
    await region(page, 'Rate limit').getByText('9,999 of 10,000 requests left').waitFor();
    expect(await page.content()).not.toContain(keyString);
    await page.getByRole('link', { name: 'API keys' }).first().click();
    const row = page.getByRole('row', { name: /Web shop/ });
    await row.getByText('from 127.0.0.1').waitFor();
    expect(await row.textContent()).toMatch(
      /Restricted.*Active.*Expires.*(just now|minutes? ago).*9,999of 10,000/,
    );
    expect(problems).toEqual([]);
  });

  test('stays visible when the person goes back', async () => {
    const { page, problems } = await keys.enter();
    await page.getByRole('link', { name: 'Create your first key' }).click();
    await field(page, 'Name').fill('Web shop');
    await permission(page, 'business:read').check();
    await press(page, 'Create key');
    const { keyString, dialog, close } = await takeKey(page, 'Your new API key');
    await backAndForth(page);
    expect(await dialog.locator('code').first().textContent()).toBe(keyString);
    await close();
    await heading(page, 'Web shop').waitFor();
    await page.goBack();
    await heading(page, 'Create an API key').waitFor();
    expect(problems).toEqual([]);
  });

  test('is created with the keyboard alone', async () => {
    const { page, problems } = await keys.enter('/new');
    await heading(page, 'Create an API key').waitFor();
    await permission(page, 'business:read').waitFor();
    await tabTo(page, 'textbox "Name"');
    await page.keyboard.type('By hand');
    await tabTo(page, 'radio "Restricted key');
    await page.keyboard.press('ArrowRight');
    expect(await page.getByRole('checkbox').count()).toBe(0);
    await page.keyboard.press('ArrowLeft');
    await tabTo(page, 'checkbox "See your orders');
    await page.keyboard.press('Space');
    await tabTo(page, 'radio "90 days"');
    await page.keyboard.press('ArrowRight');
    await tabTo(page, 'button "Create key"');
    await page.keyboard.press('Enter');
    await storeSecret(page, 'Your new API key');
    await heading(page, 'By hand').waitFor();
    const [key] = await stage.platform.sql<{ days: number; scopes: string[] }>(
      `SELECT extract(day FROM expires_at - created_at)::int AS days, scopes FROM api_keys WHERE business_id = $1`,
      [keys.ada.businessId],
    );
    expect(key?.scopes).toEqual(['orders:read']);
    expect(key?.days).toBeGreaterThanOrEqual(364);
    expect(problems).toEqual([]);
  });

  test('is created once, however often the button is pressed', async () => {
    const { page } = await keys.enter('/new');
    await field(page, 'Name').fill('Once');
    await page.getByRole('radio', { name: /^Secret key/ }).click();
    await button(page, 'Create key').focus();
    await page.evaluate('for (let presses = 0; presses < 5; presses++) document.activeElement.click()');
    const asked = page.getByRole('dialog', { name: 'Is it you?' });
    await asked.getByLabel('Your password').fill('not the password');
    await press(asked, 'Continue');
    await asked.getByText('Incorrect password').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await asked.getByLabel('Your password').fill(keys.ada.password);
    await press(asked, 'Continue');
    await page.getByRole('dialog', { name: 'Your new API key' }).waitFor();
    const apiKeys = await stage.platform.listKeys(keys.ada.businessId);
    expect(apiKeys).toHaveLength(1);
  });

  test('fits on a phone', async () => {
    const { page } = await keys.enter('', { viewport: phone });
    await page.getByRole('link', { name: 'Create a key' }).click();
    await field(page, 'Name').fill('N'.repeat(100));
    await permission(page, 'orders:read').check();
    await press(page, 'Create key');
    const { close } = await takeKey(page, 'Your new API key');
    await close();
    await heading(page, 'N'.repeat(100)).waitFor();
    expect(await widthOf(page)).toBeLessThanOrEqual(390);
    await page.getByRole('link', { name: 'API keys' }).first().click();
    await page.getByRole('list', { name: 'API keys' }).getByRole('link').waitFor();
    expect(await widthOf(page)).toBeLessThanOrEqual(390);
  });
});

describe('the form', () => {
  test('shows the error of each field, moves the focus there, and keeps the input', async () => {
    const { page } = await keys.enter('/new');
    await permission(page, 'orders:read').waitFor();
    await field(page, 'Description').fill('kept');
    await page.getByRole('radio', { name: 'Custom date' }).click();
    await page.getByLabel('Last day').fill('2020-01-31');
    await press(page, 'Create key');
    await page.getByText('Enter a name.').waitFor();
    await page.getByText('Select at least one permission.').waitFor();
    await page.getByText('Select today or a later day.').waitFor();
    await focusComesTo(page, 'textbox "Name"');

    await field(page, 'Name').fill('n'.repeat(101));
    await permission(page, 'orders:read').check();
    await page.getByRole('radio', { name: 'Never' }).click();
    await press(page, 'Create key');
    await page.getByText('Name must be one line of 1 to 100 characters.').waitFor();
    expect(await field(page, 'Description').inputValue()).toBe('kept');
    await field(page, 'Name').fill('Short');
    await press(page, 'Create key');
    await page.getByRole('dialog', { name: 'Your new API key' }).waitFor();
  });

  test.each([
    ['business:read', '/v2/businesses/me', 200],
    ['orders:read', '/v2/order', 200],
    ['orders:write', '/v2/order', 201],
  ])('shows a request to paste that a key for %s may send', async (scope, path, status) => {
    const { page } = await keys.enter('/new');
    await field(page, 'Name').fill('Try');
    await permission(page, scope).check();
    await press(page, 'Create key');
    const { command } = await takeKey(page, 'Your new API key');
    const { url, headers, body } = pastedCurl(command ?? '');
    expect(url).toBe(`${stage.platform.publicUrl}${path}`);
    const response = await (body === undefined
      ? page.request.get(url, { headers })
      : page.request.post(url, { headers, data: body }));
    expect(response.status()).toBe(status);
  });

  test('shows no request to paste for a key that no endpoint accepts', async () => {
    const { page } = await keys.enter('/new');
    await field(page, 'Name').fill('Events');
    await permission(page, 'events:read').check();
    await press(page, 'Create key');
    expect((await takeKey(page, 'Your new API key')).command).toBeNull();
  });
});
