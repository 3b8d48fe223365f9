import { describe, expect, test } from '@jest/globals';
import { backAndForth } from './back-and-forth.ts';
import { restricted, setKeys, takeKey } from './dashboard-keys.ts';
import { holdRequests } from './hold-requests.ts';
import { field, permission, press } from './locators.ts';
import { setStage } from './stage.ts';

/** Responses that come late, or not at all, and what the person does meanwhile. */

const stage = setStage();
const keys = setKeys(stage);

describe('a string that is shown once', () => {
  test('is shown to a person who goes back while it is made', async () => {
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

  test('of a new key is shown to a person who goes back while it is made', async () => {
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
});
