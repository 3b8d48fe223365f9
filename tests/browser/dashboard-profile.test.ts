import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { authenticatorOf } from '../harness/authenticator.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { logIn, signUp, type TestPerson } from '../harness/people.ts';
import { auditAccessibility } from './accessibility-audit.ts';
import { fillForm } from './fill-form.ts';
import { holdRequests, tryToClose } from './hold-requests.ts';
import { field, heading, press, region, toast } from './locators.ts';
import { phone } from './screens.ts';
import { setStage } from './stage.ts';
import { dialogTitles, watchTexts } from './watch-texts.ts';

/** The account of the person: password, second factor, sessions. */

const stage = setStage();

let ada: TestPerson;
beforeEach(async () => {
  ada = await signUp(stage.platform);
});

const next = 'a loom that weaves algebra';
const enter = (options: BrowserContextOptions = {}) => stage.enterAs(ada, '/dashboard/profile', options);

async function changePassword(page: Page, current: string, password: string): Promise<void> {
  await page.getByLabel('Current password').fill(current);
  await page.getByLabel('New password').fill(password);
  await press(page, 'Change password');
}

/** Enters the password in a dialog and submits it. */
async function showPassword(dialog: Locator, password: string, button: string): Promise<void> {
  await dialog.getByLabel('Your password').fill(password);
  await press(dialog, button);
}

/** Enters the password and a code of the second factor, and submits them. */
async function confirmWith(dialog: Locator, code: string | undefined, button: string): Promise<void> {
  await dialog.getByRole('textbox', { name: 'Code from the app' }).fill(code ?? '');
  await showPassword(dialog, ada.password, button);
}

async function codesOf(dialog: Locator): Promise<string[]> {
  const codes = dialog.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
  await codes.first().waitFor();
  return codes.allTextContents();
}

async function closeCodes(dialog: Locator): Promise<void> {
  expect(await dialog.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true);
  await dialog.getByLabel('I have stored them').check();
  await press(dialog, 'Done');
  await dialog.waitFor({ state: 'detached' });
}

/** Turns the second factor on and resolves to its recovery codes and its app. */
async function turnOn(page: Page) {
  await press(region(page, 'Second factor'), 'Turn on');
  const dialog = page.getByRole('dialog');
  await showPassword(dialog, ada.password, 'Continue');
  await dialog.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
  const secret = (await dialog.locator('code').first().textContent()) ?? '';
  const { code, earliestCode } = authenticatorOf(secret);
  await dialog.getByRole('textbox', { name: 'Code from the app' }).fill(await earliestCode());
  await press(dialog, 'Turn on');
  return { code, dialog, codes: await codesOf(dialog) };
}

test('a changed name is shown everywhere', async () => {
  const { page, problems } = await enter();
  await press(page, 'Change name');
  const dialog = page.getByRole('dialog', { name: 'Change your name' });
  await field(dialog, 'Name').fill('The Support Team');
  await press(dialog, 'Save');
  await dialog.getByText('This name is reserved for the platform.').waitFor();
  expect(await auditAccessibility(page)).toEqual([]);
  await field(dialog, 'Name').fill('Ada King');
  await press(dialog, 'Save');
  await region(page, 'Account').getByText('Ada King').waitFor();
  await page.getByRole('button', { name: 'Account of Ada King' }).waitFor();
  await page.goto(`/dashboard/${ada.businessId}/audit`);
  await page.getByText('Changed their name').waitFor();
  expect(problems.filter((problem) => !problem.includes('400'))).toEqual([]);
});

describe('the password', () => {
  test('is changed, which ends other sessions and keeps the current one', async () => {
    await logIn(stage.platform, ada);
    const { page, problems } = await enter();
    await page.getByRole('button', { name: 'End all others' }).waitFor();
    await changePassword(page, 'not my password at all', next);
    await page.getByText('Incorrect password.').waitFor();
    await page.locator('input[name=current]:focus').waitFor();
    expect(await page.getByLabel('New password').inputValue()).toBe(next);
    await changePassword(page, ada.password, 'short');
    await page.getByText('Use at least 12 characters.').waitFor();
    await changePassword(page, ada.password, next);
    await toast(page, 'Password changed.').waitFor();
    const emptied = () =>
      expectEventually(async () => expect(await page.getByLabel('Current password').inputValue()).toBe(''), {
        withinMs: 5_000,
      });
    await emptied();
    await page.getByRole('button', { name: 'End all others' }).waitFor({ state: 'detached' });

    // The session has another id now: the next change works as well, and so does the logout.
    await changePassword(page, next, ada.password);
    await emptied();
    await press(page, 'Account of Ada Lovelace');
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.getByText('You are logged out.').waitFor();
    await fillForm(page, { 'Email address': ada.email, Password: ada.password }, 'Log in');
    await heading(page, 'Overview').waitFor();
    expect(problems).toEqual([]);
  });

  test('has the autocomplete attributes for password managers', async () => {
    const { page } = await enter();
    await page.getByLabel('Current password').waitFor();
    const fields = page.getByRole('form', { name: 'Password' }).locator('input');
    const hints = await fields.evaluateAll((inputs) =>
      inputs.map((input) => input.getAttribute('autocomplete')),
    );
    expect(hints).toEqual(['username', 'current-password', 'new-password']);
    expect(await fields.first().inputValue()).toBe(ada.email);
    expect(await fields.first().isVisible()).toBe(false);
    await press(region(page, 'Second factor'), 'Turn on');
    const asked = page.getByRole('dialog').locator('input');
    await page.getByRole('dialog').getByLabel('Your password').waitFor();
    expect(
      await asked.evaluateAll((inputs) => inputs.map((input) => input.getAttribute('autocomplete'))),
    ).toEqual(['username', 'current-password']);
  });
});

