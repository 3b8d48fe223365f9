import { authenticatorOf } from '../../harness/authenticator.ts';
import { createBrowser } from '../../harness/browser.ts';
import { call } from '../../harness/patience.ts';
import { fillForm } from '../fill-form.ts';
import { type Tour, visitor } from './tour.ts';

/** Pages of the account. Returns the id of the business, which is verified then. */
export async function tourAccount(tour: Tour): Promise<number> {
  const businessId = await tourVerification(tour);
  await tourPassword(tour);
  await tourSessions(tour);
  await tourSecondFactor(tour);
  return businessId;
}

async function tourVerification({ platform, page, look }: Tour): Promise<number> {
  await page.goto('/account/verification');
  await look('verification');
  const businessId = Number(await page.locator('input[name=business]').inputValue());
  await fillForm(page, { Country: 'Britain' }, 'Submit for verification');
  await page.getByRole('alert').waitFor();
  await look('verification-refused');
  const facts = {
    'Registered name': 'Analytical Engines Limited',
    'Registration number': 'HRB 1',
    Country: 'GB',
  };
  const submit = async () => {
    await fillForm(page, facts, 'Submit for verification');
    await page.getByText('In review').waitFor();
  };
  await submit();
  await look('verification-pending');
  const reason = 'The register knows no company of this number.';
  await platform.businessRpc.RejectVerification({ businessId, reason }, call);
  await page.reload();
  await look('verification-rejected');
  await submit();
  await platform.businessRpc.ApproveVerification({ businessId }, call);
  await page.reload();
  await look('verification-done');
  return businessId;
}

async function tourPassword({ page, look }: Tour): Promise<void> {
  const fields = { 'Current password': 'not my password', 'New password': visitor.nextPassword };
  await page.goto('/account/password');
  await look('password');
  await fillForm(page, fields, 'Change password');
  await page.getByRole('alert').waitFor();
  await look('password-refused');
  await fillForm(page, { ...fields, 'Current password': visitor.password }, 'Change password');
  await page.getByRole('status').waitFor();
  await look('password-changed');
}

async function tourSessions({ platform, page, look }: Tour): Promise<void> {
  const elsewhere = createBrowser(platform.gatewayPorts[0] ?? 0);
  await elsewhere.open('/login');
  await elsewhere.submitAndFollow('/login', { email: visitor.email, password: visitor.nextPassword });
  await page.goto('/account/sessions');
  await look('sessions');
}

async function tourSecondFactor({ page, look }: Tour): Promise<void> {
  await page.goto('/account/second-factor');
  await look('second-factor-off');
  await fillForm(page, { 'Your password': visitor.nextPassword }, 'Turn on');
  await page.getByRole('img', { name: 'QR code' }).waitFor();
  await look('second-factor-offered');
  const typed = (await page.locator('.code').textContent()) ?? '';
  await fillForm(page, { 'Code from the app': '000000' }, 'Confirm');
  await page.getByRole('alert').waitFor();
  await look('second-factor-refused');
  await fillForm(page, { 'Code from the app': authenticatorOf(typed).code() }, 'Confirm');
  await page.getByRole('heading', { name: 'Recovery codes' }).waitFor();
  await look('recovery-codes');
  await page.getByRole('link', { name: 'I have saved them' }).click();
  await look('second-factor-on');
}
