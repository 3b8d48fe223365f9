import { expect, test } from '@jest/globals';
import { openDashboard } from '../harness/dashboard.ts';
import { report, untilRefused } from '../harness/leaks.ts';
import { joinBusiness, signUp, signUpVerified } from '../harness/people.ts';
import { axeViolations } from './axe-violations.ts';
import { press, region, toast } from './locators.ts';
import { phone, widthOf } from './screens.ts';
import { setStage } from './stage.ts';

/** The policy for API keys that leak, in the settings of the business. */

const stage = setStage();

test('an owner chooses what happens to keys that leak, and a member reads it', async () => {
  const [ada, bob] = await Promise.all([signUp(stage.platform), signUp(stage.platform)]);
  await joinBusiness(stage.platform, bob, ada.businessId, 'developer');
  const settings = `/dashboard/${ada.businessId}/settings/business`;
  const owner = await stage.enterAs(ada, settings, { viewport: phone });
  const panel = region(owner.page, 'Leaked API keys');
  expect(await panel.getByRole('radio', { name: 'Only inform the owners' }).isChecked()).toBe(true);
  expect(await panel.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  await panel.getByRole('radio', { name: 'Freeze the key' }).check();
  await press(panel, 'Save');
  await toast(owner.page, 'Changes saved.').waitFor();
  await owner.page.reload();
  await panel.getByRole('radio', { name: 'Freeze the key', checked: true }).waitFor();
  await panel.getByText('Every request with the key is refused until').waitFor();
  expect(await widthOf(owner.page)).toBeLessThanOrEqual(phone.width);
  expect(await axeViolations(owner.page)).toEqual([]);

  const member = await stage.enterAs(bob, settings);
  await region(member.page, 'Leaked API keys').getByText('Only owners can change this.').waitFor();
  expect(await region(member.page, 'Leaked API keys').getByRole('radio').count()).toBe(0);
  expect([...owner.problems, ...member.problems]).toEqual([]);
});

test('the page of a key that a report froze has the place and advice, and the audit log one line of it', async () => {
  const ada = await signUpVerified(stage.platform);
  const { businessId } = ada;
  await (await openDashboard(ada, ada.browser)).own('PUT', '/leak-policy', { policy: 'freeze' });
  const key = await stage.platform.createKey({ businessId, name: 'Till' });
  const url = `https://example.org/${'long/'.repeat(100)}`;
  await report(stage.platform, [key.keyString], { url, source: 'Night watch' });
  await untilRefused(stage.platform, key, 403);
  const keyPage = `/dashboard/${businessId}/settings/developers/keys/${key.id}`;
  const { page, problems } = await stage.enterAs(ada, keyPage, { viewport: phone });
  const banner = page.getByRole('status').filter({ hasText: 'This key is frozen' });
  await banner.getByText('by “Night watch”, found at https://example.org/long/').waitFor();
  await banner.getByText('rotate the key, give your program the new string').waitFor();
  expect(await widthOf(page)).toBeLessThanOrEqual(phone.width);
  expect(await axeViolations(page)).toEqual([]);
  await page.goto(`/dashboard/${businessId}/audit?action=api_key.*`);
  await page.getByText('Froze the API key “Till”, which was reported as leaked').waitFor();
  expect(await page.getByText('the API key “Till”').count()).toBe(2);
  await page.goto(`/dashboard/${businessId}/audit?action=api_key.frozen`);
  await page.getByText('Froze the API key “Till”: its requests were refused').waitFor();
  expect(problems).toEqual([]);
});
