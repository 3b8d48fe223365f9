import { describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { addManyKeys } from '../harness/many-keys.ts';
import { joinBusiness, signUpVerified } from '../harness/people.ts';
import { restricted, setKeys } from './dashboard-keys.ts';
import { failure } from './failure.ts';
import { focusComesTo, tabTo } from './keyboard.ts';
import { button, field, heading, press, region, toast } from './locators.ts';
import { setStage } from './stage.ts';

/** The list of API keys: search, filters, order, and the deletion of several. */

const stage = setStage();
const keys = setKeys(stage);

const names = (page: Page) => page.getByRole('row').getByRole('link').allTextContents();

describe('the list', () => {
  test('is searched and filtered, and the address keeps the filters', async () => {
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
    await keys.make({ name: 'Web shop', expiresAt: inDays(5) });
    await keys.make({ name: 'Backend', type: 'secret' });
    const { id, keyString } = await keys.make({ ...restricted, name: 'Old partner', expiresAt: inDays(1) });
    await stage.platform.sql(
      "UPDATE api_keys SET created_at = now() - interval '9 days', expires_at = now() - interval '2 days' WHERE id = $1",
      [id],
    );
    const { page, problems } = await keys.enter();
    await page.getByText('3 keys').waitFor();
    expect(await page.getByRole('row', { name: /Web shop/ }).textContent()).toContain('Expires in 5 days');
    expect(await page.getByRole('row', { name: /Old partner/ }).textContent()).toContain('Expired');

    await page.getByLabel('Search by name').fill('BACK');
    await page.getByText('1 matching key').waitFor();
    expect(await names(page)).toEqual(['Backend']);
    await press(page, 'Clear search');
    await page.getByText('3 keys').waitFor();
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Expiring soon' }).click();
    await page.getByText('1 matching key').waitFor();
    expect(await names(page)).toEqual(['Web shop']);
    await page.reload();
    await page.getByText('1 matching key').waitFor();
    await page.getByRole('link', { name: 'Web shop' }).click();
    await heading(page, 'Web shop').waitFor();
    await page.goBack();
    await page.getByText('1 matching key').waitFor();
    await page.getByRole('combobox', { name: 'Type' }).click();
    await page.getByRole('option', { name: 'Restricted' }).click();
    await page.getByText('No keys match.').waitFor();
    expect(problems).toEqual([]);

    const search = field(page, 'Search by name or last four characters');
    await page.goto(keys.path());
    await search.fill(keyString);
    await page.getByText('1 matching key').waitFor();
    expect(await names(page)).toEqual(['Old partner']);
    expect(new URL(page.url()).search).toBe(`?search=${keyString.slice(-4)}`);
    await search.fill('x'.repeat(201));
    await page.getByRole('alert').getByText('Must have at most 200 characters.').waitFor();
    expect(await button(page, 'Try again').count()).toBe(0);
  });

  test('is sorted, and the address keeps the order', async () => {
    for (const name of ['Till', 'backend', 'Report']) await keys.make({ name });
    const { page, problems } = await keys.enter();
    await page.getByText('3 keys').waitFor();
    expect(await names(page)).toEqual(['Report', 'backend', 'Till']);
    await page.getByRole('combobox', { name: 'Sort' }).click();
    await page.getByRole('option', { name: 'Name' }).click();
    await page.waitForURL('**/keys?sort=name');
    await expectEventually(async () => expect(await names(page)).toEqual(['backend', 'Report', 'Till']), {
      withinMs: 15_000,
    });
    await page.reload();
    await page.getByText('3 keys').waitFor();
    expect(await names(page)).toEqual(['backend', 'Report', 'Till']);
    expect(problems).toEqual([]);
  });

  test('of more keys than it shows says so, and is searched and filtered over all keys', async () => {
    const id = await addManyKeys(stage.platform, keys.ada.businessId, 1_003);
    const change = (n: number, set: string) =>
      stage.platform.sql(`UPDATE api_keys SET ${set} WHERE id = $1`, [id(n)]);
    await change(1, "name = 'Backend'");
    await change(2, "expires_at = now() + interval '5 days'");
    const { page, problems } = await keys.enter('?status=soon');
    await page.getByText('1 matching key').waitFor();
    expect(await names(page)).toEqual(['key 2']);
    await page.goto(keys.path());
    await page.getByText('Only the 1,000 newest keys are listed. A search or filter finds').waitFor();
    await page.getByRole('combobox', { name: 'Sort' }).click();
    await page.getByRole('option', { name: 'First to expire' }).click();
    await page.getByText('Only the first 1,000 keys are listed.').waitFor();
    await field(page, 'Search by name or last four characters').fill('key');
    await page.getByText('Only the first 1,000 matching keys are listed. A narrower search').waitFor();
    await field(page, 'Search by name or last four characters').fill('backend');
    await page.getByText('1 matching key').waitFor();
    await page.getByRole('link', { name: 'Backend' }).click();
    await heading(page, 'Backend').waitFor();
    expect(problems).toEqual([]);
  });

  test('shows a hundred keys fifty at a time', async () => {
    await addManyKeys(stage.platform, keys.ada.businessId, 100);
    const { page } = await keys.enter();
    await page.getByText('100 keys').waitFor();
    expect(await names(page)).toHaveLength(50);
    await press(page, 'Show more');
    await page.getByRole('row').nth(100).waitFor();
    expect(await button(page, 'Show more').count()).toBe(0);
  });

  test('shows the reason of a failed load with the request ID, and loads on retry', async () => {
    await keys.make();
    const { page } = await keys.enter('/new');
    const list = '**/api-keys';
    await page.route(list, (route) => route.fulfill(failure));
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('alert').getByText('req-of-this-failure').waitFor();
    await page.unroute(list);
    await press(page, 'Try again');
    await page.getByRole('link', { name: 'Shop' }).waitFor();
  });
});

describe('a selection', () => {
  const box = (page: Page, name: string) =>
    page.getByRole('checkbox', { name: new RegExp(`^Select ${name} `) });
  const selectAll = (page: Page) => page.getByRole('checkbox', { name: /^Select all/ });
  const bar = (page: Page) => region(page, 'Selected keys');

  test('is made and deleted with the keyboard, after the dialog has shown names and last uses', async () => {
    const [shop, backend, till] = [
      await keys.make(restricted),
      await keys.make({ name: 'Backend' }),
      await keys.make({ name: 'Till' }),
    ];
    await stage.platform.sql("UPDATE api_keys SET last_used_at = now() - interval '2 hours' WHERE id = $1", [
      shop.id,
    ]);
    const { page, problems } = await keys.enter();
    await page.getByText('3 keys').waitFor();
    await box(page, 'Backend').focus();
    await page.keyboard.press('Space');
    await tabTo(page, 'checkbox "Select Shop rk_');
    await page.keyboard.press('Space');
    await page.getByRole('status').getByText('3 keys, 2 selected').waitFor();
    await tabTo(page, 'button "Delete"');
    expect(await bar(page).textContent()).toContain('2 keys selected');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Delete 2 API keys?' });
    await dialog.getByText('1 of 2 keys was used in the last 24 hours.').waitFor();
    expect(await dialog.getByRole('listitem').allTextContents()).toEqual([
      expect.stringMatching(/^Shop rk_….{4}, used 2 hours ago$/),
      expect.stringMatching(/^Backend sk_….{4}$/),
    ]);
    expect(await button(dialog, 'Delete 2 keys').isDisabled()).toBe(true);
    await field(dialog, 'Type 2 keys to confirm').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('2 keys');
    await page.keyboard.press('Enter');
    await toast(page, '2 keys deleted.').waitFor();
    await page.getByText('1 key', { exact: true }).waitFor();
    await focusComesTo(page, 'checkbox "Select all 1 shown"');
    expect(await bar(page).count()).toBe(0);
    const uses = [shop, backend, till].map(({ keyString }) => keys.use(keyString));
    expect(await Promise.all(uses)).toEqual([401, 401, 200]);
    expect(problems).toEqual([]);
  });

  test('of all shown keys has at most a hundred to delete, and the dialog names ten', async () => {
    await addManyKeys(stage.platform, keys.ada.businessId, 101);
    const { page, problems } = await keys.enter();
    await page.getByText('101 keys').waitFor();
    await selectAll(page).check();
    await bar(page).getByText('50 keys selected').waitFor();
    await press(page, 'Show more');
    await press(page, 'Show more');
    expect(await selectAll(page).isChecked()).toBe(false);
    await selectAll(page).check();
    await bar(page).getByText('101 keys selected').waitFor();
    await bar(page).getByText('You can delete 100 at a time.').waitFor();
    expect(await button(bar(page), 'Delete').isDisabled()).toBe(true);
    await box(page, 'key 101').uncheck();
    await press(bar(page), 'Delete');
    const dialog = page.getByRole('dialog', { name: 'Delete 100 API keys?' });
    expect(await dialog.getByRole('listitem').count()).toBe(11);
    await dialog.getByText('and 90 more').waitFor();
    await field(dialog, 'Type 100 keys to confirm').fill('100 keys');
    await press(dialog, 'Delete 100 keys');
    await toast(page, '100 keys deleted.').waitFor();
    await page.getByText('1 key', { exact: true }).waitFor();
    expect(await names(page)).toEqual(['key 101']);
    expect(problems).toEqual([]);
  });

  test('shows and counts only selected keys that match the search', async () => {
    for (const name of ['Till', 'Backend']) await keys.make({ name });
    const { page } = await keys.enter();
    await box(page, 'Till').check();
    await field(page, 'Search by name or last four characters').fill('back');
    await page.getByText('1 matching key', { exact: true }).waitFor();
    expect(await bar(page).count()).toBe(0);
    await box(page, 'Backend').check();
    await bar(page).getByText('1 key selected').waitFor();
    await press(page, 'Clear search');
    await bar(page).getByText('2 keys selected').waitFor();
    await press(bar(page), 'Clear selection');
    await focusComesTo(page, 'checkbox "Select all 2 shown"');
    expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(0);
  });

  test('may include a key that another person deletes first', async () => {
    const [till] = [await keys.make({ name: 'Till' }), await keys.make({ name: 'Backend' })];
    const { page, problems } = await keys.enter();
    await selectAll(page).check();
    await press(bar(page), 'Delete');
    const dialog = page.getByRole('dialog', { name: 'Delete 2 API keys?' });
    await field(dialog, 'Type 2 keys to confirm').fill('2 keys');
    const other = await openDashboard(keys.ada, keys.ada.browser);
    expect((await other.own('DELETE', `/api-keys/${till.id}`)).status).toBe(200);
    await press(dialog, 'Delete 2 keys');
    await toast(page, '1 key deleted. 1 was gone already.').waitFor();
    await page.getByText('No API keys yet').waitFor();
    expect(problems).toEqual([]);
  });

  test('is not available to viewers', async () => {
    await keys.make();
    const viewer = await signUpVerified(stage.platform);
    await joinBusiness(stage.platform, viewer, keys.ada.businessId, 'viewer');
    const { page } = await keys.enter('', {}, viewer);
    await page.getByRole('link', { name: 'Shop' }).waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(0);
  });
});
