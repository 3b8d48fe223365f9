import { createHmac } from 'node:crypto';
import { openDashboard } from '../../harness/dashboard.ts';
import { awaitMail, signUp, type TestPerson } from '../../harness/people.ts';
import { invite } from '../../harness/team.ts';
import { fillForm } from '../fill-form.ts';
import type { Tour } from './tour.ts';

/** The other end of an invitation. */
export async function tourJoin(
  { platform, page, look }: Tour,
  _businessId: number,
  owner: TestPerson,
): Promise<void> {
  const inviter = await signUp(platform, { name: 'Mary Somerville', businessName: 'Royal Observatory' });
  const dashboard = await openDashboard(inviter, inviter.browser);
  const { link } = await invite(platform, dashboard, owner.email, 'owner');
  await page.goto(link);
  await page.getByRole('button', { name: 'Join the business' }).waitFor();
  await look('join');
  const other = await invite(platform, dashboard, 'person@people.test');
  await page.goto(other.link);
  await page.getByText('This invitation is for another email address').waitFor();
  await look('join-for-another');
  await page.goto(`/dashboard/join?token=in_${createHmac('sha256', 'x').digest('hex').slice(0, 39)}`);
  await page.getByText('This invitation is no longer valid').waitFor();
  await look('join-over');

  await page.goto(`/signup?continue=${encodeURIComponent(other.link)}`);
  await fillForm(page, { 'Email address': 'person@people.test' }, 'Send the link');
  await page.goto((await awaitMail(platform.mailDirectory, 'person@people.test', 2)).link);
  await page.getByRole('button', { name: 'Create account and join' }).waitFor();
  await look('sign-up-invited');
}
