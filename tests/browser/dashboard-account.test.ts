import { beforeEach, describe, expect, test } from '@jest/globals';
import type { BrowserContextOptions } from 'playwright-core';
import { awaitMail, newAddress, signUp, type TestPerson } from '../harness/people.ts';
import { auditAccessibility } from './accessibility-audit.ts';
import { fillForm } from './fill-form.ts';
import { heading, press, region, toast } from './locators.ts';
import { phone } from './screens.ts';
import { setStage } from './stage.ts';

/** The account of the person: its email address, and its end. */

const stage = setStage();

let ada: TestPerson;
beforeEach(async () => {
  ada = await signUp(stage.platform);
});

const enter = (options: BrowserContextOptions = {}) => stage.enterAs(ada, '/dashboard/profile', options);

describe('the email address', () => {
  test('is changed by keyboard with an emailed link, and put back with the link to the old address', async () => {
    const { page, problems } = await enter();
    const { mailDirectory } = stage.platform;
    const panel = region(page, 'Account');
    await panel.getByRole('button', { name: 'Change email address' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Change your email address' });
    await page.locator('input[name=email]:focus').waitFor();
    await page.keyboard.type('ada@');
    await page.keyboard.press('Tab');
    await page.keyboard.type('not my password at all');
    await page.keyboard.press('Enter');
    await dialog.getByText('Enter an email address such as name@example.com.').waitFor();
    const email = newAddress('ada');
    await dialog.getByLabel('New email address').fill(email);
    await page.keyboard.press('Enter');
    await dialog.getByText('Incorrect password.').waitFor();
    await dialog.getByLabel('Your password').fill(ada.password);
    await page.keyboard.press('Enter');
    await toast(page, 'Check the mailbox of your new address.').waitFor();
    await panel.getByText(`We sent a link to ${email}.`).waitFor();
    await panel.getByText(ada.email).waitFor();

    await page.goto((await awaitMail(mailDirectory, email)).link);
    await page.getByText(email).waitFor();
    await press(page, 'Change email address');
    await heading(page, 'Your email address is changed').waitFor();
    const pending = page.waitForResponse('**/dashboard-api/profile/email');
    await page.goto('/dashboard/profile');
    await panel.getByText(email).waitFor();
    expect(await (await pending).json()).toEqual({ pending: null });
    expect(await panel.getByRole('status').count()).toBe(0);

    const { link } = await awaitMail(mailDirectory, ada.email, 2);
    const owner = await stage.open(link);
    await press(owner.page, 'Undo the change');
    await heading(owner.page, 'Your email address is back').waitFor();
    await page.goto('/dashboard/profile');
    await heading(page, 'Log in').waitFor();
    await fillForm(page, { 'Email address': ada.email, Password: ada.password }, 'Log in');
    await page.getByText('Incorrect email address or password.').waitFor();
    expect([problems, owner.problems]).toEqual([[], []]);
  });

  test('that is not confirmed yet can be withdrawn, also on a phone', async () => {
    const { page, problems } = await enter({ viewport: phone });
    const panel = region(page, 'Account');
    await press(panel, 'Change email address');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('New email address').fill(newAddress('ada'));
    await dialog.getByLabel('Your password').fill(ada.password);
    await press(dialog, 'Send the link');
    await panel.getByRole('status').waitFor();
    expect(await auditAccessibility(page)).toEqual([]);
    await press(panel, 'Keep the current address');
    await panel.getByRole('status').waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
  });
});

describe('the account', () => {
  test('is deleted with the password, and the login page says so', async () => {
    const { page, problems } = await enter({ viewport: phone });
    await press(region(page, 'Delete account'), 'Delete account');
    const dialog = page.getByRole('dialog', { name: 'Delete your account?' });
    await dialog.getByLabel('Your password').fill('not my password at all');
    await press(dialog, 'Delete account');
    await dialog.getByText('Incorrect password.').waitFor();
    await dialog.getByLabel('Your password').fill(ada.password);
    await press(dialog, 'Delete account');
    await page.getByText('Your account is deleted.').waitFor();
    await fillForm(page, { 'Email address': ada.email, Password: ada.password }, 'Log in');
    await page.getByText('Incorrect email address or password.').waitFor();
    expect(problems).toEqual([]);
  });

  test('of the only owner of an active business is not deleted, and the page says what to do first', async () => {
    const key = await stage.platform.createKey({ businessId: ada.businessId });
    const { page, problems } = await enter();
    const panel = region(page, 'Delete account');
    await panel.getByText('You are its only owner, and it has 1 API key.').waitFor();
    expect(await panel.getByRole('button', { name: 'Delete account' }).count()).toBe(0);
    await panel.getByRole('link', { name: 'Open its settings' }).click();
    await heading(page, 'Business').waitFor();
    await stage.platform.deleteKey(key);
    await page.goto('/dashboard/profile');
    await panel.getByRole('button', { name: 'Delete account' }).waitFor();
    expect(problems).toEqual([]);
  });
});
