import { expect, test } from '@jest/globals';
import { auditAccessibility } from './accessibility-audit.ts';
import { restricted, setKeys, takeKey } from './dashboard-keys.ts';
import { heading, press, region } from './locators.ts';
import { setStage } from './stage.ts';

/** Calls with strings that were rotated or deleted, on the pages of keys and requests. */

const stage = setStage();
const keys = setKeys(stage);

test('calls with the old string show in the dialog that rotated the key, on its page and in the list', async () => {
  const key = await keys.make(restricted);
  const { page, problems } = await keys.enter(`/${key.id}`);
  await press(page, 'Rotate key');
  await press(page.getByRole('dialog', { name: 'Rotate “Shop”?' }), 'Rotate key');
  const { dialog, close } = await takeKey(page, 'Your new key string');
  const calls = region(dialog, 'Calls with old strings of this key');
  await calls.getByText('None so far.').waitFor();
  for (const address of ['192.0.2.7', '192.0.2.8']) {
    expect(await keys.use(key.keyString, '/v2/order', address)).toBe(401);
  }
  const use = /…\w{4}, rotated .*: 2 refused calls, the last from 192\.0\.2\.8 just now\./;
  await calls.getByText(use).waitFor();
  expect(await auditAccessibility(page)).toEqual([]);
  await close();
  await region(page, 'Calls with old strings').getByText(use).waitFor();
  expect(await auditAccessibility(page)).toEqual([]);
  await page.goto(keys.path());
  await page.getByText('Old string still in use: 2 refused calls').waitFor();
  expect(await auditAccessibility(page)).toEqual([]);
  expect(problems).toEqual([]);
});

test('a deleted key that is still called shows by its name, with its requests', async () => {
  const key = await keys.make({ name: 'Warehouse' });
  await stage.platform.deleteKey(key);
  expect(await keys.use(key.keyString)).toBe(401);
  const { page, problems } = await keys.enter();
  const deleted = region(page, 'Calls with deleted keys');
  await deleted
    .getByText(/^Warehouse: …\w{4}, deleted .*: 1 refused call, the last from 192\.0\.2\.7/)
    .waitFor();
  expect(await auditAccessibility(page)).toEqual([]);
  await deleted.getByRole('link', { name: '1 refused call' }).click();
  await heading(page, 'Requests').waitFor();
  await page.getByText('The key was deleted').first().waitFor();
  expect(await page.getByRole('combobox', { name: 'Key or app' }).inputValue()).toBe('Warehouse');
  expect(problems).toEqual([]);
});
