import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { adminJsonOn } from '../harness/admin.ts';
import { makeOperator } from '../harness/operators.ts';
import { signUp } from '../harness/people.ts';
import { button, field, press, region, toast } from './locators.ts';
import { phone } from './screens.ts';
import { setStage } from './stage.ts';

/** Four eyes in Chromium: one operator proposes a ban, another one decides it. */

const stage = setStage();
// Proposals of other files, and the setting, which holds for all of them.
beforeAll(() => stage.platform.sql('DELETE FROM ban_proposals'));
afterAll(() => stage.platform.sql('DELETE FROM four_eyes'));

test('one operator proposes, and another declines or confirms on a phone; the owner reads the reason of the proposal', async () => {
  await adminJsonOn(stage.platform, 'operator', 'four-eyes', '--set', 'on');
  const ada = await makeOperator(stage.platform);
  const bob = await makeOperator(stage.platform);
  const owner = await signUp(stage.platform, { businessName: 'Kettles' });
  const { businessId } = owner;
  const proposer = await stage.enterAs(ada, `/operators/businesses/${businessId}`);
  const propose = async (reason: string) => {
    await press(region(proposer.page, 'Business'), 'Ban');
    const dialog = proposer.page.getByRole('dialog', { name: 'Ban Kettles?' });
    await dialog.getByText('Another operator decides. Until then nothing changes.').waitFor();
    await field(dialog, 'Reason').fill(reason);
    await press(dialog, 'Ban');
  };
  await propose('It sold no kettles in May');
  await toast(proposer.page, 'Proposed: another operator decides.').waitFor();
  const pending = region(proposer.page, 'Business').getByRole('alert');
  await pending.getByText('A ban is proposed: another operator decides').waitFor();
  await pending.getByText(ada.email).waitFor();
  expect(await button(region(proposer.page, 'Business'), 'Ban').count()).toBe(0);
  await proposer.page.goto('/operators');
  const own = proposer.page.getByRole('listitem').filter({ hasText: 'It sold no kettles in May' });
  await own.getByRole('link', { name: 'Ban: Kettles' }).waitFor();
  await own.getByText('Yours', { exact: true }).waitFor();
  expect(await own.getByRole('button').count()).toBe(0);

  const decider = await stage.enterAs(bob, '/operators', { viewport: phone });
  const { page } = decider;
  const waiting = (reason: string) => region(page, 'Bans').getByRole('listitem').filter({ hasText: reason });
  await waiting('It sold no kettles in May').getByText(ada.email).waitFor();
  await press(waiting('It sold no kettles in May'), 'Decline');
  const refusal = page.getByRole('dialog', { name: 'Decline the proposal?' });
  await press(refusal, 'Decline');
  await refusal.getByText('Enter a reason.').waitFor();
  await field(refusal, 'Reason').fill('It sold two');
  await press(refusal, 'Decline');
  await toast(page, 'Declined.').waitFor();
  await region(page, 'Bans').waitFor({ state: 'detached' });

  await proposer.page.goto(`/operators/businesses/${businessId}`);
  await propose('It sold none in July');
  await toast(proposer.page, 'Proposed: another operator decides.').waitFor();
  await page.reload();
  await press(waiting('It sold none in July'), 'Confirm');
  const ban = page.getByRole('dialog', { name: 'Confirm the ban?' });
  await field(ban, 'Reason').fill('I counted them');
  await press(ban, 'Confirm');
  await toast(page, 'Done.').waitFor();
  await page.goto(`/operators/businesses/${businessId}`);
  await button(region(page, 'Business'), 'Lift the ban').waitFor();

  await proposer.page.goto('/operators/log');
  await proposer.page.getByText('I counted them').waitFor();
  const theirs = await stage.enterAs(owner, `/dashboard/${businessId}/audit`);
  await theirs.page.getByText('Banned the business').waitFor();
  await theirs.page.goto('/dashboard/notices');
  await theirs.page.getByText('It sold none in July').waitFor();
  expect(await theirs.page.content()).not.toContain('I counted them');
  expect([...proposer.problems, ...decider.problems]).toEqual([]);
});
