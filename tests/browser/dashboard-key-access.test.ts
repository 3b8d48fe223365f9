import { expect, test } from '@jest/globals';
import { setKeys } from './dashboard-keys.ts';
import { button, field, press, toast } from './locators.ts';
import { setStage } from './stage.ts';

/** What an API key is good for: its freeze. */

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