describe('the second factor', () => {
  test('is turned on with only the keyboard, and required at the next login', async () => {
    const { page, context, problems } = await enter();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const panel = region(page, 'Second factor');
    await panel.getByRole('button', { name: 'Turn on' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Turn on the second factor' });
    await dialog.getByLabel('Your password').waitFor();
    await page.locator('input[name=password]:focus').waitFor();
    await page.keyboard.type('not my password at all');
    await page.keyboard.press('Enter');
    await dialog.getByText('Incorrect password.').waitFor();
    await dialog.getByLabel('Your password').fill(ada.password);
    await page.keyboard.press('Enter');
    await page.locator('input[name=code]:focus').waitFor();
    const secret = (await dialog.locator('code').first().textContent()) ?? '';
    await page.keyboard.type('000000');
    await page.keyboard.press('Enter');
    await dialog.getByText('Incorrect code.').waitFor();
    const { code, earliestCode } = authenticatorOf(secret);
    await dialog.getByRole('textbox', { name: 'Code from the app' }).fill(await earliestCode());
    await page.keyboard.press('Enter');

    const shown = page.getByRole('dialog', { name: 'Your recovery codes' });
    const codes = await codesOf(shown);
    expect(codes).toHaveLength(10);
    await page.locator(':focus').filter({ hasText: 'These codes are shown only once.' }).waitFor();
    await page.keyboard.press('Escape');
    expect(await shown.isVisible()).toBe(true);
    await press(shown, 'Copy');
    await shown.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(codes.join('\n'));
    await page.evaluate("URL.revokeObjectURL = () => document.body.setAttribute('data-revoked', '')");
    const [download] = await Promise.all([page.waitForEvent('download'), press(shown, 'Download')]);
    expect(await page.locator('[data-revoked]').count()).toBe(0);
    expect(download.suggestedFilename()).toBe('business-api-recovery-codes.txt');
    const file = readFileSync(await download.path(), 'utf8');
    for (const text of [...codes, ada.email]) expect(file).toContain(text);
    await closeCodes(shown);
    await panel.getByText('10 recovery codes are left').waitFor();

    const elsewhere = await stage.open('/login');
    await fillForm(elsewhere.page, { 'Email address': ada.email, Password: ada.password }, 'Log in');
    await fillForm(elsewhere.page, { Code: code() }, 'Log in');
    await heading(elsewhere.page, 'Overview').waitFor();
    expect(problems).toEqual([]);
  });

  test('gets new recovery codes, shows when few are left, and is turned off', async () => {
    const { page, problems } = await enter({ viewport: phone, reducedMotion: 'no-preference' });
    const titlesSeen = await watchTexts(page, dialogTitles);
    const { dialog, codes: old } = await turnOn(page);
    await closeCodes(dialog);
    expect(await titlesSeen()).toEqual(['Turn on the second factor', 'Your recovery codes']);
    const panel = region(page, 'Second factor');
    for (const code of old.slice(0, 8)) {
      const elsewhere = await stage.open('/login');
      await fillForm(elsewhere.page, { 'Email address': ada.email, Password: ada.password }, 'Log in');
      await fillForm(elsewhere.page, { Code: code }, 'Log in');
      await heading(elsewhere.page, 'Overview').waitFor();
      await elsewhere.context.close();
    }
    await page.reload();
    await panel.getByText('Only 2 recovery codes are left.').waitFor();
    await press(panel, 'Create new recovery codes');
    await confirmWith(dialog, old[8], 'Create new codes');
    const codes = await codesOf(dialog);
    expect(codes.filter((code) => old.includes(code))).toEqual([]);
    await closeCodes(dialog);
    await panel.getByText('10 recovery codes are left').waitFor();

    await press(panel, 'Turn off');
    await showPassword(dialog, 'not my password at all', 'Turn off');
    await dialog.getByText('Incorrect password.').waitFor();
    await showPassword(dialog, ada.password, 'Turn off');
    await dialog.getByText('Enter a code of your app.').waitFor();
    await confirmWith(dialog, codes[0], 'Turn off');
    await toast(page, 'Second factor turned off.').waitFor();
    await panel.getByRole('button', { name: 'Turn on' }).waitFor();
    await logIn(stage.platform, ada);
    expect(problems).toEqual([]);
  });
});

describe('recovery codes, which are shown only once,', () => {
  test('are shown even if Escape is pressed while they are created', async () => {
    const { page, problems } = await enter();
    const { dialog, codes: old } = await turnOn(page);
    await closeCodes(dialog);
    await press(region(page, 'Second factor'), 'Create new recovery codes');
    const { sent, release } = await holdRequests(page, '**/recovery-codes');
    await confirmWith(dialog, old[0], 'Create new codes');
    await sent;
    await tryToClose(page);
    release();
    const codes = await codesOf(dialog);
    expect(codes.filter((code) => old.includes(code))).toEqual([]);
    await closeCodes(dialog);
    expect(problems).toEqual([]);
  });

  test('are shown even if the last step of turning on the factor is interrupted', async () => {
    const { page, problems } = await enter();
    const { sent, release } = await holdRequests(page, '**/second-factor/confirm');
    const turned = turnOn(page);
    await sent;
    const dialog = page.getByRole('dialog');
    await tryToClose(page);
    release();
    expect((await turned).codes).toHaveLength(10);
    await closeCodes(dialog);
    expect(problems).toEqual([]);
  });

  test('stay visible when the page is reloaded by mistake', async () => {
    const { page } = await enter();
    const { dialog, codes } = await turnOn(page);
    const asked = page.waitForEvent('dialog');
    await page.evaluate('setTimeout(() => location.reload())');
    const warning = await asked;
    expect(warning.type()).toBe('beforeunload');
    await warning.dismiss();
    expect(await codesOf(dialog)).toEqual(codes);
    await closeCodes(dialog);
    await page.reload();
    await region(page, 'Second factor').getByText('10 recovery codes are left').waitFor();
  });
});

describe('sessions', () => {
  test('can be ended one by one and all together, except the current one', async () => {
    const others = [
      await logIn(stage.platform, ada),
      await logIn(stage.platform, ada),
      await logIn(stage.platform, ada),
    ];
    const { page, problems } = await enter();
    const rows = page.getByRole('table', { name: 'Sessions' }).getByRole('row');
    const counted = (count: number) => rows.nth(count).and(rows.last()).waitFor();
    await counted(4);
    await rows.filter({ hasText: 'This browser' }).waitFor();
    expect(await rows.filter({ hasText: 'This browser' }).getByRole('button').count()).toBe(0);
    await page
      .getByRole('button', { name: /^End the session of/ })
      .first()
      .click();
    await toast(page, 'Session of ').waitFor();
    await counted(3);
    await press(page, 'End all others');
    const dialog = page.getByRole('dialog', { name: 'End all other sessions?' });
    await dialog.getByText('2 other browsers are logged out at once.').waitFor();
    await press(dialog, 'End all others');
    await toast(page, '2 sessions have ended.').waitFor();
    await counted(1);
    for (const browser of others) {
      expect((await browser.send('GET', '/dashboard-api/session')).status).toBe(401);
    }
    await page.reload();
    await region(page, 'Sessions').getByText('This browser').waitFor();
    expect(problems).toEqual([]);
  });

  test('are removed from the list when they have ended elsewhere', async () => {
    const other = await logIn(stage.platform, ada);
    const { page } = await enter();
    const end = page.getByRole('button', { name: /^End the session of/ });
    await end.waitFor();
    await other.open('/account/sessions');
    await other.submit('/logout');
    await end.click();
    await end.waitFor({ state: 'detached' });
  });
});

test('a profile that cannot be loaded loads on retry', async () => {
  const { page } = await stage.enterAs(ada, '/dashboard/join');
  await page.getByText('This link is incomplete').waitFor();
  const headers = { 'X-Request-Id': 'req-of-this-failure' };
  const json = { error: 'There is something wrong.', status: 'Too Many Requests', code: 429 };
  await page.route('**/dashboard-api/profile', (route) => route.fulfill({ status: 429, headers, json }));
  await page.goto('/dashboard/profile');
  await page.getByRole('alert').filter({ hasText: 'req-of-this-failure' }).waitFor();
  await page.unroute('**/dashboard-api/profile');
  await press(page, 'Try again');
  await page.getByText(ada.email).first().waitFor();
});
