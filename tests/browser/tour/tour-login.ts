import { expectEventually } from '../../harness/expect-eventually.ts';
import { mailsTo } from '../../harness/people.ts';
import type { Platform } from '../../harness/platform.ts';
import { fillForm } from '../fill-form.ts';
import { type Tour, visitor } from './tour.ts';

/** Logout, login in two steps, and the reset of a forgotten password. */
export async function tourLogin(tour: Tour): Promise<void> {
  const { page, look } = tour;
  await page.goto('/account/sessions');
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByRole('status').waitFor();
  await look('logged-out');
  await page.goto('/login');
  await look('login');
  const address = { 'Email address': visitor.email };
  await fillForm(page, { ...address, Password: visitor.password }, 'Log in');
  await page.getByRole('alert').waitFor();
  await look('login-refused');
  await fillForm(page, { ...address, Password: visitor.nextPassword }, 'Log in');
  await page.getByRole('heading', { name: 'Enter your code' }).waitFor();
  await look('login-code');
  await fillForm(page, { Code: '000000' }, 'Log in');
  await page.getByRole('alert').waitFor();
  await look('login-code-refused');
  await tourReset(tour);
}

async function tourReset({ platform, page, look }: Tour): Promise<void> {
  await page.goto('/password/forgot');
  await look('password-forgotten');
  await fillForm(page, { 'Email address': visitor.email }, 'Send the link');
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
  await look('password-link-sent');
  await page.goto(await expectEventually(() => resetLink(platform), { withinMs: 5_000 }));
  await look('password-reset');
  await fillForm(page, { 'New password': 'short' }, 'Set password');
  await page.getByRole('alert').waitFor();
  await look('password-reset-refused');
  await page.goto('/password/reset?token=over');
  await look('password-link-over');
}

function resetLink({ mailDirectory }: Platform): string {
  const links = mailsTo(mailDirectory, visitor.email).map(({ link }) => link);
  const link = links.find((path) => path.startsWith('/password/reset'));
  if (link === undefined) throw new Error('No link to set a new password has come yet.');
  return link;
}
