import { expect, test } from '@jest/globals';
import { png, sendLogo } from '../harness/logo.ts';
import { addManyKeys } from '../harness/many-keys.ts';
import { inviteOperator, makeOperator, protect } from '../harness/operators.ts';
import { signUp, signUpVerified } from '../harness/people.ts';
import { button, field, press, region, toast } from './locators.ts';
import { phone } from './screens.ts';
import { setStage } from './stage.ts';

/** The operators' console in Chromium, from the invitation to a ban whose reason the owner reads. */

const stage = setStage();

test('an invited operator approves a business, removes a logo, and bans with a reason that the owner sees', async () => {
  const [bob, owner] = [
    await signUp(stage.platform),
    await signUp(stage.platform, { businessName: 'Kettles' }),
  ];
  const { businessId } = owner;
  const facts = { legalName: 'Kettles Limited', registrationNumber: 'HRB 4', country: 'DE' };
  await stage.platform.businessRpc.SubmitVerification({ businessId, ...facts }, { deadlineMs: 30_000 });
  await sendLogo(owner, png(43));
  await protect(bob);
  const token = await inviteOperator(stage.platform, bob.email);
  const { page, problems } = await stage.enterAs(bob, `/operators/join?token=${token}`, { viewport: phone });
  await page.getByText('You need to be logged in with your second factor.').waitFor();
  await press(page, 'Accept the invitation');
  await toast(page, 'You are an operator.').waitFor();
  const row = page.getByRole('listitem').filter({ hasText: 'HRB 4' });
  await press(row, 'Approve');
  const approval = page.getByRole('dialog', { name: 'Approve Kettles?' });
  await approval.getByText('Kettles Limited, HRB 4, DE').waitFor();
  await press(approval, 'Approve');
  await approval.getByText('Enter a reason.').waitFor();
  await field(approval, 'Reason').fill('Found in the register');
  await press(approval, 'Approve');
  await toast(page, 'Approved.').waitFor();
  await row.waitFor({ state: 'detached' });

  await page.getByRole('link', { name: 'Search' }).click();
  await field(page, 'Search for').fill(owner.email);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Kettles' }).click();
  const business = region(page, 'Business');
  await business.getByRole('img', { name: 'Logo of Kettles' }).waitFor();
  await press(business, 'Remove the logo');
  const removal = page.getByRole('dialog', { name: 'Remove the logo of Kettles?' });
  await press(removal, 'Remove the logo');
  await removal.getByText('Enter a reason.').waitFor();
  await field(removal, 'Reason').fill('It is that of a bank');
  await press(removal, 'Remove the logo');
  await toast(page, 'The logo is removed.').waitFor();
  await button(business, 'Remove the logo').waitFor({ state: 'detached' });
  await business.getByText('Found in the register').waitFor();
  await press(business, 'Freeze');
  const freeze = page.getByRole('dialog', { name: 'Freeze Kettles?' });
  await field(freeze, 'Reason').fill('A key was posted');
  await press(freeze, 'Freeze');
  await business.getByText('by an operator: A key was posted').waitFor();
  await press(business, 'Lift the freeze');
  const lift = page.getByRole('dialog', { name: 'Lift the freeze on Kettles?' });
  await field(lift, 'Reason').fill('The key is gone');
  await press(lift, 'Lift the freeze');
  await button(business, 'Freeze').waitFor();
  await press(business, 'Ban');
  const ban = page.getByRole('dialog', { name: 'Ban Kettles?' });
  await field(ban, 'Reason').and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Escape');
  await button(business, 'Ban').and(page.locator(':focus')).waitFor();
  await press(business, 'Ban');
  await field(ban, 'Reason').fill('It sold kettles that do not exist');
  await press(ban, 'Ban');
  await toast(page, 'The business is banned.').waitFor();
  await button(business, 'Lift the ban').waitFor();
  const ofOwner = "INSERT INTO business_freezes (business_id, person_id, reason) VALUES ($1, $2, '')";
  await stage.platform.sql(ofOwner, [businessId, owner.id]);
  await page.reload();
  await business.getByText(`by ${owner.name}, ${owner.email}`).waitFor();
  await press(business, 'Lift the ban');
  const unban = page.getByRole('dialog', { name: 'Lift the ban on Kettles?' });
  await unban.getByText('The freeze stays').waitFor();
  await press(unban, 'Cancel');
  await region(page, 'Audit log').getByText('It sold kettles that do not exist').waitFor();
  await page.getByRole('link', { name: 'Log', exact: true }).click();
  await page.getByText('Searched for').waitFor();
  await field(page, 'Operator').fill(bob.email);
  await field(page, 'Business number').fill(String(businessId));
  await page.getByRole('combobox', { name: 'Kind' }).click();
  await page.getByRole('option', { name: 'Changes' }).click();
  await page.getByText('Searched for').waitFor({ state: 'detached' });
  const log = page.getByRole('list', { name: 'Log of operators' });
  await log.getByText('Reason: It sold kettles that do not exist').waitFor();
  expect(await log.getByRole('listitem').count()).toBe(5);
  expect(problems).toEqual([]);

  const theirs = await stage.enterAs(owner, `/dashboard/${businessId}/audit`);
  await theirs.page.getByText('Banned the business').waitFor();
  await theirs.page.getByText('Removed the logo of the business').waitFor();
  expect(await theirs.page.content()).not.toContain(bob.email);
  await theirs.page.goto('/dashboard/notices');
  await theirs.page.getByText('It sold kettles that do not exist').waitFor();
  await theirs.page.getByText('It is that of a bank').waitFor();
});

