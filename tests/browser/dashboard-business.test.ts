import { describe, expect, test } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expectEventually } from '../harness/expect-eventually.ts';
import { call } from '../harness/patience.ts';
import { joinBusiness, signUp, signUpVerified, type TestPerson } from '../harness/people.ts';
import { timersPassed } from './keyboard.ts';
import { region, toast } from './locators.ts';
import { phone, widthOf } from './screens.ts';
import { setStage } from './stage.ts';
import { dialogTitles, watchTexts } from './watch-texts.ts';

/** The page of a business: record, verification, freeze. */

const stage = setStage();

const enter = (person: TestPerson, options: BrowserContextOptions = {}, businessId = person.businessId) =>
  stage.enterAs(person, `/dashboard/${businessId}/settings/business`, options);

const freezeSwitch = (page: Page) => page.getByRole('switch', { name: 'Freeze API access' });

/** Statuses of a request at every gateway. */
const statuses = (key: string) =>
  Promise.all([0, 1].map(async (gateway) => (await stage.platform.me(key, gateway)).status));

test('the record is the one that the API returns, and can be copied', async () => {
  const ada = await signUpVerified(stage.platform);
  const { page, context, problems } = await enter(ada);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const record = region(page, 'Record');
  await record.getByText('Analytical Engines', { exact: true }).waitFor();
  await record.getByRole('button', { name: 'Copy the public ID' }).click();
  await record.getByText('Copied the public ID').waitFor({ state: 'attached' });
  const { keyString } = await stage.platform.createKey({ businessId: ada.businessId });
  const me = await stage.platform.me(keyString);
  expect(me.json()).toMatchObject({ unique_id: await page.evaluate('navigator.clipboard.readText()') });
  expect(problems).toEqual([]);
});

