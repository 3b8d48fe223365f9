import type { Tour } from './tour.ts';

/** Pages of refusal. Their texts differ, their layout is the same. */
export async function tourErrors({ page, look }: Tour): Promise<void> {
  await page.goto('/account/nowhere');
  await look('error-not-found');
  await page.goto('/oauth/authorize?client_id=app_unknown');
  await look('error-unknown-application');
  await page.goto('/account/password');
  // As after a login in another tab.
  await page.locator('main [name=_csrf]').evaluate((field) => field.setAttribute('value', 'old'));
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByRole('heading', { name: 'This page is out of date' }).waitFor();
  await look('error-out-of-date');
}
