import { expect, test } from '@jest/globals';
import type { BrowserContextOptions } from 'playwright-core';
import { z } from 'zod';
import { openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { joinBusiness, signUpVerified, type TestPerson } from '../harness/people.ts';
import { button, field, press, region, toast } from './locators.ts';
import { phone, widthOf } from './screens.ts';
import { setStage } from './stage.ts';

/** The record of a business: names and logo, changed by its owner. */

const stage = setStage();

const enter = (person: TestPerson, options: BrowserContextOptions = {}, businessId = person.businessId) =>
  stage.enterAs(person, `/dashboard/${businessId}/settings/business`, options);

async function logoOf({ businessId }: TestPerson): Promise<string> {
  const { keyString } = await stage.platform.createKey({ businessId });
  const me = await stage.platform.me(keyString);
  return z.object({ logo: z.string() }).parse(me.json()).logo;
}

test('an owner renames the business, sees errors at their fields, and can change the username in 30 days', async () => {
  const [ada, eve] = [await signUpVerified(stage.platform), await signUpVerified(stage.platform)];
  const taken = `taken-${eve.businessId}`;
  const { page: theirs } = await enter(eve);
  await press(region(theirs, 'Record'), 'Edit');
  await field(theirs.getByRole('dialog'), 'Username').fill(taken);
  await press(theirs.getByRole('dialog'), 'Save');
  await region(theirs, 'Record').getByText(`@${taken}`).waitFor();

  const { page, problems } = await enter(ada);
  const record = region(page, 'Record');
  await press(record, 'Edit');
  const dialog = page.getByRole('dialog', { name: 'Edit the record' });
  await field(dialog, 'Display name').fill('Difference Engines');
  await field(dialog, 'Username').fill(taken);
  await press(dialog, 'Save');
  await dialog.getByText('The username is taken.').waitFor();
  await field(dialog, 'Username').and(page.locator(':focus')).waitFor();
  await field(dialog, 'Username').fill(`engines-new-${ada.businessId}`);
  await dialog.getByText('The username is taken.').waitFor({ state: 'detached' });
  expect(await dialog.getByRole('alert').count()).toBe(0);
  await page.keyboard.press('Enter');
  await toast(page, 'Changes saved.').waitFor();
  await dialog.waitFor({ state: 'detached' });
  await record.getByText('Difference Engines', { exact: true }).waitFor();
  await page.getByRole('banner').getByText('Difference Engines').first().waitFor();

  await press(record, 'Edit');
  await dialog.getByText('You can change it again on').waitFor();
  expect(await field(dialog, 'Username').isDisabled()).toBe(true);
  expect(await button(dialog, 'Save').isDisabled()).toBe(true);
  expect(problems).toEqual([]);
});

test('a change of the username keeps the name that another owner has changed in the meantime', async () => {
  const ada = await signUpVerified(stage.platform);
  const { page, problems } = await enter(ada);
  const record = region(page, 'Record');
  await press(record, 'Edit');
  const dialog = page.getByRole('dialog', { name: 'Edit the record' });
  await field(dialog, 'Username').fill(`engines-only-${ada.businessId}`);
  const other = await openDashboard(ada, ada.browser);
  expect((await other.own('PATCH', '', { accountHolder: 'Difference Engines' })).status).toBe(200);
  await press(dialog, 'Save');
  await toast(page, 'Changes saved.').waitFor();
  await record.getByText(`@engines-only-${ada.businessId}`).waitFor();
  await record.getByText('Difference Engines', { exact: true }).waitFor();
  expect(problems).toEqual([]);
});

/** Draws an image in the page and gives it to the file chooser's input. @param type of its file */
const drawn = (type: string) => `(async () => {
  const canvas = new OffscreenCanvas(600, 300);
  const context = canvas.getContext('2d');
  context.fillStyle = 'rgb(200, 40, 40)';
  context.fillRect(0, 0, 600, 300);
  const blob = await canvas.convertToBlob({ type: '${type}' });
  return Array.from(new Uint8Array(await blob.arrayBuffer()));
})()`;

/** Size and one colour of an image of the platform, as the browser decodes it. */
const decoded = (url: string) => `(async () => {
  const picture = await createImageBitmap(await (await fetch('${new URL(url).pathname}')).blob());
  const context = new OffscreenCanvas(picture.width, picture.height).getContext('2d');
  context.drawImage(picture, 0, 0);
  const [red] = context.getImageData(picture.width / 2, picture.height / 2, 1, 1).data;
  return [picture.width, picture.height, red > 180];
})()`;

const bytes = z.array(z.number());

test('a logo is redrawn in the browser, shown, and removed', async () => {
  const ada = await signUpVerified(stage.platform);
  const { page, problems } = await enter(ada, { viewport: phone });
  const record = region(page, 'Record');
  await button(record, 'Add a logo').waitFor();
  const input = record.locator('input[type=file]');
  await input.setInputFiles({ name: 'a.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg/>') });
  await record.getByRole('alert').filter({ hasText: 'not a PNG, JPEG or WebP image' }).waitFor();
  // Empty again: a browser reports no change when the same file is chosen once more.
  expect(await input.inputValue()).toBe('');
  const jpeg = Buffer.from(bytes.parse(await page.evaluate(drawn('image/jpeg'))));
  await input.setInputFiles({ name: 'a.jpg', mimeType: 'image/jpeg', buffer: jpeg });
  await toast(page, 'Logo changed.').waitFor();
  const image = record.getByRole('img', { name: 'Logo of Analytical Engines' });
  await image.waitFor();
  const url = await logoOf(ada);
  expect(await image.getAttribute('src')).toBe(url);
  const width = () => image.evaluate((element) => Reflect.get(element, 'naturalWidth'));
  await expectEventually(async () => expect(await width()).toBe(512), { withinMs: 5_000 });
  expect(await page.evaluate(decoded(url))).toEqual([512, 512, true]);
  expect(await widthOf(page)).toBeLessThanOrEqual(phone.width);
  await press(record, 'Remove the logo');
  await toast(page, 'Logo removed.').waitFor();
  await image.waitFor({ state: 'detached' });
  expect(await logoOf(ada)).toBe('');
  expect(problems).toEqual([]);
});

test.each(['image/png', 'image/jpeg', 'image/webp'])(
  'a file of %s that a program uploads still shows the same picture',
  async (type) => {
    const ada = await signUpVerified(stage.platform);
    const { page, problems } = await enter(ada);
    const body = Buffer.from(bytes.parse(await page.evaluate(drawn(type))));
    const session = await ada.browser.send('GET', '/dashboard-api/session');
    const { csrfToken } = z.object({ csrfToken: z.string() }).parse(session.json());
    const headers = { 'X-CSRF-Token': csrfToken, 'Content-Type': type };
    const path = `/dashboard-api/businesses/${ada.businessId}/logo`;
    const response = await ada.browser.send('PUT', path, { headers, body });
    expect(response.status).toBe(200);
    expect(await page.evaluate(decoded(await logoOf(ada)))).toEqual([600, 300, true]);
    expect(problems).toEqual([]);
  },
);

test('members see the record, and cannot change it', async () => {
  const [ada, bob] = [await signUpVerified(stage.platform), await signUpVerified(stage.platform)];
  await joinBusiness(stage.platform, bob, ada.businessId, 'developer');
  const { page } = await enter(bob, {}, ada.businessId);
  const record = region(page, 'Record');
  await record.getByText('Analytical Engines', { exact: true }).waitFor();
  expect(await record.getByRole('button', { name: /Edit|logo$/ }).count()).toBe(0);
});
