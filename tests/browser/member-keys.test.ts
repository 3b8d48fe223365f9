import { beforeEach, describe, expect, test } from '@jest/globals';
import { openDashboard } from '../harness/dashboard.ts';
import { makeKey, restricted } from '../harness/made-key.ts';
import { joinBusiness, signUp, signUpVerified, type TestPerson } from '../harness/people.ts';
import { axeViolations } from './axe-violations.ts';
import { heading, press, toast } from './locators.ts';
import { phone, widthOf } from './screens.ts';
import { setStage } from './stage.ts';

/** Which keys developers create, and what becomes of those that a removed member has seen. */

const stage = setStage();

let ada: TestPerson;
let bob: TestPerson;
let settings: string;
beforeEach(async () => {
  [ada, bob] = await Promise.all([
    signUpVerified(stage.platform),
    signUp(stage.platform, { name: 'Bob Builder' }),
  ]);
  await joinBusiness(stage.platform, bob, ada.businessId, 'developer');
  settings = `/dashboard/${ada.businessId}/settings`;
});

const use = async (key: string) => (await stage.platform.request(0, 'GET', '/v2/order', { key })).status;
const uri = 'https://bob.example/callback';
const reading = { ...restricted, scopes: ['orders:read'] };

test('the form of a member offers what an owner has allowed', async () => {
  const member = await stage.enterAs(bob, `${settings}/developers/keys/new`);
  const secret = member.page.getByRole('radio', { name: 'Secret key' });
  const writing = member.page.getByRole('checkbox', { name: 'Create orders' });
  await member.page.getByText('Only owners can create secret keys.').waitFor();
  expect([await secret.isDisabled(), await writing.isDisabled()]).toEqual([true, true]);
  expect(await member.page.getByRole('checkbox', { name: 'See your orders' }).isDisabled()).toBe(false);
  await member.page.goto(`${settings}/business`);
  await member.page.getByText('Developers can create restricted keys with').waitFor();

  const owner = await stage.enterAs(ada, `${settings}/business`);
  await owner.page.getByRole('checkbox', { name: 'Create orders' }).check();
  await press(owner.page, 'Save');
  await toast(owner.page, 'Changes saved.').waitFor();
  await member.page.goto(`${settings}/developers/keys/new`);
  // By then the rules are loaded: before, nothing is disabled.
  await member.page.getByText('Only owners can create secret keys.').waitFor();
  await expect(writing.isEnabled()).resolves.toBe(true);

  await owner.page.getByRole('switch', { name: 'Developers can create secret keys' }).check();
  await press(owner.page, 'Save');
  await owner.page.getByRole('button', { name: 'Save', disabled: true }).waitFor();
  const rules = member.page.waitForResponse('**/member-key-rules');
  await member.page.reload();
  // Before they are loaded, nothing is disabled.
  expect(await (await rules).json()).toMatchObject({ secretKeys: true });
  await secret.check();
  expect(await axeViolations(owner.page)).toEqual([]);
  expect([...owner.problems, ...member.problems]).toEqual([]);
});

test('a change of one rule keeps the rules that another owner has changed in the meantime', async () => {
  const { page, problems } = await stage.enterAs(ada, `${settings}/business`);
  await page.getByRole('checkbox', { name: 'Create orders' }).check();
  const other = await openDashboard(ada, ada.browser);
  const change = { removedScopes: ['orders:read'] };
  expect((await other.own('PATCH', '/member-key-rules', change)).status).toBe(200);
  await press(page, 'Save');
  await toast(page, 'Changes saved.').waitFor();
  await page.getByRole('checkbox', { name: 'See your orders', checked: false }).waitFor();
  expect((await other.own('GET', '/member-key-rules')).json()).toEqual({
    secretKeys: false,
    scopes: ['business:read', 'events:read', 'orders:write'],
  });
  expect(problems).toEqual([]);
});

describe('removing a member', () => {
  test.each([undefined, phone])(
    'lists what the person has created, and ends all that the owner does not deselect (%j)',
    async (screen) => {
      const bobs = await openDashboard(ada, bob.browser);
      const [till, report] = [
        await makeKey(bobs, { ...reading, name: 'Till' }),
        await makeKey(bobs, { ...reading, name: 'Report' }),
      ];
      const app = await stage.platform.createApplication({ businessId: ada.businessId, name: 'Shop' });
      expect((await bobs.own('PATCH', `/applications/${app.id}`, { redirectUris: [uri] })).status).toBe(200);
      const options = screen === undefined ? {} : { viewport: screen };
      const { page, problems } = await stage.enterAs(ada, `${settings}/business`, options);
      await page.getByRole('button', { name: 'Actions for Bob Builder' }).click();
      await page.getByRole('menuitem', { name: 'Remove from the team' }).click();
      const dialog = page.getByRole('dialog', { name: 'Remove Bob Builder?' });
      const box = (label: string) => dialog.getByRole('checkbox', { name: label });
      await box(`Till (…${till.lastFour})`).waitFor();
      expect(await dialog.getByRole('checkbox', { checked: true }).count()).toBe(3);
      await dialog.getByText('“Shop” has no other redirect URI').waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await box(uri).uncheck();
      await dialog.getByText('“Shop” has no other redirect URI').waitFor({ state: 'detached' });
      await box(`Report (…${report.lastFour})`).uncheck();
      expect(await widthOf(page)).toBeLessThanOrEqual(screen?.width ?? 10_000);
      await press(dialog, 'Remove from the team');
      await toast(page, 'Bob Builder removed from the team.').waitFor();
      expect([await use(till.keyString), await use(report.keyString)]).toEqual([401, 200]);
      await page.goto(`${settings}/developers/keys/${report.id}`);
      await heading(page, 'Report').waitFor();
      await page.getByText('Bob Builder, no longer on the team').first().waitFor();
      expect(problems).toEqual([]);
    },
  );

  test('is not possible while the list cannot be loaded', async () => {
    const key = await makeKey(await openDashboard(ada, bob.browser), reading);
    const { page } = await stage.enterAs(ada, `${settings}/business`);
    const list = '**/leftovers';
    const json = { error: 'There is something wrong.', status: 'Too Many Requests', code: 429 };
    await page.route(list, (route) => route.fulfill({ status: 429, json }));
    await page.getByRole('button', { name: 'Actions for Bob Builder' }).click();
    await page.getByRole('menuitem', { name: 'Remove from the team' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove Bob Builder?' });
    await dialog.getByText('This could not be loaded').waitFor();
    await dialog.getByRole('button', { name: 'Remove from the team', disabled: true }).waitFor();
    await page.unroute(list);
    await press(dialog, 'Try again');
    await dialog.getByRole('checkbox', { name: `${reading.name} (…${key.lastFour})` }).waitFor();
    await press(dialog, 'Remove from the team');
    await toast(page, 'Bob Builder removed from the team.').waitFor();
  });
});
