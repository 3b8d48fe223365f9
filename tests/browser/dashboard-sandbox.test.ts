import { expect, test } from '@jest/globals';
import { signUp } from '../harness/people.ts';
import { toast } from './locators.ts';
import { setStage } from './stage.ts';

const stage = setStage();

/** Toasts cover nothing that is pressed. */
const tall = { width: 1280, height: 1100 };

test('a sandbox is made with one press, is marked on every page, gets orders, loses them and ends', async () => {
  const ada = await signUp(stage.platform);
  const { page, problems } = await stage.enterAs(ada, '/dashboard', { viewport: tall });
  await page.getByRole('link', { name: 'Try apps in a sandbox' }).click();
  await page.getByRole('button', { name: 'Create a sandbox' }).click();
  await page.getByRole('heading', { level: 1, name: 'Sandbox' }).waitFor();
  const [sandbox] = await stage.platform.sql<{ business_id: string }>(
    'SELECT business_id FROM sandboxes WHERE person_id = $1',
    [ada.id],
  );
  const businessId = Number(sandbox?.business_id);
  expect(new URL(page.url()).pathname).toBe(`/dashboard/${businessId}/sandbox`);

  const { keyString: key } = await stage.platform.createKey({ businessId });
  const orders = async () =>
    (await stage.platform.request(0, 'GET', '/v2/order?limit=100', { key })).text.split('"ord_').length - 1;
  await page.getByRole('button', { name: 'Add 50 orders in all states' }).click();
  await toast(page, '50 orders added.').waitFor();
  expect(await orders()).toBe(50);

  await page.getByRole('button', { name: 'Delete all orders' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete all orders' }).click();
  await toast(page, 'All orders deleted.').waitFor();
  expect(await orders()).toBe(0);

  const mark = page.getByText('This is a sandbox: nothing here reaches a real business.');
  for (const name of ['Overview', 'API Keys', 'Audit log']) {
    await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await mark.waitFor();
  }

  // The switcher keeps the section, which another business does not have.
  await page.getByRole('link', { name: 'Invented orders and its end' }).click();
  await page.getByRole('button', { name: 'Switch business' }).click();
  await page.getByRole('menuitemradio', { name: 'Analytical Engines' }).click();
  await page.waitForURL(`**/dashboard/${ada.businessId}`);
  await page.goBack();
  await page.goto(`/dashboard/${businessId}/sandbox`);
  await page.getByRole('button', { name: 'End this sandbox' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill('Sandbox');
  await dialog.getByRole('button', { name: 'End this sandbox' }).click();
  await toast(page, 'Sandbox has ended.').waitFor();
  await page.waitForURL(`**/dashboard/${ada.businessId}`);
  await mark.waitFor({ state: 'hidden' });
  expect((await stage.platform.me(key)).status).toBe(401);
  expect(problems).toEqual([]);
});