test('the dialog of a limit starts with the current limit, not with earlier input or an older limit', async () => {
  const [ada, owner] = [await makeOperator(stage.platform), await signUpVerified(stage.platform)];
  const { businessId } = owner;
  const key = await stage.platform.createKey({ businessId, name: 'Till' });
  await stage.platform.createApplication({ businessId });
  const { page, problems } = await stage.enterAs(ada, `/operators/businesses/${businessId}`);
  const row = region(page, 'API keys').getByRole('listitem').filter({ hasText: 'Till' });
  const dialog = page.getByRole('dialog', { name: 'Set the limit of Till?' });
  await press(row, 'Set the limit');
  const held = await field(dialog, 'Limit').inputValue();
  await field(dialog, 'Limit').fill('7');
  await press(dialog, 'Cancel');
  await press(row, 'Set the limit');
  expect(await field(dialog, 'Limit').inputValue()).toBe(held);
  await press(dialog, 'Cancel');

  await stage.platform.setKeyLimit(key, 1234);
  await press(region(page, 'Apps'), 'Suspend');
  const suspension = page.getByRole('dialog');
  await field(suspension, 'Reason').fill('It is being looked at');
  await press(suspension, 'Suspend');
  await row.getByText('1,234 requests an hour').waitFor();
  await press(row, 'Set the limit');
  expect(await field(dialog, 'Limit').inputValue()).toBe('1234');
  expect(problems).toEqual([]);
});

test('the search for keys of a business covers all of them', async () => {
  const [ada, owner] = [await makeOperator(stage.platform), await signUpVerified(stage.platform)];
  const { businessId } = owner;
  const id = await addManyKeys(stage.platform, businessId, 1_003);
  await stage.platform.sql("UPDATE api_keys SET name = 'Backend' WHERE id = $1", [id(1)]);
  const { page, problems } = await stage.enterAs(ada, `/operators/businesses/${businessId}`);
  const panel = region(page, 'API keys');
  const rows = panel.getByRole('listitem');
  await panel.getByText('Only the 1,000 newest keys are listed. A search finds the others.').waitFor();
  expect(await rows.count()).toBe(50);
  await field(panel, 'Search by name or last four characters').fill('backend');
  await page.keyboard.press('Enter');
  await panel.getByText('Only the 1,000 newest').waitFor({ state: 'detached' });
  await rows.getByText('Backend').waitFor();
  expect(await rows.count()).toBe(1);
  await press(rows, 'Set the limit');
  const dialog = page.getByRole('dialog', { name: 'Set the limit of Backend?' });
  await field(dialog, 'Limit').fill('7');
  await field(dialog, 'Reason').fill('It was asked for');
  await press(dialog, 'Set the limit');
  await rows.getByText('7 requests an hour').waitFor();
  await field(panel, 'Search by name or last four characters').fill('nothing like that');
  await press(panel, 'Search');
  await panel.getByText('No keys match.').waitFor();
  expect(problems).toEqual([]);
});

test('an action that another operator has taken first shows an error, even if its row is gone', async () => {
  const [ada, owner] = [
    await makeOperator(stage.platform),
    await signUp(stage.platform, { businessName: 'Lamps' }),
  ];
  const { businessId } = owner;
  const facts = { legalName: 'Lamps Limited', registrationNumber: 'HRB 5', country: 'DE' };
  await stage.platform.businessRpc.SubmitVerification({ businessId, ...facts }, { deadlineMs: 30_000 });
  const { page } = await stage.enterAs(ada, '/operators');
  const row = page.getByRole('listitem').filter({ hasText: 'HRB 5' });
  await press(row, 'Reject');
  const rejection = page.getByRole('dialog', { name: 'Reject Lamps?' });
  await field(rejection, 'Reason').fill('It is not in the register');
  await stage.platform.businessRpc.ApproveVerification({ businessId }, { deadlineMs: 30_000 });
  await press(rejection, 'Reject');
  await row.waitFor({ state: 'detached' });
  await page
    .getByRole('alert')
    .getByText(/verification/i)
    .waitFor();
});

test('invalid searches and missing businesses are explained, and no URL has a secret', async () => {
  const [ada, owner] = [await makeOperator(stage.platform), await signUpVerified(stage.platform)];
  const { keyString } = await stage.platform.createKey({ businessId: owner.businessId });
  const { page } = await stage.enterAs(ada, '/operators/search');
  await field(page, 'Search for').fill(keyString);
  await press(page, 'Search');
  await page.getByRole('list', { name: 'Businesses' }).getByText('API key').waitFor();
  expect(new URL(page.url()).search).toBe(`?text=${keyString.slice(-4)}`);
  await page.goto('/operators/search?text=a%00b');
  await page.getByRole('alert').getByText('Must not contain NUL.').waitFor();
  await page.goto('/operators/log?business=abc');
  await page.getByRole('alert').getByText('Must be the number of a business.').waitFor();
  expect(await button(page, 'Try again').count()).toBe(0);
  await page.goto('/operators/businesses/999999999');
  await page.getByText('This business does not exist').waitFor();
});

test('the console shows an error when a part of its code cannot be loaded', async () => {
  const ada = await makeOperator(stage.platform);
  const { page } = await stage.enterAs(ada, '/dashboard');
  await page.route('**/assets/operators-app-*.js', (route) => route.abort());
  await page.goto('/operators');
  await page.getByRole('heading', { name: 'Something went wrong' }).waitFor();
  await page.unroute('**/assets/operators-app-*.js');
  await press(page, 'Try again');
  await region(page, 'Verifications').waitFor();
});

test('a person who is no operator sees that the page is for operators', async () => {
  const owner = await signUp(stage.platform);
  const { page } = await stage.enterAs(owner, '/operators');
  await page.getByText('This page is for operators').waitFor();
  const entrance = await stage.open('/operators/log');
  expect(new URL(entrance.page.url()).pathname).toBe('/login');
});
