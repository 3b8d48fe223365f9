import { expect, test } from '@jest/globals';
import { axeViolations } from './axe-violations.ts';
import { restricted, setKeys } from './dashboard-keys.ts';
import { field, permission, press } from './locators.ts';
import { phone, widthOf } from './screens.ts';
import { setStage } from './stage.ts';

/** Dialogs say what a change would have refused. */

const stage = setStage();
const keys = setKeys(stage);

test('while a key is edited, its limit lowered or it is deleted, the dialog names the requests that this would have refused', async () => {
  const key = await keys.make(restricted);
  const sent = [
    ['/v2/order', '192.0.2.1'],
    ['/v2/order', '192.0.2.1'],
    ['/v2/businesses/me', '2001:db8::7'],
  ] as const;
  for (const [path, address] of sent) expect(await keys.use(key.keyString, path, address)).toBe(200);
  await keys.awaitReport(key, sent.length);
  for (const options of [{}, { colorScheme: 'dark' as const }, { viewport: phone }]) {
    const { page, problems } = await keys.enter(`/${key.id}`, options);
    await press(page, 'Edit');
    const dialog = page.getByRole('dialog', { name: 'Edit key' });
    await permission(dialog, 'orders:write').uncheck();
    await dialog.getByText('None of the 3 requests of the last 7 days would have been refused.').waitFor();
    await permission(dialog, 'orders:read').uncheck();
    const forecast = dialog
      .getByRole('status')
      .filter({ hasText: '2 of 3 requests would have been refused' });
    await forecast.getByText('GET /v2/order from 192.0.2.1 (2).').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    expect(await widthOf(page)).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
    await forecast.getByRole('link', { name: 'Show' }).click();
    await page.getByRole('heading', { name: 'Requests', level: 1 }).waitFor();
    expect(page.url()).toMatch(/requests\?span=7d&credential=key_\w+&address=192.0.2.1&method=GET&route=/);
    await page.goto(keys.path(`/${key.id}`));
    await press(page, 'Lower the limit');
    await field(page, 'Requests in any hour').fill('2');
    await page.getByText('1 of 3 requests would have been refused').waitFor();
    await page.keyboard.press('Escape');
    await press(page, 'Delete key');
    await page.getByText('3 of 3 requests would have been refused').waitFor();
    expect(problems).toEqual([]);
  }
});
