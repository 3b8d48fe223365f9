import { describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { expectEventually } from '../harness/expect-eventually.ts';
import { addManyKeys } from '../harness/many-keys.ts';
import { restricted, setKeys } from './dashboard-keys.ts';
import { failure } from './failure.ts';
import { button, field, heading, press } from './locators.ts';
import { setStage } from './stage.ts';

/** The list of API keys: search, filters and order. */

const stage = setStage();
const keys = setKeys(stage);

const names = (page: Page) => page.getByRole('row').getByRole('link').allTextContents();

describe('the list', () => {
  test('is searched and filtered, and the address keeps the filters', async () => {
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
    await keys.make({ name: 'Web shop', expiresAt: inDays(5) });
    await keys.make({ name: 'Backend', type: 'secret' });
    const { id } = await keys.make({ ...restricted, name: 'Old partner', expiresAt: inDays(1) });
    await stage.platform.sql(
      "UPDATE api_keys SET created_at = now() - interval '9 days', expires_at = now() - interval '2 days' WHERE id = $1",
      [id],
    );
    const { page, problems } = await keys.enter();
    await page.getByText('3 keys').waitFor();
    expect(await page.getByRole('row', { name: /Web shop/ }).textContent()).toContain('Expires in 4 days');
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

  test('of more keys than it shows is searched and filtered as a whole, and says that it is not whole', async () => {
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

  test('that cannot be loaded shows its reason and the id of the request, and loads on retry', async () => {
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
