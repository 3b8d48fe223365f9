import { beforeEach, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { authenticatorOf } from '../harness/authenticator.ts';
import { protect } from '../harness/operators.ts';
import { joinBusiness, signUp, type TestPerson } from '../harness/people.ts';
import { axeViolations } from './axe-violations.ts';
import { heading, press, region, toast } from './locators.ts';
import { phone } from './screens.ts';
import { setStage } from './stage.ts';

/** A business that requires a second factor: who decides it, and the page of people who have none. */

const stage = setStage();

let ada: TestPerson;
let bob: TestPerson;
beforeEach(async () => {
  ada = await signUp(stage.platform, { businessName: 'Royal Observatory' });
  bob = await signUp(stage.platform, { name: 'Bob Builder' });
  await joinBusiness(stage.platform, bob, ada.businessId, 'developer');
});

const settings = () => `/dashboard/${ada.businessId}/settings/business`;
const memberOf = (page: Page) =>
  page.getByRole('table', { name: 'Team members' }).getByRole('row').filter({ hasText: 'Bob Builder' });
const factorSwitch = (page: Page) =>
  region(page, 'Required second factor').getByRole('switch', { name: 'Require a second factor' });

/** Turns the app on in Profile. */
async function turnOn(page: Page, { password }: TestPerson): Promise<void> {
  await press(region(page, 'Second factor'), 'Turn on');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Your password').fill(password);
  await press(dialog, 'Continue');
  await dialog.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
  const { earliestCode } = authenticatorOf((await dialog.locator('code').first().textContent()) ?? '');
  await dialog.getByRole('textbox', { name: 'Code from the app' }).fill(await earliestCode());
  await press(dialog, 'Turn on');
  await dialog.getByLabel('I have stored them').check();
  await press(dialog, 'Done');
  await dialog.waitFor({ state: 'detached' });
}

test('an owner requires a second factor, and a member without one is led to turn it on and back', async () => {
  const app = await protect(ada);
  const owner = await stage.enterAs(ada, settings());
  const member = await stage.enterAs(bob, `/dashboard/${ada.businessId}`);
  await heading(member.page, 'Overview').waitFor();

  await factorSwitch(owner.page).click();
  const dialog = owner.page.getByRole('dialog', { name: 'Require a second factor?' });
  await dialog.getByText('Bob Builder has none').waitFor();
  expect(await axeViolations(owner.page)).toEqual([]);
  await dialog.getByLabel('Your password').fill(ada.password);
  await dialog.getByRole('textbox', { name: 'Code from the app' }).fill(app.code());
  await press(dialog, 'Require it');
  await toast(owner.page, 'A second factor is required.').waitFor();
  await memberOf(owner.page).getByText('Off: no access').waitFor();

  await member.page.getByRole('link', { name: 'Audit log' }).click();
  await heading(member.page, 'A second factor is required').waitFor();
  await member.page.getByText('Royal Observatory requires a second factor, and you have none').waitFor();
  expect(await axeViolations(member.page)).toEqual([]);
  await member.page.setViewportSize(phone);
  expect(await axeViolations(member.page)).toEqual([]);
  await member.page.getByRole('link', { name: 'Open your profile' }).click();
  await heading(member.page, 'Profile').waitFor();
  await turnOn(member.page, bob);
  await member.page.goBack();
  await heading(member.page, 'Audit log').waitFor();
  await owner.page.reload();
  await memberOf(owner.page).getByText('On', { exact: true }).waitFor();

  // Removing the last one is allowed, and says so before.
  await member.page.goto('/dashboard/profile');
  await press(region(member.page, 'Second factor'), 'Turn off');
  await member.page.getByText('You lose access to Royal Observatory').waitFor();
  expect(owner.problems).toEqual([]);
});

test('an owner without a second factor is led to the profile, and members do not see who has one', async () => {
  const owner = await stage.enterAs(ada, settings());
  await region(owner.page, 'Required second factor')
    .getByRole('link', { name: 'Turn one on in your profile' })
    .waitFor();
  expect(await factorSwitch(owner.page).isDisabled()).toBe(true);
  const member = await stage.enterAs(bob, settings());
  await region(member.page, 'Required second factor').getByText('Only owners can change this.').waitFor();
  await memberOf(member.page).waitFor();
  expect(await member.page.getByRole('columnheader', { name: 'Second factor' }).count()).toBe(0);
  await memberOf(owner.page).waitFor();
  expect(await owner.page.getByRole('columnheader', { name: 'Second factor' }).count()).toBe(1);
  expect([...owner.problems, ...member.problems]).toEqual([]);
});
