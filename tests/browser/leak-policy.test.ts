import { expect, test } from '@jest/globals';
import { joinBusiness, signUp } from '../harness/people.ts';
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
  expect(await panel.getByRole('button', { name: 'Save policy' }).isDisabled()).toBe(true);
  await panel.getByRole('radio', { name: 'Freeze the key' }).check();
  await press(owner.page, 'Save policy');
  await toast(owner.page, 'Changes saved.').waitFor();
  await owner.page.reload();
  await panel.getByRole('radio', { name: 'Freeze the key', checked: true }).waitFor();
  expect(await widthOf(owner.page)).toBeLessThanOrEqual(phone.width);
  expect(await axeViolations(owner.page)).toEqual([]);

  const member = await stage.enterAs(bob, settings);
  await region(member.page, 'Leaked API keys').getByText('Only owners can change this.').waitFor();
  expect(await region(member.page, 'Leaked API keys').getByRole('radio').count()).toBe(0);
  expect([...owner.problems, ...member.problems]).toEqual([]);
});
