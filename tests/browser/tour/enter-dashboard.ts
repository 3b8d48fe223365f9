import type { Page } from 'playwright-core';
import { signUpVerified, type TestPerson } from '../../harness/people.ts';
import type { Platform } from '../../harness/platform.ts';
import { fillForm } from '../fill-form.ts';

/** DashboardPerson in front of the dashboard. */
export interface DashboardVisit {
  readonly owner: TestPerson;
  /** Another business that the owner owns. */
  readonly secondBusinessId: number;
}

/** An owner of two verified businesses logs in and stands on the overview of the first. */
export async function enterDashboard(platform: Platform, page: Page): Promise<DashboardVisit> {
  const owner = await signUpVerified(platform);
  const secondBusinessId = await platform.createVerifiedBusiness(`second-${owner.businessId}`);
  await platform.sql("INSERT INTO memberships (person_id, business_id, role) VALUES ($1, $2, 'owner')", [
    owner.id,
    secondBusinessId,
  ]);
  await page.goto('/dashboard');
  await logInAs(page, owner);
  return { owner, secondBusinessId };
}

/** Fills in the login page, and waits for the page of the dashboard that it leads to. */
export async function logInAs(page: Page, { email, password }: TestPerson): Promise<void> {
  await fillForm(page, { 'Email address': email, Password: password }, 'Log in');
  await page.getByRole('button', { name: /^Account of/ }).waitFor();
}
