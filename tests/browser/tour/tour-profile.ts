import { authenticatorOf } from '../../harness/authenticator.ts';
import { logIn, type TestPerson } from '../../harness/people.ts';
import type { Tour } from './tour.ts';

/** The person's own account. */
export async function tourProfile(tour: Tour, _businessId: number, owner: TestPerson): Promise<void> {
  const { platform, page, look } = tour;
  await logIn(platform, owner);
  const agent = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1';
  await platform.sql(
    `UPDATE sessions SET user_agent = $2, created_at = now() - interval '3 hours', last_seen_at = now() - interval '9 minutes'
     WHERE person_id = $1 AND user_agent = ''`,
    [owner.id, agent],
  );
  await page.goto('/dashboard/profile');
  await page.getByText('Safari on iOS').first().waitFor();
  await look('profile');
  await page.getByLabel('New password').fill('short');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('Incorrect password.').waitFor();
  await look('profile-password-refused');
  await page.getByRole('button', { name: 'End all others' }).click();
  await page.getByRole('dialog').waitFor();
  await look('profile-end-others');
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await tourSecondFactor(tour, owner);
  await page.goto('/dashboard/notices');
  await page.getByText('Your second factor was turned off').first().waitFor();
  await look('notices');
}

async function tourSecondFactor({ page, look }: Tour, { password }: TestPerson): Promise<void> {
  await page.goto('/dashboard/profile');
  await page.getByRole('button', { name: 'Turn on' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Your password').fill('not my password at all');
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await dialog.getByText('Incorrect password.').waitFor();
  await look('profile-second-factor-password');
  await dialog.getByLabel('Your password').fill(password);
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await dialog.getByRole('img', { name: 'QR code' }).waitFor();
  await look('profile-second-factor-code');
  const secret = (await dialog.locator('code').first().textContent()) ?? '';
  await dialog.getByRole('textbox', { name: 'Code from the app' }).fill(authenticatorOf(secret).code());
  await dialog.getByRole('button', { name: 'Turn on' }).click();
  await dialog.getByText('These codes are shown only once.').waitFor();
  await look('profile-recovery-codes');
  await dialog.getByLabel('I have stored them').check();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Turn off' }).waitFor();
  await look('profile-second-factor-on');
  await page.getByRole('button', { name: 'Turn off' }).click();
  await dialog.waitFor();
  await look('profile-second-factor-off');
  await dialog.getByLabel('Your password').fill(password);
  await dialog.getByRole('textbox', { name: 'Code from the app' }).fill(authenticatorOf(secret).code(1));
  await dialog.getByRole('button', { name: 'Turn off' }).click();
  await dialog.waitFor({ state: 'hidden' });
}
