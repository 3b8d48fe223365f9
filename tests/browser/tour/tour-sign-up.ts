import { awaitMail } from '../../harness/people.ts';
import { fillForm } from '../fill-form.ts';
import { type Tour, visitor } from './tour.ts';

/** From the front page to the account. */
export async function tourSignUp({ platform, page, look }: Tour): Promise<void> {
  await page.goto('/');
  await look('front-page');
  await page.getByRole('link', { name: 'Sign up' }).click();
  await look('sign-up');
  await fillForm(page, { 'Email address': 'nowhere' }, 'Send the link');
  await page.getByRole('alert').waitFor();
  await look('sign-up-refused');
  await fillForm(page, { 'Email address': visitor.email }, 'Send the link');
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
  await look('sign-up-link-sent');

  const { link } = await awaitMail(platform.mailDirectory, visitor.email);
  await page.goto(link);
  await look('sign-up-details');
  const { name, password, businessName, username } = visitor;
  await fillForm(page, { Password: 'short', 'Business username': 'No spaces' }, 'Create account');
  await page.getByRole('alert').waitFor();
  await look('sign-up-details-refused');
  const details = { 'Your name': name, 'Business name': businessName, 'Business username': username };
  await fillForm(page, { ...details, Password: password }, 'Create account');
  await page.waitForURL('**/dashboard/*');
  await page.goto(link);
  await look('sign-up-link-over');
}