describe('verification', () => {
  test('is submitted with the keyboard, corrected after a refusal, and completed', async () => {
    const ada = await signUp(stage.platform);
    const { businessId } = ada;
    const { page, problems } = await enter(ada);
    const verification = region(page, 'Verification');
    const banner = page.getByText('This business is not verified.');
    await banner.waitFor();
    await verification.getByRole('textbox', { name: 'Registration number' }).focus();
    await page.keyboard.press('Enter');
    await verification.getByText('Enter the registered name.').waitFor();
    await verification.getByText('Select a country.').waitFor();
    const focused = page.locator(':focus');
    await verification.getByRole('textbox', { name: 'Registered name' }).and(focused).waitFor();
    await page.keyboard.type('Analytical Engines Limited');
    await page.keyboard.press('Tab');
    await page.keyboard.type('HRB 1000');
    await page.keyboard.press('Tab');
    // The list resets its selection a moment after it has opened.
    await page.getByRole('option').first().waitFor();
    await timersPassed(page);
    // The last letter makes the choice: what is selected then was not selected before.
    await page.keyboard.type('united k');
    const first = page.locator('[role=option][data-combobox-selected]');
    await first.filter({ hasText: 'United Kingdom' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('option').waitFor({ state: 'hidden' });
    await page.keyboard.press('Tab');
    await verification.getByRole('button').and(focused).waitFor();
    await page.keyboard.press('Enter');
    await toast(page, 'Submitted for verification.').waitFor();
    await verification.getByText('In review').waitFor();
    await verification.getByText('United Kingdom').waitFor();
    await banner.waitFor({ state: 'detached' });

    const reason = 'The register knows no company of this number.';
    await stage.platform.businessRpc.RejectVerification({ businessId, reason }, call);
    await page.reload();
    await verification.getByText(reason).waitFor();
    const number = verification.getByRole('textbox', { name: 'Registration number' });
    expect(await number.inputValue()).toBe('HRB 1000');
    await number.fill('HRB 2000');
    await verification.getByRole('button', { name: 'Submit again' }).click();
    await verification.getByText('In review').waitFor();
    await stage.platform.businessRpc.ApproveVerification({ businessId }, call);
    await page.reload();
    await verification.getByText('This business can register and connect apps').waitFor();
    await verification.getByText('HRB 2000').waitFor();
    expect(problems).toEqual([]);
  });

  test('moves the focus to the missing field, even if a frame is drawn before the page changes', async () => {
    const { page, context } = await enter(await signUp(stage.platform));
    await context.addInitScript('window.requestAnimationFrame = (draw) => queueMicrotask(draw)');
    await page.reload();
    const verification = region(page, 'Verification');
    await verification.getByRole('button', { name: 'Submit for verification' }).click();
    const name = verification.getByRole('textbox', { name: 'Registered name' });
    await name.and(page.locator(':focus')).waitFor();
  });

  test('is read by members, and submitted by owners only', async () => {
    const [ada, bob] = [await signUp(stage.platform), await signUp(stage.platform)];
    await joinBusiness(stage.platform, bob, ada.businessId, 'developer');
    const { page } = await enter(bob, {}, ada.businessId);
    await region(page, 'Verification').getByText('Only owners can submit').waitFor();
    expect(await page.getByRole('button', { name: 'Submit for verification' }).count()).toBe(0);
  });
});

describe('the freeze', () => {
  test('shows what it stops, takes effect on every gateway at once, and can be lifted', async () => {
    const ada = await signUpVerified(stage.platform);
    const { keyString } = await stage.platform.createKey({ businessId: ada.businessId });
    expect(await statuses(keyString)).toEqual([200, 200]);
    const counted = 'SELECT count(*)::int AS n FROM request_log WHERE business_id = $1';
    await expectEventually(
      async () => expect(await stage.platform.sql(counted, [ada.businessId])).toEqual([{ n: 2 }]),
      { withinMs: 15_000 },
    );
    const { page, problems } = await enter(ada, { reducedMotion: 'no-preference' });
    await freezeSwitch(page).focus();
    const titlesSeen = await watchTexts(page, dialogTitles);
    await page.keyboard.press('Space');
    const dialog = page.getByRole('dialog', { name: 'Freeze API access?' });
    await dialog.getByText('2 of 2 requests would have been refused').waitFor();
    expect(await freezeSwitch(page).isChecked()).toBe(false);
    expect(await statuses(keyString)).toEqual([200, 200]);
    await dialog.getByRole('textbox').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('A key was posted in a public chat');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(await statuses(keyString)).toEqual([403, 403]);
    await page.getByText('API access is frozen', { exact: true }).waitFor();
    const access = region(page, 'API access');
    await access.getByText('by Ada Lovelace.').waitFor();
    await access.getByText('Reason: A key was posted in a public chat').waitFor();
    expect(await freezeSwitch(page).isChecked()).toBe(true);
    expect(await titlesSeen()).toEqual(['Freeze API access?']);

    await freezeSwitch(page).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Lift the freeze' }).click();
    await toast(page, 'Freeze lifted.').waitFor();
    expect(await statuses(keyString)).toEqual([200, 200]);
    await page.getByText('API access is frozen', { exact: true }).waitFor({ state: 'detached' });
    await access.getByText('Open', { exact: true }).waitFor();
    expect(problems).toEqual([]);
  });

  test('changes nothing when it is cancelled', async () => {
    const ada = await signUpVerified(stage.platform);
    const { keyString } = await stage.platform.createKey({ businessId: ada.businessId });
    const { page } = await enter(ada, { viewport: phone });
    await freezeSwitch(page).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('There were no requests in the last 7 days').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await freezeSwitch(page).isChecked()).toBe(false);
    expect(await statuses(keyString)).toEqual([200, 200]);
    expect(await widthOf(page)).toBeLessThanOrEqual(390);
  });

  test('is shown to members, with its reason and without the switch', async () => {
    const [ada, bob] = [await signUpVerified(stage.platform), await signUp(stage.platform)];
    await joinBusiness(stage.platform, bob, ada.businessId, 'developer');
    const text = 'INSERT INTO business_freezes (business_id, person_id, reason) VALUES ($1, $2, $3)';
    await stage.platform.sql(text, [ada.businessId, ada.id, 'We are looking into it']);
    const { page } = await enter(bob, {}, ada.businessId);
    const access = region(page, 'API access');
    await access.getByText('Reason: We are looking into it').waitFor();
    await access.getByText('Only owners can lift the freeze.').waitFor();
    expect(await freezeSwitch(page).count()).toBe(0);
    const ofOperator = "UPDATE business_freezes SET person_id = '' WHERE business_id = $1";
    await stage.platform.sql(ofOperator, [ada.businessId]);
    await page.reload();
    await access.getByText('by the platform’s support.').waitFor();
  });
});
