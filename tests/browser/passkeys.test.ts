import { beforeEach, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { passkeyOrigin } from '../harness/passkeys.ts';
import { signUp, type TestPerson } from '../harness/people.ts';
import { auditAccessibility } from './accessibility-audit.ts';
import { fillForm } from './fill-form.ts';
import { heading, press, region, toast } from './locators.ts';
import { setStage } from './stage.ts';

/** Passkeys with Chromium's own WebAuthn and a virtual authenticator. */

const stage = setStage();

let ada: TestPerson;
beforeEach(async () => {
  ada = await signUp(stage.platform);
});

/**
 * Gives a page's browser an authenticator that verifies its user without asking. Resolves to a switch of the user's presence:
 * with it, a passkey is used as soon as a page offers it.
 */
async function plugIn(page: Page): Promise<(isPresent: boolean) => Promise<void>> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return (enabled) =>
    session
      .send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })
      .then(() => undefined);
}

/** A window under the origin that has passkeys, in which the person has logged in with the password. */
async function enter() {
  const window = await stage.open('/login', { baseURL: passkeyOrigin(stage.platform) });
  const setPresence = await plugIn(window.page);
  await showPassword(window.page);
  await heading(window.page, 'Overview').waitFor();
  await window.page.goto('/dashboard/profile');
  return { ...window, setPresence };
}

const showPassword = (page: Page) =>
  fillForm(page, { 'Email address': ada.email, Password: ada.password }, 'Log in');

async function addPasskey(page: Page, name: string): Promise<void> {
  await press(region(page, 'Passkeys'), 'Add a passkey');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByLabel('Your password').fill(ada.password);
  expect(await auditAccessibility(page)).toEqual([]);
  await press(dialog, 'Continue');
  await dialog.getByLabel('I have stored them').check();
  await press(dialog, 'Done');
  await toast(page, 'Passkey added.').waitFor();
}

async function logOut(page: Page): Promise<void> {
  await press(page, 'Account of Ada Lovelace');
  await page.getByRole('menuitem', { name: 'Log out' }).click();
}

test('a passkey is added in Profile, used for login alone and after the password, and removed', async () => {
  const { page, problems, setPresence } = await enter();
  await addPasskey(page, 'Laptop');
  const row = region(page, 'Passkeys').getByRole('listitem').filter({ hasText: 'Laptop' });
  await row.getByText('Not used yet.').waitFor();
  expect(await auditAccessibility(page)).toEqual([]);

  // The browser offers the passkey where the email address is entered.
  await logOut(page);
  await heading(page, 'Overview').waitFor();

  await setPresence(false);
  await logOut(page);
  await page.getByText('You are logged out.').waitFor();
  await page.getByRole('button', { name: 'Log in with a passkey' }).waitFor();
  expect(await auditAccessibility(page)).toEqual([]);
  await setPresence(true);
  await press(page, 'Log in with a passkey');
  await heading(page, 'Overview').waitFor();

  await setPresence(false);
  await logOut(page);
  await showPassword(page);
  await heading(page, 'Enter your code').waitFor();
  expect(await auditAccessibility(page)).toEqual([]);
  await setPresence(true);
  await press(page, 'Use your passkey');
  await heading(page, 'Overview').waitFor();

  await page.goto('/dashboard/profile');
  await press(row, 'Actions for Laptop');
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Old laptop');
  await press(dialog, 'Rename');
  await press(region(page, 'Passkeys'), 'Actions for Old laptop');
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  await dialog.getByText('It is your only second factor').waitFor();
  await dialog.getByLabel('Your password').fill(ada.password);
  // Without a code the browser asks for the passkey.
  await press(dialog, 'Remove');
  await toast(page, 'Passkey removed.').waitFor();
  await region(page, 'Passkeys').getByRole('listitem').waitFor({ state: 'detached' });
  expect(problems).toEqual([]);
});

test('a passkey that took too long is refused with a reason, and can be added again', async () => {
  const { page } = await enter();
  await page.route('**/dashboard-api/profile/passkeys', async (route) => {
    if (route.request().method() === 'POST') {
      await stage.platform.sql('DELETE FROM passkey_challenges');
    }
    await route.continue();
  });
  await press(region(page, 'Passkeys'), 'Add a passkey');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Laptop');
  await dialog.getByLabel('Your password').fill(ada.password);
  await press(dialog, 'Continue');
  await dialog.getByRole('alert').filter({ hasText: 'The passkey could not be added' }).waitFor();
  await page.unrouteAll();
  await press(dialog, 'Continue');
  await dialog.getByLabel('I have stored them').waitFor();
});

test('a passkey without a name is refused before the browser creates it', async () => {
  const { page } = await enter();
  const begun: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/profile/passkeys/options')) begun.push(request.url());
  });
  await press(region(page, 'Passkeys'), 'Add a passkey');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill(' ');
  await dialog.getByLabel('Your password').fill(ada.password);
  await press(dialog, 'Continue');
  await dialog.getByText('Enter a name.').waitFor();
  expect(begun).toEqual([]);
});

test('a person who has lost the authenticator app turns it off with a passkey', async () => {
  const { page } = await enter();
  await addPasskey(page, 'Laptop');
  const turnOn = "UPDATE people SET totp_confirmed_at = now(), totp_secret = '\\x00' WHERE id = $1";
  await stage.platform.sql(turnOn, [ada.id]);
  await page.reload();
  await press(region(page, 'Second factor'), 'Turn off');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Your password').fill(ada.password);
  // Without a code the browser asks for the passkey.
  await press(dialog, 'Turn off');
  await toast(page, 'Second factor turned off.').waitFor();
});

test('the login page says when no passkey was used, and the password still works', async () => {
  const { page } = await stage.open('/login', { baseURL: passkeyOrigin(stage.platform) });
  await plugIn(page);
  await press(page, 'Log in with a passkey');
  await page.getByRole('alert').filter({ hasText: 'No passkey was used.' }).waitFor();
  await showPassword(page);
  await heading(page, 'Overview').waitFor();
});

test('no passkey is offered under an IP address, and Profile names the address where they work', async () => {
  const { page } = await stage.open('/login');
  expect(await page.getByRole('button', { name: 'Log in with a passkey' }).isVisible()).toBe(false);
  const { page: profile } = await stage.enterAs(ada, '/dashboard/profile');
  await profile
    .getByText(`Open the dashboard at ${passkeyOrigin(stage.platform)} to add a passkey.`)
    .waitFor();
});
