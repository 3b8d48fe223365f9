import { expect, test } from '@jest/globals';
import { openDashboard } from '../harness/dashboard.ts';
import { findRequest } from '../harness/recorded-requests.ts';
import { setKeys, takeKey } from './dashboard-keys.ts';
import { button, field, permission, press, region, toast } from './locators.ts';
import { setStage } from './stage.ts';

/** Whether an API key is accepted: its freeze, its addresses, its end. */

const stage = setStage();
const keys = setKeys(stage);

test('a key is frozen with a reason, its page and the list say so, and the freeze is lifted', async () => {
  const key = await keys.make();
  const { page, problems } = await keys.enter(`/${key.id}`);
  await press(page, 'Freeze key');
  const dialog = page.getByRole('dialog', { name: 'Freeze “Shop”?' });
  await dialog.getByText('Not used in the last 24 hours.').waitFor();
  await field(dialog, 'Reason').fill('seen in a log');
  await press(dialog, 'Freeze key');
  await toast(page, '“Shop” frozen.').waitFor();
  const notice = page.getByRole('status').filter({ hasText: 'This key is frozen' });
  await notice.getByText(`by ${keys.ada.name}.`).waitFor();
  await notice.getByText('Reason: seen in a log').waitFor();
  expect(await keys.use(key.keyString)).toBe(403);
  await page.goto(keys.path('?status=frozen'));
  await page.getByRole('row', { name: /Shop/ }).getByText('Frozen', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Shop' }).click();
  await press(page, 'Lift the freeze');
  await press(page.getByRole('dialog', { name: 'Lift the freeze of “Shop”?' }), 'Lift the freeze');
  await toast(page, 'Freeze lifted.').waitFor();
  await button(page, 'Freeze key').waitFor();
  await notice.waitFor({ state: 'detached' });
  expect(await keys.use(key.keyString)).toBe(200);
  expect(problems).toEqual([]);
});

test('a key is limited to addresses that used it, asks before it blocks one, and a refused request adds it', async () => {
  const key = await keys.make();
  for (const address of ['192.0.2.1', '2001:db8::7']) {
    expect(await keys.use(key.keyString, '/v2/order', address)).toBe(200);
  }
  await keys.awaitReport(key, 2);
  const { page, problems } = await keys.enter(`/${key.id}`);
  await press(page, 'Edit');
  const dialog = page.getByRole('dialog', { name: 'Edit key' });
  await dialog.getByText('This key was used in the last 30 days from:').waitFor();
  await press(dialog, 'Add 192.0.2.1');
  await dialog.getByText('An address that this key uses would be blocked').waitFor();
  await press(dialog, 'Save');
  const question = page.getByRole('dialog', { name: 'Block addresses that are in use?' });
  await question.getByText('2001:db8::7').waitFor();
  await press(question, 'Save and block them');
  await toast(page, 'Changes saved.').waitFor();
  await page.locator('dl').getByText('192.0.2.1', { exact: true }).waitFor();
  expect(await keys.use(key.keyString, '/v2/order', '192.0.2.1')).toBe(200);

  const headers = { 'X-Forwarded-For': '2001:db8::7' };
  const refused = await stage.platform.request(0, 'GET', '/v2/order', { key: key.keyString, headers });
  const requests = await openDashboard(keys.ada, keys.ada.browser);
  const { id } = await findRequest(requests, String(refused.headers['x-request-id']));
  await page.goto(`/dashboard/${keys.ada.businessId}/settings/developers/requests/${id}`);
  await page.getByText('The address 2001:db8::7 is not on the IP whitelist of the key.').first().waitFor();
  await press(page, 'Add 2001:db8::7 to the whitelist');
  await page.getByText('2001:db8::7 is on the IP whitelist now.').waitFor();
  expect(await keys.use(key.keyString, '/v2/order', '2001:db8::7')).toBe(200);
  expect(problems).toEqual([]);
});

test('an owner limits the lifetime of new keys, sees how many do not meet it, and the form offers no other', async () => {
  await keys.make();
  const { page, problems } = await keys.enter('/new');
  await page.getByText('Expires after').waitFor();
  expect(await page.getByRole('radio', { name: 'Never' }).isEnabled()).toBe(true);
  await page.goto(`/dashboard/${keys.ada.businessId}/settings/business`);
  const panel = region(page, 'Lifetime of API keys');
  await panel.getByRole('radio', { name: 'Lifetime is limited' }).check();
  await field(panel, 'Days').fill('5000');
  await panel.getByText('Enter 1 to 3,650 days.').waitFor();
  expect(await button(panel, 'Save').isDisabled()).toBe(true);
  await field(panel, 'Days').fill('60');
  await panel.getByText('1 existing key does not meet this rule. It keeps working.').waitFor();
  await press(panel, 'Save');
  await toast(page, 'Changes saved.').waitFor();

  await page.goto(keys.path('/new'));
  await page.getByText('Your business allows new keys to last at most 60 days.').waitFor();
  const choices = ['7 days', '30 days', '90 days', '1 year', 'Custom date', 'Never'];
  const radios = choices.map((name) => page.getByRole('radio', { name, exact: true }));
  expect(await Promise.all(radios.map((radio) => radio.isEnabled()))).toEqual([
    ...[true, true, false, false, true, false],
  ]);
  expect(await page.getByRole('radio', { name: '30 days' }).isChecked()).toBe(true);
  await field(page, 'Name').fill('Report');
  await permission(page, 'orders:read').check();
  await page.getByRole('radio', { name: 'Custom date' }).check();
  await field(page, 'Last day').fill('2999-01-01');
  await press(page, 'Create key');
  await page.getByText('or an earlier day: Your business allows').waitFor();
  await page.getByRole('radio', { name: '30 days' }).check();
  await press(page, 'Create key');
  const { keyString } = await takeKey(page, 'Your new API key');
  expect(await keys.use(keyString, '/v2/order')).toBe(200);
  expect(problems).toEqual([]);
});
