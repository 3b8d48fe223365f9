import { expect, test } from '@jest/globals';
import { adminJsonOn } from '../harness/admin.ts';
import { joinBusiness, signUpVerified } from '../harness/people.ts';
import { auditAccessibility } from './accessibility-audit.ts';
import { button, field, press, region, toast } from './locators.ts';
import { phone, widthOf } from './screens.ts';
import { setStage } from './stage.ts';

/** An owner asks for a higher limit, on the page of the API key and of the app. */

const stage = setStage();

test('an owner requests a higher rate limit, corrects an invalid field, and sees the decision', async () => {
  const ada = await signUpVerified(stage.platform);
  const { businessId } = ada;
  const [key, other] = [
    await stage.platform.createKey({ businessId }),
    await stage.platform.createKey({ businessId }),
  ];
  const keys = `/dashboard/${businessId}/settings/developers/keys`;
  const { page, problems } = await stage.enterAs(ada, `${keys}/${key.id}`, { viewport: phone });
  const limit = region(page, 'Rate limit');
  await press(limit, 'Ask for a higher limit');
  const dialog = page.getByRole('dialog', { name: 'Ask for a higher limit' });
  expect(await field(dialog, 'Limit').inputValue()).toBe('20000');
  await field(dialog, 'Limit').fill('9,000');
  await field(dialog, 'Reason').fill('We open shops in three countries');
  await press(dialog, 'Send the request');
  await dialog.getByText('The limit must be a whole number from 10,001 to 10,000,000.').waitFor();
  await field(dialog, 'Limit').and(page.locator(':focus')).waitFor();
  await field(dialog, 'Limit').fill('50,000');
  await press(dialog, 'Send the request');
  await toast(page, 'Request sent.').waitFor();
  await dialog.waitFor({ state: 'detached' });
  await limit.getByText('50,000 requests in any 60 minutes. You will get an email').waitFor();
  expect(await button(limit, 'Ask for a higher limit').count()).toBe(0);
  expect(await widthOf(page)).toBeLessThanOrEqual(phone.width);

  await page.goto(`${keys}/${other.id}`);
  await limit.getByText('Your request for another key is pending.').waitFor();
  const waiting: { id: string; subjectId: string }[] = await adminJsonOn(stage.platform, 'request', 'list');
  const { id = '' } = waiting.find(({ subjectId }) => subjectId === key.id) ?? {};
  await adminJsonOn(stage.platform, 'request', 'grant', '--request', id, '--reason', 'for two months');
  await page.goto(`${keys}/${key.id}`);
  await limit.getByText('50,000 of 50,000 requests left').waitFor();
  await limit.getByText('Raised to 50,000').waitFor();
  await limit.getByText('Reason: for two months').waitFor();
  await button(limit, 'Ask for a higher limit').waitFor();
  expect(problems).toEqual([]);
});

test('an owner lowers the limit of a key, raises it to the granted one, and gets a notice of each change', async () => {
  const ada = await signUpVerified(stage.platform);
  const { businessId } = ada;
  const { id } = await stage.platform.createKey({ businessId });
  const path = `/dashboard/${businessId}/settings/developers/keys/${id}`;
  const { page, problems } = await stage.enterAs(ada, path);
  const limit = region(page, 'Rate limit');
  await press(limit, 'Lower the limit');
  const dialog = page.getByRole('dialog', { name: /^(Lower|Change) the limit of/ });
  const requests = field(dialog, 'Requests in any hour');
  await requests.fill('1.5');
  await press(dialog, 'Set the limit');
  await dialog.getByText('Must be a whole number.').waitFor();
  await requests.fill('10,001');
  await press(dialog, 'Set the limit');
  await dialog.getByText('Limit must be 1 to 10,000 requests per hour.').waitFor();
  expect(await auditAccessibility(page)).toEqual([]);
  await requests.fill('500');
  await press(dialog, 'Set the limit');
  await limit.getByText('500 of 500 requests left').waitFor();
  await press(limit, 'Change the limit');
  await requests.fill('10,000');
  await press(dialog, 'Set the limit');
  await limit.getByText('10,000 of 10,000 requests left').waitFor();
  await page.goto('/dashboard/notices');
  await page.getByText('was lowered from 10,000 to 500 requests in any hour by').waitFor();
  await page.getByText('was raised from 500 to 10,000 requests in any hour by').waitFor();
  expect(problems.filter((problem) => !problem.includes('400'))).toEqual([]);
});

test('owners can request more connected businesses on the page of an app, and members only see the request', async () => {
  const [ada, bob] = [await signUpVerified(stage.platform), await signUpVerified(stage.platform)];
  await joinBusiness(stage.platform, bob, ada.businessId, 'developer');
  const application = await stage.platform.createApplication({ businessId: ada.businessId });
  const path = `/dashboard/${ada.businessId}/settings/developers/apps/${application.id}`;
  const { page, problems } = await stage.enterAs(ada, path);
  const connected = region(page, 'Connected businesses');
  await press(connected, 'Ask for a higher limit');
  const dialog = page.getByRole('dialog', { name: 'Ask for a higher limit' });
  await field(dialog, 'Reason').fill('A partner has 80 branches');
  await press(dialog, 'Send the request');
  await connected.getByText('100 connected businesses. You will get an email').waitFor();
  expect(problems).toEqual([]);
  const { page: theirs } = await stage.enterAs(bob, path);
  await region(theirs, 'Connected businesses').getByText('100 connected businesses').waitFor();
  expect(await button(theirs, 'Ask for a higher limit').count()).toBe(0);
});
