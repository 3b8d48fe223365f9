import { expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { makeOperator } from '../harness/operators.ts';
import { signUp, type TestPerson } from '../harness/people.ts';
import { field, heading, press, region, toast } from './locators.ts';
import { setStage } from './stage.ts';
import { logInAs } from './tour/enter-dashboard.ts';

/** Two people who log in one after the other in one browser, with a page of the first still open. */

const stage = setStage();

/** Comes back to a page after a minute, from another tab. */
async function comeBack(page: Page): Promise<void> {
  await page.clock.setFixedTime(Date.now() + 60_000);
  await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
}

async function logInElsewhere(context: BrowserContext, person: TestPerson): Promise<void> {
  await context.clearCookies();
  const other = await context.newPage();
  await other.goto('/dashboard');
  await logInAs(other, person);
}

test('a page of one person shows no data or input of that person to the next one', async () => {
  const [ada, grace] = [
    await signUp(stage.platform),
    await signUp(stage.platform, { name: 'Grace Hopper', businessName: 'Compilers' }),
  ];
  const { page, context, problems } = await stage.enterAs(ada, '/dashboard/profile');
  await page.getByText(ada.email).first().waitFor();
  await page.getByLabel('Current password').fill(ada.password);
  await logInElsewhere(context, grace);
  await comeBack(page);
  await page.getByRole('button', { name: 'Account of Grace Hopper' }).waitFor();
  await page.getByText(grace.email).first().waitFor();
  expect(await page.getByLabel('Current password').inputValue()).toBe('');
  expect(await page.locator('body').textContent()).not.toContain(ada.email);
  expect(problems).toEqual([]);
});

test('a page stays usable after the same person has logged in again', async () => {
  const ada = await signUp(stage.platform);
  const { page, context, problems } = await stage.enterAs(ada, '/dashboard/profile');
  await page.getByLabel('Current password').fill(ada.password);
  await logInElsewhere(context, ada);
  const session = page.waitForResponse('**/dashboard-api/session');
  await comeBack(page);
  await session;
  await page.getByLabel('New password').fill('nine silver wheels in a row');
  await press(page, 'Change password');
  await toast(page, 'Password changed.').waitFor();
  expect(problems).toEqual([]);
});

test('a decision that one operator has begun cannot be completed by the next one', async () => {
  const [ada, grace, owner] = [
    await makeOperator(stage.platform),
    await makeOperator(stage.platform, { name: 'Grace Hopper' }),
    await signUp(stage.platform, { businessName: 'Kettles' }),
  ];
  const { page, context, problems } = await stage.enterAs(ada, `/operators/businesses/${owner.businessId}`);
  await press(region(page, 'Business'), 'Ban');
  const ban = page.getByRole('dialog', { name: 'Ban Kettles?' });
  await field(ban, 'Reason').fill('It sold kettles that do not exist');
  const url = stage.platform.publicUrl;
  await context.addCookies([...grace.browser.cookies].map(([name, value]) => ({ name, value, url })));
  await comeBack(page);
  await page.getByText(grace.email).waitFor();
  await heading(page, 'Kettles').waitFor();
  expect(await ban.count()).toBe(0);
  expect(problems).toEqual([]);
});
